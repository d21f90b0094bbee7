// Routing rows down a tree. Its NumPy twin, the specification, is kernels/reference.py.
#pragma once

#include "question.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace deciduous {

/// Borrowed flat arrays, one element a node; node 0 is the root.
struct Tree {
    std::span<const std::int32_t> first_child; // negative: the node is a leaf
    std::span<const std::int32_t> n_branches;
    std::span<const std::int32_t> feature;
    std::span<const std::uint8_t> kind;
    std::span<const double> threshold;
    std::span<const std::int64_t> category_start; // one element more than there are nodes
    std::span<const std::int32_t> category_branch;
    std::span<const double> share; // of the parent's missing cells
};

/// Where rows ended. As a rule every row is whole: `nodes` then has one element a row. Else `parts` has the
/// entries of all rows, in order of (row, node), three vectors of one length.
struct Ends {
    struct Parts {
        std::vector<std::int64_t> rows;
        std::vector<std::int32_t> nodes;
        std::vector<double> weights;
    };
    std::unique_ptr<std::int32_t[]> nodes;
    std::optional<Parts> parts;
    bool infinite = false; // whether a column of numbers that the tree asks for holds an infinity
};

/// Throws std::invalid_argument unless `route` can follow the tree without leaving any array.
void check(const Tree &tree, std::span<const Column> columns);

/// Routes rows 0 .. n_rows-1 from the root; the tree and columns must have passed `check`. The result is the
/// same for any number of threads; small tables are left to one.
Ends route(const Tree &tree, bool unseen_as_missing, std::span<const Column> columns, std::int64_t n_rows,
           std::size_t n_threads);

} // namespace deciduous
