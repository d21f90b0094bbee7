// Divisions of items into two sets, 1 = left: which of them is called left, and those that are drawn at
// random.
#pragma once

#include "scan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// What a division is drawn from: the codes of the categories that are there, and the key of the column.
struct Drawing {
    std::span<const std::int32_t> codes;
    std::int32_t n_categories = 0;
    std::uint64_t key = 0;
};

/// Calls the smaller block left; of equal sizes, the one with the first item.
void smaller_block_left(std::vector<std::uint8_t> &left);

/// Draws a division of at least two categories as search/random_split.py does; with `places_missing` the
/// missing rows are the last item.
void draw_division(const Drawing &drawing, Nominal nominal, bool places_missing,
                   std::vector<std::uint8_t> &left);

/// The entropy in bits of the branches' weights; `apart`: of rows in none of them, which are one more branch.
double split_information(std::span<const double> weights, double apart);

} // namespace deciduous
