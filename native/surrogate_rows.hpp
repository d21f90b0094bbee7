// Training rows under missing="surrogates": the first strictly best split of a column, surrogates for it, and
// rows divided by both. Their NumPy twin, the specification, is grow/surrogate_rows.py with search/first.py
// and search/surrogates.py; sums are taken in the same order, so that ties fall alike.
//
// The rows of a node lie together, in the order of the table, and all that is looked up by row is looked up
// by their positions there: what small nodes ask for stays in the cache.
#pragma once

#include "surrogate_table.hpp"

#include <algorithm>
#include <array>
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
    std::int64_t below = -1; // the known rows below the threshold
    std::int64_t known = 0, tried = 0;
    bool constant = false, exact = true;
    std::vector<std::int32_t> category_branch;
    std::vector<double> sums; // three lines: the branches, and the rows whose cell is missing

    /// Forgets all, but keeps the memory.
    void clear() {
        improvement = -HUGE_VAL;
        kind = SplitKind::leaf;
        threshold = 0.0;
        below = -1;
        known = tried = 0;
        constant = false;
        exact = true;
        category_branch.clear();
        sums.clear();
    }
};

/// A question with two branches, borrowed.
struct TwoWay {
    std::int32_t feature = 0;
    SplitKind kind = SplitKind::threshold;
    double threshold = 0.0;
    std::span<const std::int32_t> category_branch{};
    const FirstSplit *found = nullptr; // what the search found of every feature, if it was just made
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

/// What the search for best splits goes by: the least rows of a side, and what asking for each column costs.
struct SearchRule {
    std::int64_t least = 1;
    std::span<const double> costs{};
    /// Of each node the split of the best score is wanted: others may be passed over, and sums lack squares.
    bool only_best = false;
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
    /// Whether a division is worse than the best so far by more than rounding can tell, by a formula with few
    /// divisions: of classes under Gini A sum g(p) = A - (sum of squares) / A, of two and of squares none.
    bool hopeless(const double *left, const double *total, double before, double risk, double best) const;
    /// Whether `apart` is known.
    bool knows_most() const {
        return rating == Rating::squares || (rating == Rating::gini && factor.size() == 2);
    }
    /// What a set of rows adds to `before`, if every set has a branch of its own: the sum over all is no less
    /// than the improvement of any two sides.
    double apart(const double *sums, double risk) const;
    /// The mean target of a set of rows: the smaller one is called left.
    double mean_of(const double *sums) const;
    bool of_classes() const { return rating == Rating::gini || rating == Rating::entropy; }
};

/// What follows the new position of a row that moves.
constexpr std::uint32_t to_second = 1U << 31, to_nowhere = 1U << 30;

/// Divides the order of a column: the rows of the first branch come to its front, those of the second behind
/// them; returns how many there are. `moved`: by the number of a row, the new one, with what follows it.
/// `distinct`: see `SurrogateTable::Feature`.
std::array<std::size_t, 2> divide_order(std::span<OrderedRow> range, const std::uint32_t *moved,
                                        bool distinct, SurrogateMemory &memory);

/// The middle of two numbers, as an average where that is in range; and the largest number below it, except
/// between places of categories.
double cut_between(double low, double high, bool whole);

struct PackRows;

class SurrogateRows {
public:
    using Feature = SurrogateTable::Feature;
    using Pack = SurrogateTable::Pack;

    /// `rows`: some of those that the table was sorted for, increasing.
    SurrogateRows(std::shared_ptr<const SurrogateTable> table, Rater rater,
                  std::span<const std::int64_t> rows, std::size_t n_threads, Poll poll);
    SurrogateRows(const SurrogateRows &) = delete;
    SurrogateRows &operator=(const SurrogateRows &) = delete;
    ~SurrogateRows() { table_->leave(std::move(store_)); }

    const SurrogateTable &table() const { return *table_; }
    const Rater &rater() const { return rater_; }
    /// By position.
    const SurrogateTarget &target() const { return target_; }
    const SurrogateCrew &crew() const { return crew_; }
    std::size_t n_rows() const { return row_.size(); }
    std::size_t n_asked() const { return table_->features.size(); }

    /// Finds the best split of every (node, column that may be asked for), node after node.
    void best_splits(std::span<const SurrogateNode> nodes, const SearchRule &rule, const SurrogateCrew &crew,
                     std::vector<FirstSplit> &found) const;

    /// The surrogates of the splits of nodes; decides where every row goes.
    std::vector<SurrogatesOfNode> surrogates(std::span<const SurrogateNode> nodes,
                                             std::span<const TwoWay> questions, const Ask &ask,
                                             const SurrogateCrew &crew);

    /// Divides the rows of a node, with their targets, as `surrogates` decided; returns the sizes of its
    /// branches. The first begins where the node does, the second behind it.
    std::array<std::size_t, 2> divide_rows(const SurrogateNode &node, SurrogateMemory &memory);

    /// Divides some columns in the same way, once the rows of the node are divided.
    void divide_columns(std::size_t some, const SurrogateNode &node, SurrogateMemory &memory);
    std::size_t n_divisions() const { return ordered_.size() + table_->packs.size(); }

