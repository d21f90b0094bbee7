// What the searches of a node share.
#pragma once

#include "scan.hpp"
#include "screen.hpp"
#include "weighted.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// What a search needs of a node besides the records of the feature.
struct NodeTarget {
    std::span<const double> totals;       // class weights, or the sums of w, w * y, w * y^2
    double weight = 0.0;                  // of all rows
    double band = 0.0;                    // gains within it are tied
    double bar = -HUGE_VAL;               // gains below it are as good as none
    const double *weights = nullptr;      // by row; null: all 1
    const double *numbers = nullptr;      // by row, as they are scanned; null: classes
    const float *rough_numbers = nullptr; // the same in single precision, for the first pass
    // For searches about the median: the rank of each row's number (null: the rows are in order of it), the
    // numbers and weights in order, and the sum of the weighted distances from the median.
    const std::uint32_t *ranks = nullptr;
    const double *sorted = nullptr, *sorted_weights = nullptr;
    double error = 0.0;

    std::uint32_t rank(std::uint32_t row) const { return ranks ? ranks[row] : row; }
};

/// Memory that the searches of one thread share.
struct SearchScratch {
    std::vector<double> left, right, both, known, missing;
    std::vector<std::uint32_t> left_counts, all_counts;
    FirstBest best, to_left, to_right;
    ScreenScratch screen;
    RoughCuts rough; // of classes with weights
    explicit SearchScratch(std::size_t width)
        : left(width), right(width), both(width), known(width), missing(width), left_counts(width),
          all_counts(width) {}
};

} // namespace deciduous
