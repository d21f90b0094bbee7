// A whole tree grown in one call. Its twin is the loop of grow/grower.py, with grow/stopping.py and
// search/choose.py; it knows what that loop does level by level where nodes take nothing from above.
#pragma once

#include "contest.hpp"
#include "rows.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace deciduous {

/// Why a node is a leaf; `split`: it is none. Its twin is `Reason` in model/tree.py.
enum class Reason : std::uint8_t {
    split,
    pure,
    max_depth,
    min_samples_split,
    min_impurity,
    no_candidate,
    no_gain,
    min_impurity_decrease,
    max_leaf_nodes,
    empty
};

/// What the loop must know besides the rule of the searches.
struct Growth {
    std::int64_t max_depth = INT64_MAX, min_samples_split = 2;
    double min_weight_fraction = 0.0, min_impurity_decrease = 0.0, min_gain = 0.0;
    bool zero_gain = false;
    double tie = 0.0;               // gains that differ by less than this share of the impurity are tied
    std::optional<Contest> contest; // where columns do not simply compete by gain
    // By column, increasing: thresholds are the largest of these not above the middle; empty: the middle.
    std::vector<std::span<const double>> training_values;
    // What was found is recorded in trees of up to so many nodes, whose tables hold up to so many cells.
    std::int64_t recorded_nodes = 0, recorded_cells = 0;
};

/// A tree, level by level, the children of a node together: arrays with an element (of `classes` a line) a
/// node, then a split; `branch_start` and `category_start` say where each split has its branches and
/// categories.
struct GrownTree {
    std::vector<std::int64_t> rows, parent;
    std::vector<double> weight, classes, value, impurity, centre, scale;
    std::vector<std::uint8_t> reason;

    std::vector<std::int64_t> first_child;
    std::vector<std::int32_t> column; // among those that may be asked for
    std::vector<std::uint8_t> kind, exact;
    std::vector<double> gain, threshold, branch_weight; // gains of the scanned numbers
    std::vector<std::int32_t> missing_branch, category_branch;
    std::vector<std::int64_t> branch_start, category_start;

    // The record: the nodes that were searched, and what was found in order of (column, node).
    bool recorded = false;
    std::vector<std::int64_t> searched;
    std::vector<Found> found;
    std::vector<Description> descriptions;
};

} // namespace deciduous
