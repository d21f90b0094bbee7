// How well the cuts of an ordered column agree with the sides of a primary split.
#pragma once

#include "surrogate_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace deciduous {

/// The best of the cuts: at each, low cells are first sent right, then left.
struct BestCut {
    double agreeing = 0.0;
    std::size_t at = 0;
    std::int8_t below = 0; // where low cells go: 0 left, 1 right
};

/// Finds the best cut of the rows that know a column, in its order, if one agrees better than sending all to
/// the heavier side. `side`: by position, 1 left, -1 right, 0 not known; `weight`: by position, empty if all
/// rows weigh 1; `memory.starts`: which of the rows start a value; `both`: takes the weights of the rows of a
/// known side, left and right.
std::optional<BestCut> best_agreement(std::span<const OrderedRow> rows, const std::int8_t *side,
                                      std::span<const double> weight, double *both, SurrogateMemory &memory);

} // namespace deciduous
