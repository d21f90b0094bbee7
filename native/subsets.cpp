// The best division of categories into two sets: all divisions of few items, the cuts of an order that holds
// a best one, or a climb.
#include "categories.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

constexpr double none = -HUGE_VAL;

/// Shares of classes (and means) are told apart to this many parts of one.
constexpr double parts = 1e12;

} // namespace

CategorySplit CategorySearch::subset() {
    const size_t n = items_.size();
    asked_ = own_branch_ ? score_of_asking() : none;
    if (n < 2 || n_shares_ == 0)
        return asked_ > none ? report_asking(1, true) : CategorySplit{};
    const bool few = n <= exhaustive_items;
    const bool on_a_line = !is_of_classes(rule_->measure) || n_shares_ <= 2;
    if (!on_a_line)
        group_items();
    const Lines &groups = on_a_line ? items_ : groups_;
    const bool by_cuts = on_a_line || groups.size() == 1;

    // Where theory says where a best division lies, if no limit is in the way: in the cuts of one order for
    // two classes or numbers, else among the divisions that keep items of equal class shares together. A
    // strictly concave impurity has no other best ones, unless all gain nothing.
    if (by_cuts || groups.size() <= exhaustive_items) {
        forget();
        if (by_cuts) {
            directions_.assign(n_shares_, 0.0);
            directions_[0] = 1.0;
            order_by(items_, directions_);
            score_cuts(items_);
        } else {
            score_all(groups);
        }
        find_top();
        const bool hindered = limited_ && top_ < unlimited_top_ - band_;
        const bool no_others = rule_->measure != Measure::misclassification && top_ - node_purity_ > band_;
        if (!hindered && (no_others || !few))
            return by_cuts ? best_cut() : best_of_all(groups);
    }
    if (few) {
        forget();
        score_all(items_);
        find_top();
        return best_of_all(items_);
    }
    return climb(limited_ ? items_ : groups);
}

/// Puts the items of equal shares together; groups are in the order of their first items.
void CategorySearch::group_items() {
    const size_t n = items_.size();
    levels_.resize(n * n_shares_);
    for (size_t i = 0; i < levels_.size(); ++i)
        levels_[i] = std::nearbyint(items_.shares[i] * parts);
    const auto key = [&](uint32_t item) { return levels_.data() + item * n_shares_; };
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
        for (size_t c = 0; c < n_shares_; ++c)
            if (key(a)[c] != key(b)[c])
                return key(a)[c] < key(b)[c];
        return a < b;
    });
    group_.resize(n); // first the first item of equal shares, then its group
    for (size_t i = 0; i < n; ++i) {
        const bool same = i > 0 && std::equal(key(order_[i]), key(order_[i]) + n_shares_, key(order_[i - 1]));
        group_[order_[i]] = same ? group_[order_[i - 1]] : order_[i];
    }
    groups_.clear();
    for (size_t i = 0; i < n; ++i) {
        if (group_[i] == i) {
            group_[i] = static_cast<uint32_t>(groups_.size());
            groups_.rows.push_back(0);
            groups_.sums.insert(groups_.sums.end(), width_, 0.0);
        } else {
            group_[i] = group_[group_[i]];
        }
        groups_.rows[group_[i]] += items_.rows[i];
        for (size_t c = 0; c < width_; ++c)
            groups_.sums[group_[i] * width_ + c] += items_.sums[i * width_ + c];
    }
    work_out_shares(groups_);
}

// --- what is tried ---------------------------------------------------------------------------------------

void CategorySearch::forget() {
    scores_.clear();
    tried_ = 0;
    unlimited_top_ = none;
}

/// Scores the division of left_ and right_.
void CategorySearch::offer(int64_t left_rows) {
    const double score = score_of_sides();
    unlimited_top_ = std::max(unlimited_top_, score);
    const bool fits = score > none && allowed(left_rows, total_rows_ - left_rows);
    tried_ += fits;
    scores_.push_back(fits ? score : none);
}

/// Scores the divisions "first k of order_ against the others".
void CategorySearch::score_cuts(const Lines &lines) {
    left_.assign(width_, 0.0);
    right_.resize(width_);
    int64_t rows = 0;
    for (size_t k = 0; k + 1 < lines.size(); ++k) {
        const Sums line = line_of(lines, order_[k]);
        for (size_t c = 0; c < width_; ++c) {
            left_[c] += line[c];
            right_[c] = total_[c] - left_[c];
        }
        rows += lines.rows[order_[k]];
        offer(rows);
    }
}

/// Scores all divisions: number d has the lines of the bits of d + 1 on the left, the last line never. Level
/// b holds the sums of the lines of bits b and above, so that each division adds one line to one that is
/// known.
void CategorySearch::score_all(const Lines &lines) {
    const size_t n = lines.size();
    levels_.assign((n + 1) * width_, 0.0);
    level_rows_.assign(n + 1, 0);
    left_.resize(width_);
    right_.resize(width_);
    for (uint32_t division = 1; division < uint32_t{1} << (n - 1); ++division) {
        const auto bit = static_cast<size_t>(std::countr_zero(division));
        const uint32_t above = division & (division - 1);
        const size_t from = above ? static_cast<size_t>(std::countr_zero(above)) : n;
        const Sums line = line_of(lines, bit);
        for (size_t c = 0; c < width_; ++c) {
            left_[c] = levels_[bit * width_ + c] = levels_[from * width_ + c] + line[c];
            right_[c] = total_[c] - left_[c];
        }
        level_rows_[bit] = level_rows_[from] + lines.rows[bit];
        offer(level_rows_[bit]);
    }
}

