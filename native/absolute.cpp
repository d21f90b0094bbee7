#include "absolute.hpp"

#include "draw.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

constexpr double none = -HUGE_VAL;

/// Medians that differ by less than rounding are equal.
constexpr double parts = 1e12;

} // namespace

CategorySplit AbsoluteSearch::best(const CategoryTable &table, std::span<const int32_t> lines,
                                   const NodeTarget &node, const Rule &rule, const Drawing *drawing) {
    begin(table, lines, node, rule);
    if (rule.nominal == Nominal::multiway)
        return multiway();
    if (drawing)
        return drawn(*drawing);
    return rule.nominal == Nominal::subset ? subset() : one_vs_rest();
}

// --- sets of rows ----------------------------------------------------------------------------------------

void AbsoluteSearch::begin(const CategoryTable &table, std::span<const int32_t> lines, const NodeTarget &node,
                           const Rule &rule) {
    table_ = table;
    node_ = node;
    rule_ = &rule;
    n_ = table.n_categories();
    counted_ = table.missing_count > 0 && rule.missing != MissingPolicy::known_only;
    own_branch_ = counted_ && rule.missing == MissingPolicy::branch;
    places_missing_ = counted_ && !own_branch_;
    n_items_ = n_ + places_missing_;
    scores_.clear();
    tried_ = 0;

    line_at_.resize(lines.size());
    for (size_t row = 0; row < lines.size(); ++row)
        line_at_[node.rank(static_cast<uint32_t>(row))] =
            lines[row] < 0 ? static_cast<uint32_t>(n_) : static_cast<uint32_t>(lines[row]);
    start_.assign(n_ + 2, 0);
    for (size_t i = 0; i <= n_; ++i)
        start_[i + 1] = start_[i] + static_cast<size_t>(rows_of(static_cast<Item>(i)));
    std::vector<size_t> next(start_.begin(), start_.end() - 1);
    by_line_.resize(lines.size());
    for (uint32_t rank = 0; rank < line_at_.size(); ++rank)
        by_line_[next[line_at_[rank]]++] = rank;

    own_error_ = own_branch_ ? error_of(static_cast<Item>(n_)) : 0.0;
    whole_error_ = counted_ || table.missing_count == 0 ? node.error : error_of_known();
}

std::span<const uint32_t> AbsoluteSearch::ranks_of(Item item) const {
    return std::span(by_line_).subspan(start_[item], start_[item + 1] - start_[item]);
}

void AbsoluteSearch::gather(uint32_t rank) {
    set_.emplace_back(node_.sorted[rank], node_.sorted_weights ? node_.sorted_weights[rank] : 1.0);
}

/// The rows of some items, in order.
template <typename Which>
void AbsoluteSearch::gather_where(Which which) {
    set_.clear();
    for (uint32_t rank = 0; rank < line_at_.size(); ++rank)
        if (which(line_at_[rank]))
            gather(rank);
}

Deviation AbsoluteSearch::deviation_of_item(Item item) {
    set_.clear();
    for (const uint32_t rank : ranks_of(item))
        gather(rank);
    return deviation_of(set_, !node_.weights);
}

double AbsoluteSearch::error_with_missing(Item item) {
    set_.clear();
    for (const Item part : {item, static_cast<Item>(n_)})
        for (const uint32_t rank : ranks_of(part))
            gather(rank);
    return deviation_of(set_, !node_.weights).error;
}

double AbsoluteSearch::error_of_known() {
    gather_where([&](uint32_t line) { return line < n_; });
    return deviation_of(set_, !node_.weights).error;
}

