// Sending the rows of a node down what may take its place. The NumPy twin, the specification, is
// kernels/reference.py.
#pragma once

#include "route.hpp"

namespace deciduous {

/// A tree in which node i asks the question that is stored at `question[i]`.
struct Rearranged {
    Tree tree; // threshold, feature, kind and categories by question; the rest by node
    std::span<const std::int32_t> question;
};

/// The nodes at and below the first, how many entries came to each, and the entries that ended, leaf after
/// leaf.
struct Redistributed {
    std::vector<std::int32_t> nodes;
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> rows;
    std::vector<double> weights;
};

/// Sends entries into the node `start`. `by_known`: shares of missing cells are formed anew from the known
/// entries. Throws std::invalid_argument where the tree would lead out of an array, or `n_rows` says that a
/// row is not there.
Redistributed redistribute(std::int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, std::int64_t n_rows,
                           std::span<const std::int64_t> rows, std::span<const double> weights);

} // namespace deciduous
