// Routing rows down a tree that asks surrogates. Its NumPy twin, the specification, is kernels/reference.py.
#pragma once

#include "route.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// Borrowed flat arrays; see model/surrogates.py.
struct Surrogates {
    std::span<const std::int64_t> start; // one element more than there are nodes
    std::span<const std::int32_t> feature;
    std::span<const std::uint8_t> kind;
    std::span<const double> threshold;
    std::span<const std::int8_t> below;
    std::span<const std::int64_t> category_start; // one element more than there are surrogates
    std::span<const std::int32_t> category_branch;
};

/// Throws std::invalid_argument unless the walk can ask them without leaving any array.
void check(const Tree &tree, const Surrogates &surrogates, std::span<const Column> columns);

/// Where rows end, an element a row; `infinite` tells whether a number that may be asked for is infinite.
/// Both checks must have been passed. Rows are whole.
std::vector<std::int32_t> route(const Tree &tree, const Surrogates &surrogates, bool unseen_as_missing,
                                std::span<const Column> columns, std::int64_t n_rows, std::size_t n_threads,
                                bool &infinite);

} // namespace deciduous
