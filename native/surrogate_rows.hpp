// Training rows under missing="surrogates": the first strictly best split of a column, surrogates for it, and
// rows divided by both. Their NumPy twin, the specification, is grow/surrogate_rows.py with search/first.py
// and search/surrogates.py; sums are taken in the same order, so that ties fall alike.
#pragma once

#include "surrogate_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
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

/// How the sides of a split are rated: what each class counts, and the numbers that order the classes.
struct Rater {
    Rating rating = Rating::gini;
    std::vector<double> factor, places;

    /// The impurity of all rows, of classes; nothing else is needed before the sides are rated.
    double before(const double *total) const;
    /// See `improvement` in search/first.py. `left` and `total`: class weights, or weight and sum.
    double improvement(const double *left, const double *total, double before, double risk) const;
    /// Of classes under Gini: whether a division is worse than the best so far by more than rounding can
    /// tell, by a formula with fewer divisions: A sum g(p) = A - (sum of squares) / A.
    bool hopeless(const double *left, const double *total, double before, double best) const;
    /// The mean target of a set of rows: the smaller one is called left.
    double mean_of(const double *sums) const;
    bool of_classes() const { return rating == Rating::gini || rating == Rating::entropy; }
};

/// The middle of two numbers, as an average where that is in range; and the largest number below it, except
/// between places of categories.
double cut_between(double low, double high, bool whole);

class SurrogateRows {
public:
    using Feature = SurrogateTable::Feature;

    /// `rows`: some of those that the table was sorted for, increasing.
    SurrogateRows(std::shared_ptr<const SurrogateTable> table, Rater rater,
                  std::span<const std::int64_t> rows, std::size_t n_threads, Poll poll);

    const SurrogateTable &table() const { return *table_; }
    const Rater &rater() const { return rater_; }
    std::size_t n_rows() const { return base_.size(); }
    std::size_t n_asked() const { return table_->features.size(); }

    /// The best split of every (node, column that may be asked for), node after node.
    std::vector<FirstSplit> best_splits(std::span<const SurrogateNode> nodes, std::int64_t least) const;

    /// The surrogates of the splits of nodes; decides where every row goes.
    std::vector<SurrogatesOfNode> surrogates(std::span<const SurrogateNode> nodes,
                                             std::span<const TwoWay> questions, const Ask &ask);

    /// Divides nodes as `surrogates` decided; returns the sizes of the two branches of each. The first begins
    /// where the node does, the second behind it.
    std::vector<std::size_t> divide(std::span<const SurrogateNode> nodes);

    // The two halves of `divide`, for a source that may do without the second.
    std::pair<std::size_t, std::size_t> divide_rows(const SurrogateNode &node);
    void divide_columns(std::span<const SurrogateNode> nodes);

    /// The rows of a range, in order.
    std::span<const std::uint32_t> rows_of(std::size_t start, std::size_t size) const {
        return std::span(base_).subspan(start, size);
    }

private:
    /// One column in one node: the rows that know it in its order, then the others.
    struct Ordered {
        const Feature &feature;
        std::span<const OrderedRow> known, missing;
    };

    Ordered ordered(std::size_t f, const SurrogateNode &node) const;
    std::size_t threads_for(std::size_t n_rows) const;
    std::size_t line() const { return table_->has_classes() ? table_->n_classes : 3; }
    /// Whether rows of two classes need only be counted.
    bool counts() const {
        return table_->n_classes == 2 && table_->unit_weight && rater_.rating == Rating::gini;
    }
    /// Whether rows and classes all count 1.
    bool counts_all() const {
        return table_->unit_weight &&
               std::all_of(rater_.factor.begin(), rater_.factor.end(), [](double f) { return f == 1.0; });
    }
    FirstSplit best_cut(const Ordered &column, const SurrogateNode &node, std::uint32_t second,
                        std::int64_t least) const;
    template <typename Scorer>
    void scan(Scorer scorer, const Ordered &column, std::int64_t least, FirstSplit &best,
              const SurrogateNode &node) const;
    void best_of_two_classes(const Ordered &column, const SurrogateNode &node, std::uint32_t second,
                             std::int64_t least, FirstSplit &best) const;
    void best_of_squares(const Ordered &column, const SurrogateNode &node, std::int64_t least,
                         FirstSplit &best) const;
    template <typename Scorer>
    void scan_boxes(Scorer scorer, const Ordered &column, std::int64_t least, FirstSplit &best,
                    const SurrogateNode &node) const;
    static std::pair<std::size_t, std::size_t> cuts_of(const Ordered &column, std::int64_t least);
    bool take_cut(std::size_t at, const Ordered &column, FirstSplit &best) const;
    FirstSplit best_division(const Feature &feature, const SurrogateNode &node,
                             std::span<const double> numbers, std::int64_t least) const;
    std::vector<std::uint32_t> place(const SurrogateNode &node, const TwoWay &question);
    std::vector<double> sums_of_branches(std::span<const std::uint32_t> known) const;
    void ask(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found);
    SurrogateSplit surrogate(std::size_t f, const SurrogateNode &node, double left, double right,
                             int style) const;
    SurrogateSplit by_threshold(const Ordered &column, double &left, double &right) const;
    SurrogateSplit by_category(const Feature &feature, const SurrogateNode &node, double &left, double &right,
                               bool right_is_heavier) const;
    void send(const SurrogateNode &node, SurrogatesOfNode &found, int use);
    std::int32_t sent(const SurrogateSplit &split, std::uint32_t row) const;

    std::shared_ptr<const SurrogateTable> table_;
    Rater rater_;
    std::vector<std::uint32_t> base_;            // the rows of each node, increasing
    std::vector<std::vector<OrderedRow>> order_; // of each ordered feature, node by node
    std::vector<std::int8_t> side_;   // of each row by the primary split: 1 left, -1 right, 0 not known
    std::vector<std::int8_t> branch_; // where each row goes; vector loads may read some behind the last one
    std::size_t n_threads_ = 1;
    Poll poll_;
};

} // namespace deciduous
