// Training rows in memory: sorted once, then divided node by node. Their NumPy twin is grow/rows.py.
#pragma once

#include "deviations.hpp"
#include "route.hpp"
#include "scan.hpp"
#include "threads.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace deciduous {

/// The rows of one node: the same range of every array.
struct Segment {
    std::int64_t start = 0;
    std::int64_t size = 0;
};

/// What nodes know of their rows, an element (of `classes` a line) a node; numbers are scanned as
/// (y - centre) / scale.
struct Summaries {
    std::vector<std::int64_t> rows;
    std::vector<double> weight, classes;
    std::vector<double> value, impurity; // of numbers: what a node answers; of the scanned numbers
    std::vector<double> centre, scale;
    std::vector<std::uint8_t> pure;
};

/// A question and its branches, as `question.hpp` reads them.
struct Question {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    std::int32_t n_branches = 2;
    std::int32_t missing_branch = -1; // where missing cells go; of rows in parts: -1
    std::span<const std::int32_t> branch_of_code;
    std::span<const double> shares; // of rows in parts: of the missing cells, by branch
    std::int64_t index = -1; // of a threshold just found: the known records on its left; -1: cells are read
};

/// What a search needs of numbers: the sums of w, w * y, w * y^2 of each node as they are scanned, and about
/// the median the sum of the weighted distances from it.
struct NodeSums {
    std::vector<double> moments, errors;
};

/// The nodes of a search, borrowed: an element (of `classes` a line) a node.
struct Batch {
    std::span<const Segment> nodes;
    std::span<const double> weight, centre, scale, band, classes;
    // What nodes have from above, where an option asks for it: the key of their random choices, and the
    // bounds of their answers, in units of the scanned numbers.
    std::span<const std::uint64_t> key;
    std::span<const double> low, high;
    const NodeSums *sums = nullptr; // of numbers
    double bar = -HUGE_VAL;         // what another column gains already: less is as good as nothing
    bool only_winners = false;      // columns compete by gain alone; nothing else is asked of the others
};

/// The best split of a column in a node; `leaf`: there is none.
struct Found {
    double gain = -HUGE_VAL;
    double information = 0.0; // of the split
    std::int64_t index = 0;   // of a threshold: among the known records of the node
    SplitKind kind = SplitKind::leaf;
    std::int32_t missing_branch = -1; // where missing rows were counted
    bool exact = true;                // no heuristic looked for it
    std::int64_t tried = 0;           // rivals among thresholds, where it pays for their number
};

/// What else is to be known of it.
struct Description {
    double low = 0.0, high = 0.0; // of a threshold: the neighbouring values
    std::vector<double> weights;  // of the branches
    std::vector<std::int32_t> category_branch;
    // For the record of the search, on request:
    std::int64_t tried = 0;   // candidates that the limits allow
    std::int64_t values = -1; // different known values; -1: not looked at
    std::int64_t missing_rows = 0;
    std::vector<double> lines, missing; // the sums of the branches, and of the missing rows

    /// The middle of the neighbouring values, never as large as the greater one. Its twin is
    /// search/thresholds.py.
    double threshold() const {
        const double middle = std::isfinite(high - low) ? low + (high - low) / 2 : low / 2 + high / 2;
        return low <= middle && middle < high ? middle : low;
    }
};

struct Growth;
struct GrownTree;

class Rows {
public:
    struct Target {
        std::span<const std::int32_t> classes; // empty: numbers
        std::span<const double> numbers;
        std::span<const double> weights; // empty: all 1
        std::int32_t n_classes = 0;
        About about = About::mean;
    };

    /// `rows`: those that take part, increasing. `n_categories[f]`: 0 for an ordered feature. Absent columns
    /// are passed over. `max_bins`: ordered features with more values are searched in bins; 0: never.
    /// `in_parts`: a row goes, in parts, to every branch that has a share of the missing cells.
    Rows(std::vector<Column> columns, std::vector<std::int32_t> n_categories, const Target &target,
         std::span<const std::int64_t> rows, std::size_t max_bins, bool in_parts, std::size_t n_threads,
         Poll poll);
    ~Rows();
    Rows(const Rows &) = delete;
    Rows &operator=(const Rows &) = delete;

    Summaries root();

    /// Divides nodes: the summaries of all branches, in order. The rows stay where they are until `keep`.
    Summaries divide(std::span<const Segment> nodes, std::span<const Question> questions);

    /// Moves the rows of the branches to be kept together; `kept` has an element a branch of the last
    /// `divide`.
    std::vector<Segment> keep(std::span<const std::uint8_t> kept);

    /// Rows in parts lie in blocks, one for every `keep`; whole rows are one block, 0. Nodes of the current
    /// block can be searched and divided. Throws std::invalid_argument if a block has no waiting nodes.
    std::int64_t block() const;
    void take_back(std::int64_t block);
    /// The rows of so many nodes of a block are not needed any more.
    void let_go(std::int64_t block, std::int64_t n_nodes);

    /// The best split for every (column that may be asked for, node): of a column, one node after the other.
    /// `tables`: describes them at once, with contingency tables.
    std::vector<Found> best_splits(const Batch &batch, const Rule &rule, bool tables);

    /// Describes some of the splits, (node, column) each, that were `found` in the batch last searched.
    std::vector<Description> describe(const Batch &batch, const Rule &rule,
                                      std::span<const std::pair<std::size_t, std::size_t>> chosen,
                                      std::span<const Found> found);

    /// The descriptions of a search with tables, in order of (column, node); they are then gone from here.
    std::vector<Description> take_descriptions();

    /// Grows a whole tree; see growth.hpp.
    GrownTree grow(const Rule &rule, const Growth &growth);

    /// How long the arrays are that segments are ranges of.
    std::size_t n_positions() const;
    std::size_t n_asked() const;

private:
    struct State;
    class Grower;
    std::unique_ptr<State> state_;
};

} // namespace deciduous
