#include "categories.hpp"

#include "deviations.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;

namespace {

constexpr double none = -HUGE_VAL;

bool has_classes(const Rule &rule) {
    return is_of_classes(rule.measure);
}

} // namespace

CategorySplit CategorySearch::best(const CategoryTable &table, const Rule &rule, Nominal nominal, double band,
                                   const WholeNumbers *whole, const Drawing *drawing) {
    begin(table, rule, band, whole);
    if (nominal == Nominal::multiway)
        return multiway();
    gather_items();
    if (drawing)
        return drawn(nominal, *drawing);
    if (nominal == Nominal::subset)
        return subset();
    return rule.conventions.ones_by_ratio ? one_by_ratio() : one_vs_rest();
}

// --- the table -------------------------------------------------------------------------------------------

void CategorySearch::begin(const CategoryTable &table, const Rule &rule, double band,
                           const WholeNumbers *whole) {
    table_ = &table;
    rule_ = &rule;
    whole_ = whole;
    has_missing_ = table.missing_count > 0;
    own_branch_ = has_missing_ && rule.missing == MissingPolicy::branch;
    places_missing_ = has_missing_ && rule.missing == MissingPolicy::direction;
    limited_ = rule.min_rows > 1 || rule.min_weight > 0.0 || rule.min_cases > 0.0;
    unit_ = rule.measure == Measure::entropy ? std::log(2.0) : 1.0;
    forbidding_ = rule.measure == Measure::poisson;

    present_.clear();
    total_.assign(table.width, 0.0);
    total_rows_ = 0;
    for (size_t k = 0; k < table.n_categories(); ++k) {
        if (table.counts[k] == 0)
            continue;
        present_.push_back(static_cast<Index>(k));
        total_rows_ += table.counts[k];
        for (size_t i = 0; i < table.width; ++i)
            total_[i] += table.line(k)[i];
    }
    missing_weight_ = has_missing_ ? weight_of(table.missing) : 0.0;
    node_weight_ = weight_of(total_) + missing_weight_;
    known_rows_ = total_rows_;
    if (forbidding_)
        take_mean();
    known_purity_ = purity_of(total_);
    missing_purity_ = has_missing_ ? purity_of(table.missing) : 0.0;
    own_purity_ = own_branch_ ? missing_purity_ : 0.0;
    node_purity_ = known_purity_;
    if (own_branch_ || places_missing_) {
        left_.assign(total_.begin(), total_.end());
        for (size_t i = 0; i < table.width; ++i)
            left_[i] += table.missing[i];
        node_purity_ = purity_of(left_);
    }
    band_ = band * node_weight_ * unit_;
}

/// Poisson deviance is taken about the mean, so that a small drop keeps its digits.
void CategorySearch::take_mean() {
    limited_ = true;
    const bool counted = own_branch_ || places_missing_;
    const double sum = total_[1] + (counted ? table_->missing[1] : 0.0),
                 weight = total_[0] + (counted ? table_->missing[0] : 0.0);
    mean_ = weight > 0.0 ? sum / weight : 0.0;
    least_sum_ = 1e-12 * sum; // what was taken away from a sum leaves its rounding behind
    forbids_known_ = forbids(total_);
    forbids_missing_ = has_missing_ && forbids(table_->missing);
    forbids_own_ = own_branch_ && forbids_missing_;
}

/// Whether a branch that has weight has the sum 0: its answer would make any later count impossible.
bool CategorySearch::forbids(Sums sums) const {
    return forbidding_ && sums[0] > 0.0 && sums[1] <= least_sum_;
}

double CategorySearch::weight_of(Sums sums) const {
    return has_classes(*rule_) ? std::accumulate(sums.begin(), sums.end(), 0.0) : sums[0];
}

/// Of sums over the classes that are present.
double CategorySearch::purity_of(Sums sums) const {
    if (forbidding_)
        return sums[0] > 0.0 ? sums[0] * mean_ * half_unit_deviance(sums[1] / sums[0] / mean_ - 1.0) : 0.0;
    if (!whole_ || rule_->measure != Measure::entropy)
        return purity(rule_->measure, sums);
    double weight = 0.0, answer = 0.0;
    for (const double w : sums) {
        weight += w;
        answer += whole_->n_log_n[static_cast<size_t>(w)];
    }
    return answer - whole_->n_log_n[static_cast<size_t>(weight)];
}

bool CategorySearch::allowed(int64_t left_rows, int64_t right_rows) const {
    if (!limited_)
        return true;
    Branches branches(*rule_);
    branches.add(left_rows, weight_of(left_));
    branches.add(right_rows, weight_of(right_));
    if (own_branch_)
        branches.add(table_->missing_count, missing_weight_);
    return branches.allowed();
}