/// The error of both sides of a division of the items, in one walk through the rows in order.
double AbsoluteSearch::error_of_division(const std::vector<Side> &left) {
    struct Part {
        double total = 0.0, total_y = 0.0, below = 0.0, below_y = 0.0, error = 0.0;
        bool found = false;
    } part[2];
    for (Item item = 0; item < left.size(); ++item) {
        const auto line = item < n_ ? table_.line(item) : table_.missing;
        part[left[item]].total += line[0];
        part[left[item]].total_y += line[1];
    }
    for (size_t rank = 0; rank < line_at_.size() && !(part[0].found && part[1].found); ++rank) {
        if (line_at_[rank] >= left.size())
            continue;
        Part &p = part[left[line_at_[rank]]];
        const double y = node_.sorted[rank], w = node_.sorted_weights ? node_.sorted_weights[rank] : 1.0;
        if (!p.found && p.below + w >= p.total / 2 - half_slack * p.total) {
            p.error = y * p.below - p.below_y + (p.total_y - p.below_y) - y * (p.total - p.below);
            p.found = true;
        }
        p.below += w;
        p.below_y += w * y;
    }
    return std::max(part[0].error, 0.0) + std::max(part[1].error, 0.0);
}

template <typename Set>
void AbsoluteSearch::remove(Set &set, Item item) const {
    for (const uint32_t rank : ranks_of(item))
        set.remove(rank);
}

/// Works out the error of all rows but those of each item: they leave, and come back. The missing rows are
/// among the rest if they are placed like an item, and not if they have left with the item.
template <bool Weighted>
void AbsoluteSearch::errors_of_the_rest(bool without_missing) {
    auto set = numbers().all<Weighted>(ranks_);
    if (without_missing || !places_missing_)
        remove(set, static_cast<Item>(n_));
    const auto whole = set;
    rest_.resize(n_);
    for (Item item = 0; item < n_; ++item) {
        remove(set, item);
        rest_[item] = set.error();
        set.put_back(ranks_of(item), whole);
    }
}

/// Works out the errors of the cuts of order_: the items go from one side to the other.
template <bool Weighted>
void AbsoluteSearch::errors_of_cuts() {
    auto left = numbers().none<Weighted>(ranks_);
    auto right = numbers().all<Weighted>(more_ranks_);
    if (!places_missing_)
        remove(right, static_cast<Item>(n_));
    const size_t n = order_.size();
    cut_errors_.assign(n, 0.0); // by the size of the first part
    for (size_t k = 1; k < n; ++k) {
        for (const uint32_t rank : ranks_of(order_[k - 1]))
            left.insert(rank);
        remove(right, order_[k - 1]);
        cut_errors_[k] = left.error() + right.error();
    }
}

// --- scores ----------------------------------------------------------------------------------------------

/// Whether the limits allow a division of the items.
bool AbsoluteSearch::fits(const std::vector<Side> &left) const {
    int64_t rows[2] = {0, 0};
    double weight[2] = {0.0, 0.0};
    for (Item item = 0; item < n_items_; ++item) {
        rows[left[item]] += rows_of(item);
        weight[left[item]] += weight_of(item);
    }
    Branches branches(*rule_);
    branches.add(rows[0], weight[0]);
    branches.add(rows[1], weight[1]);
    if (own_branch_)
        branches.add(table_.missing_count, table_.missing[0]);
    return branches.allowed();
}

void AbsoluteSearch::offer(bool fits, double error) {
    scores_.push_back(fits ? (whole_error_ - error) / node_.weight : none);
    tried_ += fits;
}

/// "Missing or not", the last candidate.
void AbsoluteSearch::offer_asking() {
    const auto missing = static_cast<Item>(n_);
    double known = 0.0;
    for (Item item = 0; item < n_; ++item)
        known += weight_of(item);
    Branches branches(*rule_);
    branches.add(static_cast<int64_t>(line_at_.size()) - table_.missing_count, known);
    branches.add(table_.missing_count, weight_of(missing));
    offer(counted_ && branches.allowed(), counted_ ? error_of_known() + error_of(missing) : 0.0);
}

/// The first score within the band of the best; how many there are if none is allowed.
size_t AbsoluteSearch::first_best() const {
    const double top = *std::max_element(scores_.begin(), scores_.end());
    const auto first = std::find_if(scores_.begin(), scores_.end(),
                                    [&](double s) { return s > none && s >= top - node_.band; });
    return static_cast<size_t>(first - scores_.begin());
}

// --- the searches ----------------------------------------------------------------------------------------

