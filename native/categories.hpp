// The best split of one column of categories in one node, from its contingency table.
// The NumPy twins are search/multiway.py, subsets.py, items.py, divisions.py and climb.py: the same
// candidates in the same order, so that the same one is chosen; the node's tie band absorbs rounding.
#pragma once

#include "divisions.hpp"
#include "question.hpp"
#include "scan.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace deciduous {

/// Borrowed sums of the target per category: line k, `width` class weights or the three moments about the
/// node's centre, begins at table[k * width].
struct CategoryTable {
    std::size_t width = 0;
    std::span<const double> table;
    std::span<const std::int64_t> counts; // rows per category
    std::span<const double> missing;      // sums of the rows whose cell is missing
    std::int64_t missing_count = 0;
    bool has_first = true; // line 0 is the first category of the column

    std::size_t n_categories() const { return counts.size(); }
    std::span<const double> line(std::size_t k) const { return table.subspan(k * width, width); }
};

/// The best candidate; `kind` is leaf if there is none. The spans lie in the search's memory, until it is
/// used again.
struct CategorySplit {
    SplitKind kind = SplitKind::leaf;
    double gain = -HUGE_VAL;        // of the whole node: the known share is multiplied in
    double split_information = 0.0; // in bits
    std::int32_t missing_branch = -1;
    std::int64_t tried = 0; // candidates that limits allow
    bool exact = true;
    std::span<const double> weights;               // of the branches
    std::span<const std::int32_t> category_branch; // -1: absent from the node; empty for "missing or not"
};

/// The searches, and the memory that they need: one object a thread.
class CategorySearch {
public:
    /// Up to this many items every division is tried.
    static constexpr std::size_t exhaustive_items = 12;

    /// Returns the best candidate. `band`: gains that differ by less are tied. `whole`: where all weights are
    /// 1, a table of n ln n up to the node's rows at least; else null. `drawing`: with it, the division that
    /// is drawn.
    CategorySplit best(const CategoryTable &table, const Rule &rule, Nominal nominal, double band,
                       const WholeNumbers *whole = nullptr, const Drawing *drawing = nullptr);

private:
    using Index = std::uint32_t;
    using Side = std::uint8_t; // 1 = left
    using Sums = std::span<const double>;

    /// What is divided: the items, or groups of items.
    struct Lines {
        std::vector<double> sums;   // n x width, of the classes that are present
        std::vector<double> shares; // n x n_shares
        std::vector<double> weights;
        std::vector<std::int64_t> rows;

        std::size_t size() const { return rows.size(); }
        void clear() {
            sums.clear();
            shares.clear();
            weights.clear();
            rows.clear();
        }
    };

    /// Divisions with their scores.
    struct Reached {
        std::vector<std::vector<Side>> sides;
        std::vector<double> scores;
        std::size_t size = 0;

        void clear() { size = 0; }
        void add(const std::vector<Side> &side, double score) {
            if (size == sides.size()) {
                sides.emplace_back();
                scores.emplace_back();
            }
            sides[size] = side;
            scores[size++] = score;
        }
    };

    // categories.cpp: the table, one against the rest, multiway, and what is reported
    void begin(const CategoryTable &table, const Rule &rule, double band, const WholeNumbers *whole);
    void take_mean();
    void gather_items();
    void work_out_shares(Lines &lines);
    Sums line_of(const Lines &lines, std::size_t i) const { return {&lines.sums[i * width_], width_}; }
    double weight_of(Sums sums) const;
    double purity_of(Sums sums) const;
    bool allowed(std::int64_t left_rows, std::int64_t right_rows) const; // of left_ and right_
    double score_of_asking() const;
    bool forbids(Sums sums) const;
    double score_of_sides() const {
        if (forbidding_ && (forbids_own_ || forbids(left_) || forbids(right_)))
            return -HUGE_VAL;
        return purity_of(left_) + purity_of(right_) + own_purity_;
    }
    std::int64_t rows_of(const Lines &lines, const std::vector<Side> &side) const;
    void sum_sides(const Lines &lines, const std::vector<Side> &side);
    CategorySplit multiway();
    CategorySplit one_vs_rest();
    CategorySplit one_by_ratio();
    CategorySplit drawn(Nominal nominal, const Drawing &drawing);
    CategorySplit report(const std::vector<Side> &left, std::int64_t tried, bool exact, SplitKind kind);
    CategorySplit report_asking(std::int64_t tried, bool exact);
    CategorySplit finish(SplitKind kind, double score, std::int32_t missing_branch, std::int64_t tried,
                         bool exact);

    // subsets.cpp: all divisions of few items, the cuts of an order
    CategorySplit subset();
    void group_items();
    void forget();
    void offer(std::int64_t left_rows);
    void score_cuts(const Lines &lines);
    void score_all(const Lines &lines);
    void find_top();
    std::size_t first_best() const;
    CategorySplit best_cut();
    CategorySplit best_of_all(const Lines &lines);
    CategorySplit best_of(const Reached &found, const Lines &lines, bool exact);
    template <typename Take>
    CategorySplit choose(const Lines &lines, bool exact, Take take);
    void take_cut(std::size_t cut);
    void take_block(const Lines &lines);
    bool comes_before_best() const;
    void order_by(const Lines &lines, Sums direction);
    void sort_keys();

    // climb.cpp: many items
    CategorySplit climb(const Lines &lines);
    void list_directions();
    void start(const Lines &lines);
    void follow_all(const Lines &lines, const Reached &from, double least, Reached &ends);
    void score_changes(const Lines &lines, double score);
    void score_moves(const Lines &lines, double score);
    void keep_best(const Reached &found, Reached &best);
    bool met(const std::vector<Side> &side);

    // the question
    const CategoryTable *table_ = nullptr;
    const Rule *rule_ = nullptr;
    const WholeNumbers *whole_ = nullptr;
    bool limited_ = false, has_missing_ = false;
    bool places_missing_ = false, own_branch_ = false; // missing rows are the last item, or a third branch
    double band_ = 0.0, unit_ = 1.0;                   // the band on the scale of purity
    double node_weight_ = 0.0, node_purity_ = 0.0;
    double missing_weight_ = 0.0, missing_purity_ = 0.0, own_purity_ = 0.0, known_purity_ = 0.0;
    std::int64_t known_rows_ = 0;
    // Poisson: the mean of the rows that are counted; a branch must not have the sum 0
    double mean_ = 0.0, least_sum_ = 0.0;
    bool forbidding_ = false, forbids_known_ = false, forbids_missing_ = false, forbids_own_ = false;

    // the items
    std::size_t width_ = 0, n_shares_ = 0;
    std::vector<Index> columns_, present_, group_;
    Lines items_, groups_;
    std::vector<double> total_;
    std::int64_t total_rows_ = 0;

    // what is tried
    std::vector<double> scores_, left_, right_, levels_;
    std::vector<std::int64_t> level_rows_;
    double asked_ = 0.0, top_ = 0.0, unlimited_top_ = 0.0;
    std::int64_t tried_ = 0;
    std::vector<std::pair<double, Index>> keys_;
    std::vector<Index> order_;
    std::vector<Side> side_, block_, best_block_;

    // the climb
    std::vector<double> directions_, moved_, from_left_, from_right_;
    Reached found_, ends_;
    std::vector<std::uint64_t> seen_;

    // the answer
    std::vector<double> weights_;
    std::vector<std::int32_t> branch_;
};

} // namespace deciduous