/// Gathers the lines of the items: the categories present, and the missing rows where they are placed like
/// one.
void CategorySearch::gather_items() {
    const CategoryTable &table = *table_;
    if (places_missing_) {
        total_rows_ += table.missing_count;
        for (size_t i = 0; i < table.width; ++i)
            total_[i] += table.missing[i];
    }
    columns_.clear();
    for (size_t i = 0; i < table.width; ++i)
        if (!has_classes(*rule_) || total_[i] > 0.0)
            columns_.push_back(static_cast<Index>(i));
    width_ = columns_.size();
    for (size_t i = 0; i < width_; ++i)
        total_[i] = total_[columns_[i]];
    total_.resize(width_);

    items_.clear();
    const auto add = [&](Sums line, int64_t rows) {
        for (const Index column : columns_)
            items_.sums.push_back(line[column]);
        items_.rows.push_back(rows);
    };
    for (const Index k : present_)
        add(table.line(k), table.counts[k]);
    if (places_missing_)
        add(table.missing, table.missing_count);
    work_out_shares(items_);
}

/// Works out weights, and class shares; for numbers the means of y and y^2.
void CategorySearch::work_out_shares(Lines &lines) {
    const bool classes = has_classes(*rule_);
    const size_t first = classes ? 0 : 1;
    n_shares_ = width_ - first;
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::span<const double> line = line_of(lines, i);
        const double weight = weight_of(line);
        lines.weights.push_back(weight);
        for (size_t c = first; c < width_; ++c)
            lines.shares.push_back(line[c] / (weight > 0.0 ? weight : 1.0));
    }
}

// --- one category against the rest -----------------------------------------------------------------------

CategorySplit CategorySearch::one_vs_rest() {
    const size_t n = present_.size();
    forget();
    left_.resize(width_);
    right_.resize(width_);
    const auto offer_one = [&](size_t item, bool with_missing) {
        for (size_t c = 0; c < width_; ++c) {
            left_[c] = line_of(items_, item)[c] + (with_missing ? line_of(items_, n)[c] : 0.0);
            right_[c] = total_[c] - left_[c];
        }
        offer(items_.rows[item] + (with_missing ? items_.rows[n] : 0));
    };
    for (size_t i = 0; n > 1 && i < n; ++i) {
        if (places_missing_)
            offer_one(i, true);
        offer_one(i, false);
    }
    scores_.push_back(score_of_asking());
    tried_ += scores_.back() > none;
    const size_t first = first_best();
    if (first == scores_.size())
        return {};
    if (first + 1 == scores_.size())
        return report_asking(tried_, true);
    block_.assign(items_.size(), 0);
    block_[places_missing_ ? first / 2 : first] = 1;
    if (places_missing_ && first % 2 == 0)
        block_[n] = 1;
    return report(block_, tried_, true, SplitKind::one_vs_rest);
}

/// As J48 has it: the first category declared is kept if it is allowed, a later one if its ratio is better
/// than that of the one kept so far, or than 0. Where none is, there is a candidate without gain.
CategorySplit CategorySearch::one_by_ratio() {
    const size_t n = present_.size();
    size_t kept = n, first = n;
    double ratio = 0.0;
    int64_t n_allowed = 0;
    left_.resize(width_);
    right_.resize(width_);
    for (size_t i = 0; n > 1 && i < n; ++i) {
        for (size_t c = 0; c < width_; ++c) {
            left_[c] = line_of(items_, i)[c];
            right_[c] = total_[c] - left_[c];
        }
        if (!allowed(items_.rows[i], total_rows_ - items_.rows[i]))
            continue;
        ++n_allowed;
        first = std::min(first, i);
        weights_.assign({weight_of(left_), weight_of(right_)});
        const CategorySplit one = finish(SplitKind::one_vs_rest, score_of_sides(), -1, 1, true);
        const double score = one.split_information > 0.0 ? one.gain / one.split_information : none;
        if (score - ratio > std::max(rule_->conventions.band, rule_->slack) ||
            (i == 0 && table_->has_first)) {
            kept = i;
            ratio = score;
        }
    }
    if (first == n)
        return {};
    block_.assign(items_.size(), 0);
    block_[kept < n ? kept : first] = 1;
    CategorySplit split = report(block_, n_allowed, true, SplitKind::one_vs_rest);
    if (kept == n)
        split.gain = 0.0;
    return split;
}

// --- a division that is drawn ----------------------------------------------------------------------------

CategorySplit CategorySearch::drawn(Nominal nominal, const Drawing &drawing) {
    if (present_.size() < 2)
        return score_of_asking() > none ? report_asking(1, true) : CategorySplit{};
    draw_division(drawing, nominal, places_missing_, block_);
    sum_sides(items_, block_);
    const int64_t rows = rows_of(items_, block_);
    if (score_of_sides() == none || !allowed(rows, total_rows_ - rows))
        return {};
    return report(block_, 1, true, nominal == Nominal::subset ? SplitKind::subset : SplitKind::one_vs_rest);
}

// --- a branch for every category -------------------------------------------------------------------------