void CategorySearch::find_top() {
    top_ = std::accumulate(scores_.begin(), scores_.end(), asked_,
                           [](double a, double b) { return std::max(a, b); });
}

/// Returns the first of scores_ within the band of the best; how many there are if none is allowed.
size_t CategorySearch::first_best() const {
    const double top = *std::max_element(scores_.begin(), scores_.end());
    if (top == none)
        return scores_.size();
    const auto first =
        std::find_if(scores_.begin(), scores_.end(), [&](double s) { return s >= top - band_; });
    return static_cast<size_t>(first - scores_.begin());
}

// --- the choice ------------------------------------------------------------------------------------------

CategorySplit CategorySearch::best_cut() {
    const size_t n = items_.size();
    size_t smallest = n; // block of a tied cut: there may be many cuts of many items
    const auto size_of = [n](size_t cut) { return std::min(cut + 1, n - cut - 1); };
    for (size_t cut = 0; cut < scores_.size(); ++cut)
        if (scores_[cut] >= top_ - band_)
            smallest = std::min(smallest, size_of(cut));
    for (size_t cut = 0; cut < scores_.size(); ++cut)
        if (size_of(cut) != smallest)
            scores_[cut] = none;
    return choose(items_, true, [&](size_t cut) { take_cut(cut); });
}

CategorySplit CategorySearch::best_of_all(const Lines &lines) {
    return choose(lines, true, [&](size_t division) {
        side_.resize(lines.size());
        for (size_t i = 0; i < side_.size(); ++i)
            side_[i] = (division + 1) >> i & 1;
    });
}

CategorySplit CategorySearch::best_of(const Reached &found, const Lines &lines, bool exact) {
    const int64_t tried = tried_;
    forget();
    for (size_t i = 0; i < found.size; ++i) {
        sum_sides(lines, found.sides[i]);
        offer(rows_of(lines, found.sides[i]));
    }
    find_top();
    tried_ = tried;
    return choose(lines, exact, [&](size_t i) { side_ = found.sides[i]; });
}

/// Puts the first lines of order_ on the left of side_.
void CategorySearch::take_cut(size_t cut) {
    side_.assign(order_.size(), 0);
    for (size_t k = 0; k <= cut; ++k)
        side_[order_[k]] = 1;
}

/// Returns the best of the divisions with these scores; `take` puts one into side_. Tied ones are decided by
/// the canonical order, and "missing or not" comes last.
template <typename Take>
CategorySplit CategorySearch::choose(const Lines &lines, bool exact, Take take) {
    if (top_ == none)
        return {};
    best_block_.clear();
    for (size_t division = 0; division < scores_.size(); ++division) {
        if (scores_[division] < top_ - band_)
            continue;
        take(division);
        take_block(lines);
        if (best_block_.empty() || comes_before_best())
            best_block_.swap(block_);
    }
    const int64_t tried = tried_ + (asked_ > none);
    return best_block_.empty() ? report_asking(tried, exact)
                               : report(best_block_, tried, exact, SplitKind::subset);
}

/// Writes side_, which divides lines, as a division of the items whose left block is the smaller one; of
/// equal sizes, the one with the first item.
void CategorySearch::take_block(const Lines &lines) {
    const size_t n = items_.size();
    block_.resize(n);
    for (size_t i = 0; i < n; ++i)
        block_[i] = side_[&lines == &items_ ? i : group_[i]];
    smaller_block_left(block_);
}

/// Smaller blocks come first, then lexicographically by item.
bool CategorySearch::comes_before_best() const {
    const auto size = std::count(block_.begin(), block_.end(), 1),
               best = std::count(best_block_.begin(), best_block_.end(), 1);
    return size != best ? size < best : best_block_ < block_; // the first item that only one has is 1 in it
}

// --- orders ----------------------------------------------------------------------------------------------

/// Orders lines by a sum of their shares; equal ones in their own order.
void CategorySearch::order_by(const Lines &lines, Sums direction) {
    keys_.clear();
    for (size_t i = 0; i < lines.size(); ++i) {
        double key = 0.0;
        for (size_t c = 0; c < n_shares_; ++c)
            key += direction[c] * lines.shares[i * n_shares_ + c];
        keys_.emplace_back(std::nearbyint(key * parts), static_cast<Index>(i));
    }
    sort_keys();
}

void CategorySearch::sort_keys() {
    std::sort(keys_.begin(), keys_.end());
    order_.clear();
    for (const auto &[key, line] : keys_)
        order_.push_back(line);
}

} // namespace deciduous
