// The first, rough pass of a threshold search: which blocks of records may hold the best cut. Exact
// arithmetic then decides among them, so that nothing depends on which instructions were used here.
#pragma once

#include "records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// Blocks of this many records are kept or passed over as a whole.
constexpr std::int64_t block_size = 64;

/// Memory for one search.
struct ScreenScratch {
    std::vector<float> best;             // of each block
    std::vector<std::uint32_t> classes;  // of each block: the left side's count of every class
    std::vector<double> sums, sums_back; // of blocks, for numbers: see `sum_to_block`
};

/// What the gain of a cut is made of, for rows of unit weight: with i of n rows on the left side and t_c the
/// excess of class c there over its share, gini gains sum_c t_c^2 / (i (n - i)); numbers gain t^2 / (i (n -
/// i)) with t the sum of y - mean.
struct Range {
    std::int64_t first = 0, last = 0; // records before which a cut may lie: [first, last)
    std::int64_t offset = 0;          // rows on the left side besides the records: missing ones
    std::int64_t n = 0;               // on both sides
};

/// Whether `screen_classes` can work with so many classes here.
bool can_screen(std::size_t n_classes);

/// Rates every block of the range by the gini gain of its best cut. `left`: class counts before record
/// `first`; `all`: those of both sides. Returns what the best rating must be lowered by to make up for
/// rounding.
float screen_classes(const std::uint32_t *records, const Packing<std::uint32_t> &packing, const Range &range,
                     std::span<const std::uint32_t> left, std::span<const std::uint32_t> all,
                     ScreenScratch &scratch);

/// Rates every block of the range by the drop in squared error of its best cut. `y`: the numbers in single
/// precision, none above 2; `left`: the sum of y - mean before record `first`; `right`: that before record
/// `last`.
template <typename R>
float screen_numbers(const R *records, const Packing<R> &packing, const Range &range, const float *y,
                     double mean, double left, double right, ScreenScratch &scratch);

/// The sum of y - mean before a block, from numbers in double precision. `scratch.sums` and `sums_back` begin
/// with what it is before the first block and after the last one, and keep what was worked out from there.
template <typename R>
double sum_to_block(std::size_t block, const R *records, const Packing<R> &packing, const Range &range,
                    const double *y, double mean, ScreenScratch &scratch);

} // namespace deciduous
