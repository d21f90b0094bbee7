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

/// Rows of a table, and the weight with which each comes.
struct Arriving {
    std::span<const std::int64_t> rows;
    std::span<const double> weights;
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
/// entries. Throws std::invalid_argument where the tree would lead out of an array, or a row is not there.
Redistributed redistribute(std::int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, std::int64_t n_rows, const Arriving &arriving);

/// The leaves below a node, and the weights of the classes in each, leaf after leaf.
struct WeighedLeaves {
    std::vector<std::int32_t> leaves;
    std::vector<double> class_weights;
};

/// What the leaves would weigh after `redistribute`. `codes`: the class of each row, below `n_classes`.
WeighedLeaves weigh_leaves(std::int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, std::span<const std::int32_t> codes,
                           std::int32_t n_classes, const Arriving &arriving);

} // namespace deciduous