CategorySplit AbsoluteSearch::multiway() {
    Branches branches(*rule_);
    double known = own_error_;
    for (Item item = 0; item < n_; ++item) {
        branches.add(rows_of(item), weight_of(item));
        known += error_of(item);
    }
    const auto missing = static_cast<Item>(n_);
    if (own_branch_)
        branches.add(rows_of(missing), weight_of(missing));
    for (Item item = 0; places_missing_ && item < n_; ++item) {
        Branches moved = branches;
        moved.remove(rows_of(item), weight_of(item));
        moved.add(rows_of(item) + rows_of(missing), weight_of(item) + weight_of(missing));
        offer(moved.allowed(), known - error_of(item) + error_with_missing(item));
    }
    if (!places_missing_)
        offer(branches.allowed(), known);
    offer_asking();
    const size_t first = first_best();
    if (first == scores_.size())
        return {};
    if (first + 1 == scores_.size())
        return report_asking(scores_[first], true);
    weights_.resize(n_ + own_branch_);
    branch_.resize(n_);
    std::iota(branch_.begin(), branch_.end(), 0);
    for (Item item = 0; item < weights_.size(); ++item)
        weights_[item] = weight_of(item);
    if (places_missing_)
        weights_[first] += weight_of(missing);
    const size_t place = own_branch_ ? n_ : first;
    return finish(SplitKind::multiway, scores_[first], counted_ ? static_cast<int32_t>(place) : -1, true);
}

CategorySplit AbsoluteSearch::one_vs_rest() {
    const auto missing = static_cast<Item>(n_);
    std::vector<double> with_one; // the rest where the missing rows are with the one
    const auto rests = [&](bool without_missing) {
        node_.weights ? errors_of_the_rest<true>(without_missing)
                      : errors_of_the_rest<false>(without_missing);
    };
    if (places_missing_) {
        rests(true);
        with_one = rest_;
    }
    rests(false);
    side_.assign(n_items_, 0);
    for (Item item = 0; n_ > 1 && item < n_; ++item) {
        side_[item] = 1;
        if (places_missing_) {
            side_[missing] = 1;
            offer(fits(side_), error_with_missing(item) + with_one[item]);
            side_[missing] = 0;
        }
        offer(fits(side_), error_of(item) + rest_[item] + own_error_);
        side_[item] = 0;
    }
    offer_asking();
    const size_t first = first_best();
    if (first == scores_.size())
        return {};
    if (first + 1 == scores_.size())
        return report_asking(scores_[first], true);
    side_[places_missing_ ? first / 2 : first] = 1;
    if (places_missing_ && first % 2 == 0)
        side_[missing] = 1;
    return report(side_, SplitKind::one_vs_rest, scores_[first], true);
}

/// Orders the items by median; equal ones in their own order.
void AbsoluteSearch::order_by_median() {
    std::vector<std::pair<double, Item>> keys;
    for (Item item = 0; item < n_items_; ++item) {
        keys.emplace_back(std::nearbyint(deviation_of_item(item).median * parts), item);
    }
    std::sort(keys.begin(), keys.end());
    order_.clear();
    for (const auto &[key, item] : keys)
        order_.push_back(item);
}

/// All divisions of few items; of many, the cuts of their order by median.
CategorySplit AbsoluteSearch::subset() {
    const bool by_cuts = n_items_ > CategorySearch::exhaustive_items;
    if (by_cuts) {
        order_by_median();
        node_.weights ? errors_of_cuts<true>() : errors_of_cuts<false>();
    }
    const size_t divisions = n_items_ < 2 ? 0 : by_cuts ? n_items_ - 1 : (size_t{1} << (n_items_ - 1)) - 1;
    for (size_t number = 0; number < divisions; ++number) {
        take_division(number, by_cuts);
        offer(fits(side_), (by_cuts ? cut_errors_[number + 1] : error_of_division(side_)) + own_error_);
    }
    if (own_branch_ && n_ > 0)
        offer_asking();
    else
        scores_.push_back(none);
    return choose_division(by_cuts);
}

/// Puts a division into side_.
void AbsoluteSearch::take_division(size_t number, bool by_cuts) {
    side_.assign(n_items_, 0);
    for (size_t i = 0; i < n_items_; ++i)
        side_[by_cuts ? order_[i] : i] = by_cuts ? i <= number : (number + 1) >> i & 1;
}

