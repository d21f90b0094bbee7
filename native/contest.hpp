// The choice between columns that compete by C4.5's rules. Its NumPy twin is search/choose.py, with the
// numbers and flags of search/conventions.py.
#pragma once

#include "rows.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// How columns compete, and which nodes do not come to it.
struct Contest {
    bool ratio = false, guard = false, zero_gain = false;
    bool in_turn = false; // a later column wins if it is better by more than the band than the kept one
    bool numbers_need_gain = false; // a threshold without gain is no candidate
    double band = -1.0;             // of gains and ratios; negative: a share of the impurity, and `tie`
    double tie = 0.0;
    double guard_slack = -1.0; // negative: the band
    double least_gain = -HUGE_VAL, least_information = 0.0;
    double least_score = std::nan(""); // NaN: a gain is asked for, as `zero_gain` says
    double nothing = 0.0;              // a smaller weight is none
    double least_weight = 0.0;         // a lighter node has no candidate
    std::vector<std::uint8_t> counts;  // by column: whether it enters the average; empty: all do
};

/// The best splits of the columns of one node: `found[j * stride]` is that of column j.
struct Rivals {
    std::span<const Found> found;
    std::size_t n = 0, stride = 1;

    const Found &operator[](std::size_t column) const { return found[column * stride]; }
};

/// Returns the winning column, or -1. `pays`: thresholds pay for the number of their rivals; `weight`: of the
/// node; `band`: gains within it are tied; `min_gain`: of the scanned numbers, 0 for none.
std::int64_t winner_of(const Contest &contest, const Rivals &rivals, bool pays, double weight, double band,
                       double min_gain);

} // namespace deciduous
