// A whole tree under missing="surrogates", grown in one call. Its twin is the loop of grow/grower.py followed
// by prune/complexity.py: nodes are tried within limits that are known from above; which of the splits are
// worth it depends on what neighbours came to, and is decided when all are there.
//
// Large nodes are split level by level, with the threads over their columns; then each small node with all
// that lies below it is grown by one thread, while its rows are in the cache.
#pragma once

#include "growth.hpp"
#include "surrogate_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What the rows of a range come to: the twin of `SurrogateRows._nodes` in grow/surrogate_rows.py. `overall`:
/// the rate of the root, which is asked about without.
NodeOfRows summary(const SurrogateRows &rows, const Costing &costing, std::optional<double> overall,
                   std::size_t start, std::size_t size);

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
};

/// The number of the child that has the smaller target (which = 0), or of the other one.
inline std::size_t child_of(const GrownNode &node, int which) {
    return static_cast<std::size_t>(node.first_child + (node.surrogates.left ^ which));
}

/// Finds the complexity of a node whose children are settled; returns whether its split is worth it.
bool settle(std::vector<GrownNode> &nodes, std::size_t number, double alpha);

/// Decides which splits are worth it, each node within the limit that what its left neighbour came to leaves;
/// nodes are leaves below.
void keep_worthy(std::vector<GrownNode> &nodes, double alpha);

/// Grows a tree on all rows; the nodes are in the order of the levels, children together.
std::vector<GrownNode> grow(SurrogateRows &rows, const Costing &costing, const SurrogateGrowth &growth);

} // namespace deciduous
