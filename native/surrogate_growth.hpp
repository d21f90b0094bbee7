// A whole tree under missing="surrogates", grown depth first in one call. Its twin is the loop of
// grow/grower.py followed by prune/complexity.py: here a node is tried only if what its left neighbour came
// to leaves a split worth making, so that fewer are searched for the same tree.
#pragma once

#include "growth.hpp"
#include "surrogate_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deciduous {

/// What wrong answers cost: the twin of grow/risk.py.
struct Costing {
    std::vector<double> factor, loss; // prior / share of each class; a line a true class
    double shrink = 0.0;
};

struct SurrogateGrowth {
    std::int64_t max_depth = INT64_MAX, min_samples_split = 2, min_samples_leaf = 1;
    double cp = 0.0;           // the least drop of risk, as a share of the root's
    double alpha = -1.0;       // the same in units of risk, if it is not negative
    double tie = 0.0;          // scores of less than this share of the best one above are next to nothing
    std::vector<double> costs; // of the columns
    Ask ask;
    std::int64_t recorded_nodes = 0; // trees of up to so many nodes keep what was found in them
};

/// What is known of a node before its split is looked for.
struct NodeOfRows {
    SurrogateNode rows; // with its risk
    double weight = 0.0, value = 0.0, impurity = 0.0;
    std::vector<double> classes;
    bool pure = false;
};

/// A node of the finished tree.
struct GrownNode {
    NodeOfRows own;
    std::int64_t parent = -1, first_child = -1, depth = 0, column = -1;
    double complexity = 0.0;
    Reason reason = Reason::split;
    FirstSplit split;
    SurrogatesOfNode surrogates;
    std::vector<FirstSplit> found; // of every column, if it was searched and that is recorded

    // While growing: the most that its subtree may save, the best score so far on the way to it, and the risk
    // and the number of splits of its subtree.
    double limit = 0.0, best_score = 0.0, subtree_risk = 0.0;
    std::int64_t subtree_splits = 0;
    bool divided = false; // the columns too
};

/// Grows a tree on all rows; the nodes are in the order of the levels, children together.
std::vector<GrownNode> grow(SurrogateRows &rows, const Costing &costing, const SurrogateGrowth &growth,
                            const Poll &poll);

} // namespace deciduous
