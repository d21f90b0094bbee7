// The rough pass of a threshold search over classes with weights: it rates cuts in single precision, eight at
// a time. Exact arithmetic then decides among the best, so that nothing depends on which instructions were
// used here.
#pragma once

#include "records.hpp"
#include "scan.hpp"
#include "screen.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// What a rough pass finds, and the memory for it.
struct RoughCuts {
    std::vector<float> ratings; // by record: of the cut before it; -inf: there is none
    std::vector<float> best;    // of each block of records
    std::vector<double> before; // of each block: the class weights on the left side
    std::int64_t n_cuts = 0;
    double slack = 0.0; // no rating is farther than this from what it stands for
};

/// Rates the cuts in [range.first, range.last): the purity (`purity` of scan.hpp) of both sides, divided by
/// their weight. `weights`: by row; null: all 1; `left`: class weights before the first record; `both`: of
/// both sides. Vector loads may read past the records.
template <typename R>
void rate_cuts(Measure measure, const R *records, const Packing<R> &packing, const double *weights,
               const Range &range, std::span<const double> left, std::span<const double> both,
               RoughCuts &found);

} // namespace deciduous