    /// The rows of a range, in order.
    std::span<const std::uint32_t> rows_of(std::size_t start, std::size_t size) const {
        return std::span(row_).subspan(start, size);
    }

private:
    /// One column in one node: the rows that know it in its order, then the others.
    struct Ordered {
        const Feature &feature;
        std::span<const OrderedRow> known, missing;
    };
    /// Columns that are searched together: ordered ones, or those of a pack.
    struct Part {
        std::vector<std::size_t> features;
        std::size_t pack = no_pack;
    };
    static constexpr std::size_t no_pack = SIZE_MAX;

    void order_of_rows(std::size_t f, SurrogateMemory &memory);
    void make_parts();
    /// `known`: how many rows know it, or -1.
    Ordered ordered(std::size_t f, const SurrogateNode &node, std::int64_t known = -1) const;
    /// Which of the rows that know a column start a value, a bit a row.
    static void find_starts(const Ordered &column, SurrogateMemory &memory);
    /// The cell of a row in the order of a column.
    double number_of(const Ordered &column, std::size_t at) const {
        return column.feature.number(row_[column.known[at].row()]);
    }
    std::span<const std::uint64_t> cells_of(std::size_t pack, const SurrogateNode &node) const {
        return std::span(packs_[pack]).subspan(node.start, node.size);
    }
    std::size_t line() const { return target_.has_classes() ? target_.n_classes : 3; }
    /// Whether rows of two classes need only be counted.
    bool counts() const {
        return target_.n_classes == 2 && target_.weight.empty() && rater_.rating == Rating::gini;
    }
    /// Whether rows and classes all count 1.
    bool counts_all() const {
        return target_.weight.empty() &&
               std::all_of(rater_.factor.begin(), rater_.factor.end(), [](double f) { return f == 1.0; });
    }

    // The search: surrogate_cuts.cpp, surrogate_counts.cpp, surrogate_squares.cpp, surrogate_divisions.cpp.
    // `found` has a place a feature; `best`: the best score so far, if nothing less need
    // be found; `floor`: the improvement that comes to it.
    void search(const Part &part, const SurrogateNode &node, const SearchRule &rule, double &best,
                FirstSplit *found, SurrogateMemory &memory) const;
    static bool begin_cut(const Ordered &column, FirstSplit &best);
    bool take_cut(std::size_t at, const Ordered &column, FirstSplit &best) const;
    void best_cut(const Ordered &column, const SurrogateNode &node, std::int64_t least, double floor,
                  FirstSplit &best, SurrogateMemory &memory) const;
    template <typename Scorer>
    void scan(Scorer scorer, const Ordered &column, std::int64_t least, FirstSplit &best,
              const SurrogateNode &node) const;
    void best_of_counts(const Ordered &column, std::int64_t least, double floor, FirstSplit &best,
                        SurrogateMemory &memory) const;
    void best_of_squares(const Part &part, const SurrogateNode &node, const SearchRule &rule, double best,
                         FirstSplit *found, SurrogateMemory &memory) const;
    void best_divisions(const Part &part, const SurrogateNode &node, const SearchRule &rule, double best,
                        FirstSplit *found, SurrogateMemory &memory) const;

    std::array<double, Pack::most_fields> tables_of(const PackRows &rows, bool only_best,
                                                    SurrogateMemory &memory) const;

    // Surrogates: surrogate_sides.cpp, surrogate_search.cpp.
    void ask(const SurrogateNode &node, const TwoWay &question, SurrogateMemory &memory);
    void place(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found,
               SurrogateMemory &memory);
    std::int32_t left_of(const SurrogateNode &node, const TwoWay &question) const;
    std::vector<double> sums_of_branches(const SurrogateNode &node) const;
    void look(const Part &part, const SurrogateNode &node, const TwoWay &question,
              const SurrogatesOfNode &of_node, int style, SurrogateSplit *found,
              SurrogateMemory &memory) const;
    void by_threshold(const Ordered &column, double *both, SurrogateSplit &found,
                      SurrogateMemory &memory) const;
    void choose(const SurrogateNode &node, std::span<SurrogateSplit> every, const Ask &ask,
                SurrogatesOfNode &found);
    void send(const SurrogateNode &node, SurrogatesOfNode &found, int use);
    std::int32_t sent(const SurrogateSplit &split, std::size_t position) const;

    std::shared_ptr<const SurrogateTable> table_;
    Rater rater_;
    std::vector<std::size_t> ordered_; // the features that are
    std::vector<Part> parts_;

    std::unique_ptr<SurrogateStore> store_;
    SurrogateCrew crew_;

    // What is in the store.
    std::vector<std::uint32_t> &row_;
    SurrogateTarget &target_;
    std::vector<std::vector<std::uint64_t>> &packs_;
    std::vector<std::vector<OrderedRow>> &order_;
    std::vector<std::int8_t> &branch_, &side_;
    std::vector<std::uint32_t> &moved_;
};

} // namespace deciduous
