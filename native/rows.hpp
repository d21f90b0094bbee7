// Training rows in memory: sorted once, then divided node by node. Their NumPy twin is grow/rows.py.
#pragma once

#include "route.hpp"
#include "scan.hpp"

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

/// What a node knows of its rows; numbers are scanned as (y - centre) / scale.
struct Summary {
    std::int64_t rows = 0;
    double weight = 0.0;
    double mean = 0.0;
    double variance = 0.0; // of the scanned numbers
    double centre = 0.0;
    double scale = 1.0;
    bool pure = true;
    std::vector<double> classes; // weights
};

/// A question and its branches, as `route.hpp` reads them.
struct Question {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    std::int32_t n_branches = 2;
    std::int32_t missing_branch = -1; // where missing cells go
    std::span<const std::int32_t> branch_of_code;
};

/// The best thresholds of ordered features in nodes, an element for every (node, feature).
struct Thresholds {
    std::vector<double> gain;         // -infinity: there is none
    std::vector<double> low, high;    // the neighbours of the cut
    std::vector<double> left, right;  // the weights of the two branches
    std::vector<std::uint8_t> place;  // of the missing rows, a `Place`
    std::vector<std::int64_t> tried;  // candidates that the limits allow
    std::vector<std::int64_t> values; // different known values, where there is no candidate
    // On request, per (node, feature): three branches, then the rows whose cell is missing.
    std::vector<double> tables;
    std::vector<std::int64_t> counts;
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
         std::span<const std::int64_t> rows, std::size_t n_threads);
    ~Rows();
    Rows(const Rows &) = delete;
    Rows &operator=(const Rows &) = delete;

    Summary root() const;

    /// Divides nodes: the summaries of all branches, in order. The rows stay where they are until `keep`.
    std::vector<Summary> divide(std::span<const Segment> nodes, std::span<const Question> questions);

    /// Moves the rows of the branches to be kept together; `kept` has an element a branch of the last
    /// `divide`.
    std::vector<Segment> keep(std::span<const std::uint8_t> kept);

    /// The best threshold for every node and ordered feature (in order of feature).
    /// `classes`: the class weights of the nodes, a line each.
    Thresholds best_thresholds(std::span<const Segment> nodes, std::span<const Summary> summaries,
                               std::span<const double> classes, std::span<const double> bands,
                               const Rule &rule, bool tables);

    /// The contingency table of a nominal feature in a node.
    Contingency contingency(const Segment &node, const Summary &summary, std::int32_t feature) const;

    std::size_t n_rows() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace deciduous