/// Of tied divisions the first in the canonical order (see search/items.py); "missing or not" comes last.
CategorySplit AbsoluteSearch::choose_division(bool by_cuts) {
    const double top = *std::max_element(scores_.begin(), scores_.end());
    if (top == none)
        return {};
    best_side_.clear();
    double gain = scores_.back();
    const auto size = [](const std::vector<Side> &side) { return std::count(side.begin(), side.end(), 1); };
    for (size_t number = 0; number + 1 < scores_.size(); ++number) {
        if (scores_[number] < top - node_.band)
            continue;
        take_division(number, by_cuts);
        smaller_block_left(side_);
        const auto here = size(side_), best = size(best_side_);
        if (best_side_.empty() || here < best || (here == best && best_side_ < side_)) {
            best_side_ = side_;
            gain = scores_[number];
        }
    }
    return best_side_.empty() ? report_asking(gain, !by_cuts)
                              : report(best_side_, SplitKind::subset, gain, !by_cuts);
}

CategorySplit AbsoluteSearch::drawn(const Drawing &drawing) {
    if (n_ < 2) {
        if (n_ > 0)
            offer_asking();
        return n_ > 0 && scores_[0] > none ? report_asking(scores_[0], true) : CategorySplit{};
    }
    draw_division(drawing, rule_->nominal, places_missing_, side_);
    offer(fits(side_), error_of_division(side_) + own_error_);
    const auto kind = rule_->nominal == Nominal::subset ? SplitKind::subset : SplitKind::one_vs_rest;
    return scores_[0] > none ? report(side_, kind, scores_[0], true) : CategorySplit{};
}

// --- the answer ------------------------------------------------------------------------------------------

CategorySplit AbsoluteSearch::report(const std::vector<Side> &left, SplitKind kind, double gain, bool exact) {
    if (places_missing_ && std::none_of(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(n_),
                                        [&](Side side) { return side == left[n_]; }))
        return report_asking(gain, exact);
    weights_.assign(2 + own_branch_, 0.0);
    for (Item item = 0; item < n_items_; ++item)
        weights_[left[item] ? 0 : 1] += weight_of(item);
    if (own_branch_)
        weights_[2] = table_.missing[0];
    branch_.resize(n_);
    for (size_t i = 0; i < n_; ++i)
        branch_[i] = left[i] ? 0 : 1;
    return finish(kind, gain, own_branch_ ? 2 : places_missing_ ? (left[n_] ? 0 : 1) : -1, exact);
}

CategorySplit AbsoluteSearch::report_asking(double gain, bool exact) {
    weights_.assign(2, 0.0);
    for (Item item = 0; item <= n_; ++item)
        weights_[item < n_ ? 0 : 1] += weight_of(item);
    branch_.clear();
    return finish(SplitKind::missing, gain, 1, exact);
}

CategorySplit AbsoluteSearch::finish(SplitKind kind, double gain, int32_t missing_branch, bool exact) {
    CategorySplit split;
    split.kind = kind;
    split.gain = gain;
    split.missing_branch = missing_branch;
    split.tried = tried_;
    split.exact = exact;
    split.split_information = split_information(weights_, missing_branch < 0 ? table_.missing[0] : 0.0);
    split.weights = weights_;
    split.category_branch = branch_;
    return split;
}

void AbsoluteSearch::tabulate(std::span<const int32_t> branch_of_line, std::span<double> statistics) {
    std::fill(statistics.begin(), statistics.end(), 0.0);
    for (size_t b = 0; 3 * b < statistics.size(); ++b) {
        gather_where([&](uint32_t line) { return branch_of_line[line] == static_cast<int32_t>(b); });
        const Deviation found = deviation_of(set_, !node_.weights);
        statistics[3 * b] = found.weight;
        statistics[3 * b + 1] = found.median;
        statistics[3 * b + 2] = found.weight > 0.0 ? found.error / found.weight : 0.0;
    }
}

} // namespace deciduous