CategorySplit CategorySearch::multiway() {
    const CategoryTable &table = *table_;
    const size_t n = table.n_categories(), width = table.width;
    const auto line = [&](size_t k) { return table.line(k); };
    Branches branches(*rule_);
    double known = own_purity_;
    for (size_t k = 0; k < n; ++k) {
        branches.add(table.counts[k], weight_of(line(k)));
        branches.forbid(forbids(line(k)));
    }
    branches.forbid(forbids_own_);
    if (!places_missing_ && !own_branch_ && !branches.allowed())
        return {};
    for (const Index k : present_)
        known += purity_of(line(k));

    forget(); // the candidates are the places of the missing rows
    const auto offer_place = [&](bool fits, double score) {
        scores_.push_back(fits ? score : none);
        tried_ += fits;
    };
    if (places_missing_) {
        left_.resize(width);
        for (const Index k : present_) {
            for (size_t c = 0; c < width; ++c)
                left_[c] = line(k)[c] + table.missing[c];
            Branches moved = branches;
            moved.remove(table.counts[k], weight_of(line(k)));
            moved.forbid(int{forbids(left_)} - int{forbids(line(k))});
            moved.add(table.counts[k] + table.missing_count, weight_of(left_));
            offer_place(moved.allowed(), known - purity_of(line(k)) + purity_of(left_));
        }
    } else {
        if (own_branch_)
            branches.add(table.missing_count, missing_weight_);
        offer_place(branches.allowed(), known);
    }
    if (own_branch_ || places_missing_) {
        const double asking = score_of_asking();
        offer_place(asking > none, asking);
    }
    const size_t first = first_best();
    if (first == scores_.size())
        return {};
    if ((own_branch_ || places_missing_) && first + 1 == scores_.size())
        return report_asking(tried_, true);

    const int32_t place = own_branch_       ? static_cast<int32_t>(n)
                          : places_missing_ ? static_cast<int32_t>(present_[first])
                                            : -1;
    weights_.resize(n + own_branch_);
    branch_.resize(n);
    std::iota(branch_.begin(), branch_.end(), 0);
    for (size_t k = 0; k < n; ++k)
        weights_[k] = weight_of(line(k));
    if (own_branch_)
        weights_[n] = missing_weight_;
    else if (places_missing_)
        weights_[static_cast<size_t>(place)] += missing_weight_;
    return finish(SplitKind::multiway, scores_[first], place, tried_, true);
}

// --- the answer ------------------------------------------------------------------------------------------

/// The score of "missing or not"; -inf where it is not asked or not allowed.
double CategorySearch::score_of_asking() const {
    if ((!own_branch_ && !places_missing_) || present_.empty() || forbids_known_ || forbids_missing_)
        return none;
    Branches branches(*rule_);
    branches.add(known_rows_, node_weight_ - missing_weight_);
    branches.add(table_->missing_count, missing_weight_);
    if (!branches.allowed())
        return none;
    return known_purity_ + missing_purity_;
}

CategorySplit CategorySearch::report_asking(int64_t tried, bool exact) {
    weights_.assign({node_weight_ - missing_weight_, missing_weight_});
    branch_.clear();
    return finish(SplitKind::missing, known_purity_ + missing_purity_, 1, tried, exact);
}

/// Reports a division of the items.
CategorySplit CategorySearch::report(const std::vector<Side> &left, int64_t tried, bool exact,
                                     SplitKind kind) {
    const size_t n = present_.size();
    if (places_missing_ && std::all_of(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(n),
                                       [&](Side side) { return side != left[n]; }))
        return report_asking(tried, exact);
    sum_sides(items_, left);
    weights_.assign({weight_of(left_), weight_of(right_)});
    if (own_branch_)
        weights_.push_back(missing_weight_);
    branch_.assign(table_->n_categories(), kind == SplitKind::one_vs_rest ? 1 : -1);
    for (size_t i = 0; i < n; ++i)
        branch_[present_[i]] = left[i] ? 0 : 1;
    const int32_t missing_branch = own_branch_ ? 2 : places_missing_ ? (left[n] ? 0 : 1) : -1;
    return finish(kind, purity_of(left_) + purity_of(right_) + own_purity_, missing_branch, tried, exact);
}

std::int64_t CategorySearch::rows_of(const Lines &lines, const std::vector<Side> &side) const {
    int64_t rows = 0;
    for (size_t i = 0; i < lines.size(); ++i)
        rows += side[i] ? lines.rows[i] : 0;
    return rows;
}

/// Sums the lines on the two sides of a division.
void CategorySearch::sum_sides(const Lines &lines, const std::vector<Side> &side) {
    left_.assign(width_, 0.0);
    right_.assign(width_, 0.0);
    for (size_t i = 0; i < lines.size(); ++i) {
        std::vector<double> &sums = side[i] ? left_ : right_;
        for (size_t c = 0; c < width_; ++c)
            sums[c] += line_of(lines, i)[c];
    }
}

CategorySplit CategorySearch::finish(SplitKind kind, double score, int32_t missing_branch, int64_t tried,
                                     bool exact) {
    CategorySplit split;
    split.kind = kind;
    split.gain = (score - node_purity_) / (node_weight_ * unit_);
    split.missing_branch = missing_branch;
    split.tried = tried;
    split.exact = exact;
    const double apart = has_missing_ && missing_branch < 0 ? missing_weight_ : 0.0;
    split.split_information = split_information(weights_, apart);
    split.weights = weights_;
    split.category_branch = branch_;
    return split;
}

} // namespace deciduous
