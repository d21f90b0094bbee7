// The best split of one column of categories in one node under absolute error, which is no function of the
// sums that `CategorySearch` takes. The NumPy twin is search/absolute.py.
#pragma once

#include "categories.hpp"
#include "deviations.hpp"
#include "medians.hpp"
#include "thresholds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

class AbsoluteSearch {
public:
    /// `table`: lines of the categories present; `lines`: the line of each row, negative where its cell is
    /// missing. Sums, weights and the choice are those of `CategorySearch::best`.
    CategorySplit best(const CategoryTable &table, std::span<const std::int32_t> lines,
                       const NodeTarget &node, const Rule &rule, const Drawing *drawing);

    /// The deviation of the rows of some branches of the node last searched; `branch_of_line` has the missing
    /// rows' last.
    void tabulate(std::span<const std::int32_t> branch_of_line, std::span<double> statistics);

private:
    using Item = std::uint32_t; // a line; the last one is the missing rows
    using Side = std::uint8_t;  // 1 = left

    void begin(const CategoryTable &table, std::span<const std::int32_t> lines, const NodeTarget &node,
               const Rule &rule);
    std::span<const std::uint32_t> ranks_of(Item item) const;
    void gather(std::uint32_t rank);
    template <typename Which>
    void gather_where(Which which);
    Deviation deviation_of_item(Item item);
    double error_of(Item item) { return deviation_of_item(item).error; }
    double error_with_missing(Item item);
    double error_of_division(const std::vector<Side> &left);
    double error_of_known();
    OrderedNumbers numbers() const {
        return {node_.sorted, node_.sorted_weights, line_at_.size(), node_.error};
    }
    template <typename Set>
    void remove(Set &set, Item item) const;
    template <bool Weighted>
    void errors_of_the_rest(bool without_missing);
    template <bool Weighted>
    void errors_of_cuts();

    std::int64_t rows_of(Item item) const { return item < n_ ? table_.counts[item] : table_.missing_count; }
    double weight_of(Item item) const {
        return item < n_ ? table_.table[item * table_.width] : table_.missing[0];
    }
    bool fits(const std::vector<Side> &left) const;
    void offer(bool fits, double error);
    void offer_asking();
    std::size_t first_best() const;

    CategorySplit multiway();
    CategorySplit one_vs_rest();
    CategorySplit subset();
    CategorySplit drawn(const Drawing &drawing);
    CategorySplit choose_division(bool by_cuts);
    void take_division(std::size_t number, bool by_cuts);
    void order_by_median();
    CategorySplit report(const std::vector<Side> &left, SplitKind kind, double gain, bool exact);
    CategorySplit report_asking(double gain, bool exact);
    CategorySplit finish(SplitKind kind, double gain, std::int32_t missing_branch, bool exact);

    CategoryTable table_; // and the node: copies of what is borrowed, for `tabulate`
    NodeTarget node_;
    const Rule *rule_ = nullptr;
    std::size_t n_ = 0;       // lines of categories
    std::size_t n_items_ = 0; // those, and the missing rows where they are placed like one
    bool counted_ = false, own_branch_ = false, places_missing_ = false;
    double whole_error_ = 0.0, own_error_ = 0.0;

    std::vector<std::uint32_t> line_at_,
        by_line_;                    // the line of every rank; the ranks of every line, increasing
    std::vector<std::size_t> start_; // of each line in by_line_
    Weighed set_;
    RankMemory ranks_, more_ranks_;
    std::vector<double> rest_, cut_errors_, scores_;
    std::int64_t tried_ = 0;
    std::vector<Item> order_;
    std::vector<Side> side_, best_side_;
    std::vector<double> weights_;
    std::vector<std::int32_t> branch_;
};

} // namespace deciduous
