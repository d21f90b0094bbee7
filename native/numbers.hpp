// The columns of numbers that a tree asks for: how they lie in memory, and whether they are finite.
#pragma once

#include "question.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace deciduous {

/// Columns of numbers. Where they are columns of one matrix that lies row by row,
/// cell (row, feature) is at `matrix[row * stride + feature]`; where each lies in one piece, it is at
/// `starts[feature][row]`.
struct Numbers {
    std::vector<const Column *> asked;
    std::vector<const double *> starts;
    const double *matrix = nullptr;
    std::ptrdiff_t stride = 0;
    std::ptrdiff_t first = 0, end = 0; // the features asked for lie in this range
};

inline Numbers numbers_of(std::span<const Column> columns, const std::vector<bool> &is_asked) {
    Numbers numbers;
    bool one_matrix = true, in_pieces = true;
    std::uintptr_t origin = 0;
    for (std::size_t f = 0; f < columns.size(); ++f) {
        if (!is_asked[f])
            continue;
        const auto place = reinterpret_cast<std::uintptr_t>(columns[f].cells) - f * sizeof(double);
        if (numbers.asked.empty()) {
            origin = place;
            numbers.stride = columns[f].stride;
            numbers.first = static_cast<std::ptrdiff_t>(f);
        }
        one_matrix &= place == origin && columns[f].stride == numbers.stride;
        in_pieces &= columns[f].stride == 1;
        numbers.end = static_cast<std::ptrdiff_t>(f) + 1;
        numbers.asked.push_back(&columns[f]);
    }
    if (!numbers.asked.empty() && one_matrix && numbers.stride > 1)
        numbers.matrix = reinterpret_cast<const double *>(origin);
    if (in_pieces)
        for (const Column &column : columns)
            numbers.starts.push_back(static_cast<const double *>(column.cells));
    return numbers;
}

inline bool any_infinite(const double *cells, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t lanes = 8; // maxima that the processor finds side by side; none takes up a NaN
    std::array<double, lanes> largest{};
    const auto meet = [&largest](std::ptrdiff_t lane, double x) {
        double &most = largest[static_cast<std::size_t>(lane)];
        most = std::fabs(x) > most ? std::fabs(x) : most;
    };
    std::ptrdiff_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::ptrdiff_t lane = 0; lane < lanes; ++lane)
            meet(lane, cells[i + lane]);
    for (; i < n; ++i)
        meet(0, cells[i]);
    return *std::max_element(largest.begin(), largest.end()) == std::numeric_limits<double>::infinity();
}

/// Whether rows first .. end-1 hold an infinity. It reads them in the order in which they lie, and so brings
/// them into the cache for the walk.
inline bool any_infinite(const Numbers &numbers, std::int64_t first, std::int64_t end) {
    if (first == end)
        return false;
    const std::ptrdiff_t width = numbers.end - numbers.first;
    if (numbers.matrix && width <= numbers.stride && numbers.stride < 4 * std::ssize(numbers.asked)) {
        const double *start = numbers.matrix + first * numbers.stride + numbers.first;
        if (!any_infinite(start, (end - first - 1) * numbers.stride + width))
            return false; // else it may be in a column that is not asked for
    }
    for (const Column *column : numbers.asked) {
        bool any = false;
        if (column->stride == 1)
            any = any_infinite(static_cast<const double *>(column->cells) + first, end - first);
        else
            for (std::int64_t row = first; row < end; ++row)
                any |= std::isinf(column->number(row));
        if (any)
            return true;
    }
    return false;
}

} // namespace deciduous
