// Sums of the rows of a node, taken in the order that the rule asks for.
#pragma once

#include "surrogate_rows.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace deciduous {

/// Ratings by formulas of fewer divisions differ from the exact ones by less than this share of the weight.
constexpr double rounding = 1e-9;

/// Weight, sum of deviations, sum of their squares.
using Moments = std::array<double, 3>;

inline std::uint32_t row_of(std::uint32_t row) {
    return row;
}
inline std::uint32_t row_of(OrderedRow at) {
    return at.row();
}

/// The mean target of rows, about which squared errors are summed; 0 for rates.
template <typename RowsInOrder>
double mean_target(const SurrogateTable &table, const Rater &rater, const RowsInOrder &rows) {
    if (rater.rating != Rating::squares)
        return 0.0;
    double weight = 0.0, sum = 0.0;
    for (const auto at : rows) {
        const std::uint32_t row = row_of(at);
        const double w = table.unit_weight ? 1.0 : table.weight[row];
        weight += w;
        sum += w * table.numbers[row];
    }
    return sum / weight;
}

inline void add_moments(double *sums, const SurrogateTable &table, std::uint32_t row, double mean) {
    const double w = table.unit_weight ? 1.0 : table.weight[row], deviation = table.numbers[row] - mean;
    sums[0] += w;
    sums[1] += w * deviation;
    sums[2] += w * (deviation * deviation);
}

/// Moments about a mean as moments of (y - centre) / scale.
inline Moments recentred(const Moments &m, double mean, const SurrogateNode &node) {
    const double shift = mean - node.centre;
    return {m[0], (m[1] + m[0] * shift) / node.scale,
            (m[2] + 2.0 * shift * m[1] + m[0] * shift * shift) / (node.scale * node.scale)};
}

/// Writes three lines: of the rows below a cut, of the other known ones, and of those whose cell is missing.
inline void write_moments(const SurrogateTable &table, const Moments &left, const Moments &total, double mean,
                          std::span<const OrderedRow> missing, const SurrogateNode &node, double *lines) {
    Moments others{};
    for (const OrderedRow at : missing)
        add_moments(others.data(), table, at.row(), mean);
    const Moments right{total[0] - left[0], total[1] - left[1], total[2] - left[2]};
    for (const Moments &moments : {left, right, others}) {
        const Moments own = recentred(moments, mean, node);
        lines = std::copy(own.begin(), own.end(), lines);
    }
}

} // namespace deciduous
