// A good division of many items where no order is sure to hold the best one. Its NumPy twin, search/climb.py,
// says how.
#include "categories.hpp"

#include <algorithm>
#include <cmath>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint64_t;

namespace {

constexpr double none = -HUGE_VAL;

/// Shares that are tried as orders, at most.
constexpr size_t most_starts = 31;

/// What items gain by a side is told apart to this many parts of the largest.
constexpr double gain_parts = 1e9;

/// Every start is followed while a change brings this share of the gain; then the best of them, to the end.
constexpr double coarse = 1e-3;
constexpr size_t most_followed = 3;

/// Whether the differences of all pairs of shares are tried: among their cuts is the best by
/// misclassification.
bool by_pairs(Measure measure, size_t n_shares) {
    return measure == Measure::misclassification && n_shares * (n_shares - 1) / 2 <= most_starts;
}

/// A number that looks random (splitmix64, Steele et al. 2014).
uint64_t scrambled(uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

} // namespace

CategorySplit CategorySearch::climb(const Lines &lines) {
    tried_ = 0;
    found_.clear();
    list_directions();
    for (size_t d = 0; d < directions_.size(); d += n_shares_) {
        order_by(lines, Sums(directions_).subspan(d, n_shares_));
        start(lines);
    }
    if (limited_) {
        keys_.clear();
        for (size_t i = 0; i < lines.size(); ++i)
            keys_.emplace_back(-static_cast<double>(lines.rows[i]), static_cast<Index>(i));
        sort_keys();
        start(lines);
    }
    follow_all(lines, found_, coarse, ends_);
    keep_best(ends_, found_);
    follow_all(lines, found_, 0.0, ends_);
    return best_of(ends_, lines, !limited_ && by_pairs(rule_->measure, n_shares_));
}

/// Lists the sums of shares whose orders are tried first.
void CategorySearch::list_directions() {
    const size_t n = n_shares_;
    directions_.clear();
    const auto add = [&](auto factor) {
        for (size_t c = 0; c < n; ++c)
            directions_.push_back(factor(c));
    };
    const auto only = [](size_t k) { return [k](size_t c) { return c == k ? 1.0 : 0.0; }; };
    if (!is_of_classes(rule_->measure)) {
        for (size_t k = 0; k < n; ++k)
            add(only(k));
    } else if (by_pairs(rule_->measure, n)) {
        for (size_t a = 0; a < n; ++a)
            for (size_t b = a + 1; b < n; ++b)
                add([a, b](size_t c) { return c == a ? 1.0 : c == b ? -1.0 : 0.0; });
    } else if (n <= 6) { // 31 groupings in two
        for (size_t code = 1; code < size_t{1} << (n - 1); ++code)
            add([code](size_t c) { return code >> c & 1 ? 1.0 : 0.0; });
    } else {
        keys_.clear();
        for (size_t c = 0; c < n; ++c)
            keys_.emplace_back(-total_[c], static_cast<Index>(c));
        sort_keys();
        for (size_t k = 0; k < std::min(n, most_starts); ++k)
            add(only(order_[k]));
    }
}

/// Adds the best cut of order_ to what was found.
void CategorySearch::start(const Lines &lines) {
    scores_.clear();
    score_cuts(lines);
    const size_t best = first_best();
    if (best == scores_.size())
        return;
    take_cut(best);
    found_.add(side_, scores_[best]);
}

/// Follows the best changes from each start while they bring more than a share of the gain. Starts that come
/// to where an earlier one was are dropped.
void CategorySearch::follow_all(const Lines &lines, const Reached &from, double least, Reached &ends) {
    ends.clear();
    seen_.clear();
    for (size_t s = 0; s < from.size; ++s) {
        side_ = from.sides[s];
        double score = from.scores[s];
        while (!met(side_)) {
            score_changes(lines, score);
            const size_t best = first_best();
            const double enough = score + std::max(band_, least * (score - node_purity_));
            if (best == scores_.size() || scores_[best] <= enough) {
                ends.add(side_, score);
                break;
            }
            score = scores_[best];
            if (best + 1 < lines.size())
                take_cut(best);
            else
                side_[best + 1 - lines.size()] ^= 1;
        }
    }
}

/// Scores what side_ may be changed to: the cuts of the lines by their advantage on the left, and all single
/// moves.
void CategorySearch::score_changes(const Lines &lines, double score) {
    score_moves(lines, score);
    double largest = 0.0;
    for (const auto &[advantage, line] : keys_)
        largest = std::max(largest, std::abs(advantage));
    for (auto &[advantage, line] : keys_)
        advantage = std::nearbyint((largest > 0.0 ? -advantage / largest : advantage) * gain_parts);
    sort_keys();
    scores_.clear();
    score_cuts(lines);
    scores_.insert(scores_.end(), moved_.begin(), moved_.end());
}

/// Scores all moves of one line to the other side, into moved_; and writes as keys what each line gains per
/// weight by being left rather than right, without limits.
void CategorySearch::score_moves(const Lines &lines, double score) {
    sum_sides(lines, side_);
    from_left_.swap(left_);
    from_right_.swap(right_);
    left_.resize(width_);
    right_.resize(width_);
    const int64_t rows = rows_of(lines, side_);
    const size_t n_clamped = is_of_classes(rule_->measure) ? width_ : 1;
    moved_.clear();
    keys_.clear();
    for (size_t i = 0; i < lines.size(); ++i) {
        const double sign = side_[i] ? -1.0 : 1.0;
        const Sums line = line_of(lines, i);
        for (size_t c = 0; c < width_; ++c) {
            left_[c] = from_left_[c] + sign * line[c];
            right_[c] = from_right_[c] - sign * line[c];
        }
        for (size_t c = 0; c < n_clamped; ++c) { // what is left of a sum taken away may be rounding below 0
            left_[c] = std::max(left_[c], 0.0);
            right_[c] = std::max(right_[c], 0.0);
        }
        const int64_t left_rows = rows + (side_[i] ? -lines.rows[i] : lines.rows[i]);
        const bool emptied = left_rows == 0 || left_rows == total_rows_;
        const double moved = emptied ? node_purity_ : score_of_sides();
        const bool fits = !emptied && allowed(left_rows, total_rows_ - left_rows);
        tried_ += fits;
        moved_.push_back(fits ? moved : none);
        const double change = std::abs(score - moved) > band_ ? score - moved : 0.0;
        const double advantage = side_[i] ? change : -change;
        keys_.emplace_back(advantage / lines.weights[i], static_cast<Index>(i));
    }
}

/// Copies the best of what was reached, best first; of tied ones the earlier first.
void CategorySearch::keep_best(const Reached &found, Reached &best) {
    best.clear();
    scores_.assign(found.scores.begin(), found.scores.begin() + static_cast<std::ptrdiff_t>(found.size));
    while (best.size < std::min(found.size, most_followed)) {
        const size_t first = first_best();
        best.add(found.sides[first], found.scores[first]);
        scores_[first] = none;
    }
}

/// Whether a division was met before, whichever side is called left; it is remembered by a hash.
bool CategorySearch::met(const std::vector<Side> &side) {
    uint64_t hash = 0;
    for (size_t i = 0; i < side.size(); ++i)
        if (side[i] == side[0])
            hash += scrambled(i);
    const bool is_met = std::find(seen_.begin(), seen_.end(), hash) != seen_.end();
    if (!is_met)
        seen_.push_back(hash);
    return is_met;
}

} // namespace deciduous
