// Bins of neighbouring values: in binned mode a cut may lie only between two of them. Their NumPy twin is
// search/bins.py.
#pragma once

#include "sorting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// The least and the greatest value of every bin, in order; none where every value has a bin of its own.
struct Bins {
    std::vector<double> low, high;

    double low_of(double x) const { return low.empty() ? x : low[bin_of(x)]; }
    double high_of(double x) const { return low.empty() ? x : high[bin_of(x)]; }

private:
    std::size_t bin_of(double x) const {
        return static_cast<std::size_t>(std::upper_bound(low.begin(), low.end(), x) - low.begin()) - 1;
    }
};

/// Divides sorted cells with more than `max_bins` values into bins of about equally many rows, and lets only
/// the first cell of each start a value. `value(position)`: that of a cell.
template <typename Value>
Bins put_in_bins(std::span<std::uint64_t> cells, std::size_t max_bins, Value value) {
    constexpr std::uint64_t start = std::uint64_t{1} << 63;
    const auto starts = [](std::uint64_t cell) { return SortedCells::start(cell); };
    Bins bins;
    if (static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), starts)) <= max_bins)
        return bins;
    const std::uint64_t n = cells.size();
    std::uint64_t bin = max_bins; // of the last value: none yet
    for (std::size_t k = 0; k < cells.size();) {
        std::size_t end = k + 1;
        while (end < cells.size() && !SortedCells::start(cells[end]))
            ++end;
        const std::uint64_t here = max_bins * (k + end) / (2 * n); // the middle of the value's rows
        const double x = value(SortedCells::position(cells[k]));
        if (here != bin) {
            bins.low.push_back(x);
            bins.high.push_back(x);
        } else {
            cells[k] &= ~start;
            bins.high.back() = x;
        }
        bin = here;
        k = end;
    }
    return bins;
}

} // namespace deciduous
