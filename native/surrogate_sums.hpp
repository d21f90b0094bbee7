// Sums of the rows of a node, taken in the order that the rule asks for.
#pragma once

#include "surrogate_rows.hpp"

#include <algorithm>
#include <span>

namespace deciduous {

/// Ratings by formulas of fewer divisions differ from the exact ones by less than this share of the weight.
constexpr double rounding = 1e-9;

inline void add_moments(Moments &sums, const SurrogateTarget &target, std::uint32_t row, double mean) {
    const double w = target.weight_of(row), deviation = target.numbers[row] - mean;
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
inline void write_moments(const SurrogateTarget &target, const Moments &left, const Moments &total,
                          double mean, std::span<const OrderedRow> missing, const SurrogateNode &node,
                          double *lines) {
    Moments others{};
    for (const OrderedRow at : missing)
        add_moments(others, target, at.row(), mean);
    const Moments right{total[0] - left[0], total[1] - left[1], total[2] - left[2]};
    for (const Moments &moments : {left, right, others}) {
        const Moments own = recentred(moments, mean, node);
        lines = std::copy(own.begin(), own.end(), lines);
    }
}

/// The cuts that leave enough rows on both sides: behind rows first .. end-1 of so many.
struct CutRange {
    std::size_t first = 0, end = 0;

    CutRange(std::size_t n, std::int64_t least) {
        const auto margin = static_cast<std::size_t>(
            std::min(std::max(least, std::int64_t{1}), static_cast<std::int64_t>(n)));
        first = margin - 1;
        end = n - margin;
    }
};

} // namespace deciduous
