// Training rows in memory: sorted once, then divided node by node. Their NumPy twin is grow/rows.py.
#pragma once

#include "route.hpp"
#include "scan.hpp"
#include "threads.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
    std::vector<double> centre, scale, variance; // of the scanned numbers; the centre is the mean
    std::vector<std::uint8_t> pure;
};

/// A question and its branches, as `question.hpp` reads them.
struct Question {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    std::int32_t n_branches = 2;
    std::int32_t missing_branch = -1; // where missing cells go
    std::span<const std::int32_t> branch_of_code;
};

/// The nodes of a search, borrowed: an element (of `classes` a line) a node.
struct Batch {
    std::span<const Segment> nodes;
    std::span<const double> weight, centre, scale, band, classes;
};

/// The best cuts of the ordered features: an element for every (node, ordered feature).
struct Cuts {
    std::vector<double> gain;        // -infinity: there is none
    std::vector<double> information; // of the split
    std::vector<std::int64_t> index; // among the known records of the node
    std::vector<std::uint8_t> place; // of the missing rows, a `Place`
    // For the record of the search, on request: candidates that the limits allow, different known values; the
    // sums of the branches left and right, of the missing rows' own branch, of the missing rows, and their
    // rows.
    std::vector<std::int64_t> tried, values, counts;
    std::vector<double> tables;
};

/// Cuts to be described, borrowed: the node in its batch, the ordered feature, and what `best_cuts` said.
struct Chosen {
    std::span<const std::int64_t> node, feature, index;
    std::span<const std::uint8_t> place;
};

/// The sides of cuts: the neighbouring values, and the weights of the branches; `own`: that of missing rows.
struct Sides {
    std::vector<double> low, high, left, right, own;
};

/// The contingency table of a nominal feature in a node; line 0 is that of the missing cells.
struct Contingency {
    std::vector<double> table;
    std::vector<std::int64_t> counts;
};

class Rows {
public:
    struct Target {
        std::span<const std::int32_t> classes; // empty: numbers
        std::span<const double> numbers;
        std::span<const double> weights; // empty: all 1
        std::int32_t n_classes = 0;
    };

    /// `rows`: those that take part, increasing. `n_categories[f]`: 0 for an ordered feature. Absent columns
    /// are passed over.
    Rows(std::vector<Column> columns, std::vector<std::int32_t> n_categories, const Target &target,
         std::span<const std::int64_t> rows, std::size_t n_threads, Poll poll);
    ~Rows();
    Rows(const Rows &) = delete;
    Rows &operator=(const Rows &) = delete;

    Summaries root();

    /// Divides nodes: the summaries of all branches, in order. The rows stay where they are until `keep`.
    Summaries divide(std::span<const Segment> nodes, std::span<const Question> questions);

    /// Moves the rows of the branches to be kept together; `kept` has an element a branch of the last
    /// `divide`.
    std::vector<Segment> keep(std::span<const std::uint8_t> kept);

    /// The best cut for every node and ordered feature (in order of feature).
    Cuts best_cuts(const Batch &batch, const Rule &rule, bool tables);

    /// Describes cuts of the batch that was last searched.
    Sides describe(const Batch &batch, const Rule &rule, const Chosen &chosen);

    /// The contingency table of a nominal feature in a node.
    Contingency contingency(const Segment &node, double centre, double scale, std::int32_t feature) const;

    std::size_t n_rows() const;
    std::size_t n_ordered() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace deciduous
