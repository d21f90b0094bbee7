// Training rows under missing="surrogates": the first strictly best split of a column, surrogates for it, and
// rows divided by both. Their NumPy twin, the specification, is grow/surrogate_rows.py with search/first.py
// and search/surrogates.py; sums are taken in the same order, so that ties fall alike.
#pragma once

#include "question.hpp"
#include "threads.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

enum class Rating : std::uint8_t { gini, entropy, squares, rates };

/// The rows of a node: the same range of every array, and what its search needs to know of it.
struct SurrogateNode {
    std::size_t start = 0, size = 0;
    double risk = 1.0, centre = 0.0, scale = 1.0;
};

/// The first strictly best split of a column in a node.
struct FirstSplit {
    double improvement = -HUGE_VAL;
    SplitKind kind = SplitKind::leaf; // leaf: there is none
    double threshold = 0.0;
    std::int64_t known = 0, tried = 0;
    bool constant = false, exact = true;
    std::vector<std::int32_t> category_branch;
    std::vector<double> sums; // three lines: the branches, and the rows whose cell is missing
};

/// A question with two branches, borrowed.
struct TwoWay {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    std::span<const std::int32_t> category_branch;
};

/// See `Surrogate` in model/surrogates.py.
struct SurrogateSplit {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::leaf; // leaf: there is none
    double threshold = 0.0;
    std::int8_t below = 0;
    std::vector<std::int32_t> category_branch;
    double agreement = 0.0, adjusted = 0.0;
    std::int64_t rows = 0;
};

/// The surrogates of a node, which branch is left, and which is heavier (-1: neither).
struct SurrogatesOfNode {
    std::int32_t left = 0, blind = -1;
    double weight[2] = {0.0, 0.0}; // of the known rows, on the left and on the right
    std::vector<SurrogateSplit> several;
};

/// How many surrogates to keep, how agreement is shared, and what surrogates do (0, 1, 2).
struct Ask {
    std::size_t most = 5;
    int style = 0, use = 2;
};

class SurrogateRows {
public:
    struct Target {
        std::span<const std::int32_t> classes; // empty: numbers
        std::span<const double> numbers;
        std::span<const double> weight, row_weight; // a target's, and a row's without its exposure
        std::span<const double> factor, places;     // of each class; places order them
        Rating rating = Rating::gini;
    };

    /// `rows`: those that take part, increasing. `n_categories[f]`: 0 for an ordered feature; absent columns
    /// are passed over.
    SurrogateRows(std::span<const Column> columns, std::span<const std::int32_t> n_categories,
                  const Target &target, std::span<const std::int64_t> rows, std::size_t n_threads, Poll poll);

    std::size_t n_rows() const { return rows_.size(); }
    std::size_t n_asked() const { return features_.size(); }

    /// The best split of every (node, column that may be asked for), node after node.
    std::vector<FirstSplit> best_splits(std::span<const SurrogateNode> nodes, std::int64_t least) const;

    /// The surrogates of the splits of nodes; decides where every row goes.
    std::vector<SurrogatesOfNode> surrogates(std::span<const SurrogateNode> nodes,
                                             std::span<const TwoWay> questions, const Ask &ask);

    /// Divides nodes as `surrogates` decided; returns the sizes of the two branches of each. The first begins
    /// where the node does, the second behind it.
    std::vector<std::size_t> divide(std::span<const SurrogateNode> nodes);

    /// The rows of a range, in order.
    std::vector<std::int64_t> rows_of(std::size_t start, std::size_t size) const;

private:
    struct Feature {
        std::int32_t column = 0, n_categories = 0;
        bool whole = false;               // places of ordered categories instead of numbers
        std::vector<std::int32_t> codes;  // by row, of categories
        std::vector<double> numbers;      // by row, of ordered cells; NaN: missing
        std::vector<double> sorted;       // the numbers of each node in order, missing ones last
        std::vector<std::uint32_t> order; // their rows
    };

    std::size_t width() const { return classes_.empty() ? 2 : factor_.size(); }
    void add(double *sums, std::uint32_t row, double mean) const;
    double improvement(const double *left, const double *total, double before, double risk) const;
    double before(const double *total) const;
    bool hopeless(const double *left, const double *total, double before, double best) const;
    double mean_of(const double *sums) const;
    double mean_target(std::span<const std::uint32_t> rows) const;
    FirstSplit first_split(const Feature &feature, const SurrogateNode &node, std::int64_t least) const;
    FirstSplit best_cut(const Feature &feature, const SurrogateNode &node, std::int64_t least) const;
    FirstSplit best_division(const Feature &feature, const SurrogateNode &node, std::int64_t least) const;
    void add_moments(double *sums, std::uint32_t row, const SurrogateNode &node) const;
    void ask(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found);
    SurrogateSplit surrogate(const Feature &feature, const SurrogateNode &node, double left, double right,
                             int style) const;
    SurrogateSplit by_threshold(const Feature &feature, const SurrogateNode &node, double &left,
                                double &right) const;
    SurrogateSplit by_category(const Feature &feature, const SurrogateNode &node, double &left, double &right,
                               bool right_is_heavier) const;
    void send(const SurrogateNode &node, SurrogatesOfNode &found, int use);
    std::int32_t sent(const SurrogateSplit &split, std::uint32_t row) const;
    std::size_t divide_feature(Feature &feature, const SurrogateNode &node, std::vector<double> &numbers,
                               std::vector<std::uint32_t> &rows) const;

    std::vector<std::int64_t> rows_;
    std::vector<std::uint32_t> base_; // the rows of each node, in order
    std::vector<std::int32_t> classes_;
    std::vector<double> numbers_, weight_, row_weight_, factor_, places_;
    std::vector<Feature> features_;
    std::vector<std::int32_t> place_; // of a column among the features; -1: not asked for
    std::vector<std::int8_t> side_;   // of each row by the primary split, 0 left, 1 right, -1 not known
    std::vector<std::int8_t> branch_; // where each row goes
    Rating rating_ = Rating::gini;
    std::size_t n_threads_ = 1;
    Poll poll_;
};

} // namespace deciduous
