#include "thresholds.hpp"

#include "accumulators.hpp"
#include "rivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;

constexpr int64_t few_weighted = 8; // below, a rough pass costs more than it saves

} // namespace

// --- what a search knows ---------------------------------------------------------------------------------

template <typename R>
ThresholdSearch<R>::ThresholdSearch(std::span<const R> known, std::span<const R> missing,
                                    const Packing<R> &packing, const NodeTarget &node, const Rule &rule,
                                    const WholeNumbers &whole, SearchScratch &scratch)
    : known_(known), missing_(missing), packing_(packing), node_(node), rule_(rule), scratch_(scratch),
      unit_cuts_(known, packing, node, rule, whole, scratch),
      counted_(rule.missing != MissingPolicy::known_only && !missing.empty()),
      own_(counted_ && rule.missing == MissingPolicy::branch) {
    const double most_min_split = std::max(rule.min_cases, rule.min_split(node.weight, node.totals.size()));
    if (!rule.weighs_losers && rule.conventions.counts_cuts && rule.measure == Measure::entropy &&
        !counted_ && !rule.conventions.counts_rows && rule.min_rows <= 1 && rule.min_weight <= 0.0 &&
        has_too_many_cuts(known, packing, node, rule.enough(most_min_split) * (1.0 + rule.slack))) {
        is_rough_ = true;
        return;
    }
    if (missing.empty()) {
        std::copy(node.totals.begin(), node.totals.end(), scratch.known.begin());
        std::fill(scratch.missing.begin(), scratch.missing.end(), 0.0);
    } else {
        sum(missing, scratch.missing);
        if (classes() && missing.size() < known.size())
            std::transform(node.totals.begin(), node.totals.end(), scratch.missing.begin(),
                           scratch.known.begin(),
                           [](double all, double apart) { return std::max(all - apart, 0.0); });
        else
            sum(known, scratch.known);
    }
    min_cases_ = rule.min_cases;
    if (rule.conventions.min_split_share > 0.0)
        min_cases_ = rule.min_split(weight_of(scratch.known), scratch.known.size());
    too_few_ =
        rule.conventions.counts_rows && static_cast<double>(known.size()) < rule.enough(2.0 * min_cases_);
}

template <typename R>
double ThresholdSearch<R>::weight_of(std::span<const double> sums) const {
    return classes() ? std::accumulate(sums.begin(), sums.end(), 0.0) : sums[0];
}

template <typename R>
void ThresholdSearch<R>::sum(std::span<const R> records, std::span<double> sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    if (!classes()) {
        sum_numbers(records, sums);
        return;
    }
    for (const R record : records)
        sums[packing_.class_code(record)] += node_.weights ? node_.weights[packing_.row(record)] : 1.0;
}

/// Several sums side by side: none waits for the last addition of another.
template <typename R>
void ThresholdSearch<R>::sum_numbers(std::span<const R> records, std::span<double> sums) const {
    constexpr size_t lanes = 4;
    std::array<std::array<double, lanes>, 3> parts{};
    const auto add = [&](R record, size_t lane) {
        const uint32_t row = packing_.row(record);
        const double w = node_.weights ? node_.weights[row] : 1.0, y = node_.numbers[row];
        parts[0][lane] += w;
        parts[1][lane] += w * y;
        parts[2][lane] += w * y * y;
    };
    size_t i = 0;
    for (; i + lanes <= records.size(); i += lanes)
        for (size_t lane = 0; lane < lanes; ++lane)
            add(records[i + lane], lane);
    for (; i < records.size(); ++i)
        add(records[i], i % lanes);
    for (size_t k = 0; k < parts.size(); ++k)
        sums[k] = (parts[k][0] + parts[k][1]) + (parts[k][2] + parts[k][3]);
}

/// Every branch that holds rows has enough of them, and at least two have the weight `min_cases`.
template <typename R>
bool ThresholdSearch<R>::allows(int64_t left_rows, double left, int64_t right_rows, double right,
                                int64_t own_rows, double own) const {
    const double least = rule_.min_weight * (1.0 - rule_.slack), cases = rule_.enough(min_cases_);
    const auto fits = [&](int64_t rows, double weight) {
        return rows == 0 || (rows >= rule_.min_rows && weight >= least);
    };
    const int filled = (left_rows > 0) + (right_rows > 0) + (own_rows > 0);
    const int heavy = (left >= cases) + (right >= cases) + (own_rows > 0 && own >= cases);
    return filled >= 2 && heavy >= (cases > 0.0 ? 2 : 0) && fits(left_rows, left) &&
           fits(right_rows, right) && fits(own_rows, own);
}

// --- searching -------------------------------------------------------------------------------------------

template <typename R>
BestCut ThresholdSearch<R>::best() {
    scratch_.best.reset(node_.band, rule_.conventions.in_turn, node_.bar - node_.band);
    if (is_rough_)
        return {0.0, 0.0, 0, Place::nowhere, 1};
    if (too_few_ || cannot_be_cut())
        return {};
    if (counted_ && rule_.missing == MissingPolicy::direction)
        both_directions();
    else
        pass(own_ ? Place::own_branch : Place::nowhere, scratch_.best);
    if (counted_)
        known_or_not();
    if (scratch_.best.empty())
        return {};
    const Cut &found = scratch_.best.first();
    if (is_rough_)
        return {found.score, 0.0, found.index, found.place, n_cuts_};
    // Sums that moved from cut to cut are rounded.
    const bool running = !by_blocks_ && (node_.weights || rule_.measure == Measure::entropy);
    const double own = found.place == Place::own_branch ? weight_of(scratch_.missing) : 0.0;
    const double unplaced = counted_ ? 0.0 : weight_of(scratch_.missing);
    BestCut best{running ? gain_afresh(found) : found.score, 0.0, found.index, found.place, 0};
    if (rule_.conventions.counts_cuts)
        best.tried = tally();
    for (const double w : {found.left, found.right, own + unplaced})
        if (rule_.ratio && w > rule_.slack * node_.weight)
            best.information -= w / node_.weight * std::log2(w / node_.weight);
    return best;
}

template <typename R>
bool ThresholdSearch<R>::allows(int64_t left_rows, double left, int64_t right_rows, double right) const {
    return own_ ? allows(left_rows, left, right_rows, right, n_missing(), weight_of(scratch_.missing))
                : allows(left_rows, left, right_rows, right, 0, 0.0);
}

/// Begins with the known rows on the right; at `Place::left` and `Place::right` the missing ones are counted
/// on that side.
template <typename R>
void ThresholdSearch<R>::place_missing(Place place) {
    auto &left = scratch_.left, &right = scratch_.right, &both = scratch_.both;
    for (size_t i = 0; i < left.size(); ++i) {
        left[i] = place == Place::left ? scratch_.missing[i] : 0.0;
        right[i] = scratch_.known[i] + (place == Place::right ? scratch_.missing[i] : 0.0);
        both[i] = left[i] + right[i];
    }
}

/// Scans once.
template <typename R>
void ThresholdSearch<R>::pass(Place place, FirstBest &found) {
    const auto &both = scratch_.both;
    place_missing(place);
    const double extra = own_ ? gain_of_missing_apart() : 0.0;
    if (is_one_range())
        unit_cuts_.offer(range_of(place), {place, weight_of(both) / node_.weight, extra}, found);
    else
        scan_weights(place, found, extra);
}

/// With unit weights the limits allow one range of cuts, unless two branches of three must be heavy.
template <typename R>
bool ThresholdSearch<R>::is_one_range() const {
    return !node_.weights && !(own_ && min_cases_ > 0.0) &&
           (!classes() || rule_.measure != Measure::misclassification);
}

/// A branch of their own for missing rows is a division of its own, that all cuts share.
template <typename R>
double ThresholdSearch<R>::gain_of_missing_apart() const {
    std::vector<double> all(scratch_.both);
    for (size_t i = 0; i < all.size(); ++i)
        all[i] += scratch_.missing[i];
    return (purity_of(scratch_.both) + purity_of(scratch_.missing) - purity_of(all)) * gain_scale();
}

template <typename R>
void ThresholdSearch<R>::scan_weights(Place place, FirstBest &found, double extra) {
    auto &left = scratch_.left, &right = scratch_.right;
    const double scale = gain_scale(), base = purity_of(scratch_.both) - extra / scale;
    const bool few = n_known() < few_weighted || (own_ && min_cases_ > 0.0);
    if (classes() && !few)
        scan_weighted_classes(place, found, base, scale);
    else if (classes())
        scan(WeightedClasses(rule_.measure, node_.weights, left, right, base, scale), 0, n_known(), place,
             found);
    else
        scan(Moments(node_.numbers, node_.weights, left, right, base, scale), 0, n_known(), place, found);
}

/// Two sides of the least weight would be more than is known.
template <typename R>
bool ThresholdSearch<R>::cannot_be_cut() const {
    return !counted_ && min_cases_ > 0.0 &&
           weight_of(scratch_.known) < 2.0 * rule_.enough(min_cases_) * (1.0 - rule_.slack);
}

/// Whether a gain is used up by what the cut pays for the number of its rivals.
template <typename R>
bool ThresholdSearch<R>::cannot_pay(double gain) const {
    const double bits = std::log2(static_cast<double>(std::max<int64_t>(n_cuts_, 1)));
    return rule_.conventions.counts_cuts && !counted_ && gain - bits / node_.weight <= node_.band;
}

template <typename R>
double ThresholdSearch<R>::weight_between(int64_t begin, int64_t end) const {
    if (!node_.weights)
        return static_cast<double>(end - begin);
    double weight = 0.0;
    for (int64_t i = begin; i < end; ++i)
        weight += node_.weights[packing_.row(known_[static_cast<size_t>(i)])];
    return weight;
}

/// The cuts that limits on weights allow.
template <typename R>
Range ThresholdSearch<R>::range_by_weight(Place place) const {
    const int64_t n = n_known(), on_left = place == Place::left ? n_missing() : 0,
                  on_right = place == Place::right ? n_missing() : 0;
    const double missing = weight_of(scratch_.missing), share = 1.0 - rule_.slack;
    if (own_ && (n_missing() < rule_.min_rows || missing < rule_.min_weight * share))
        return {};
    const double least = std::max(rule_.min_weight * share, rule_.enough(min_cases_));
    int64_t first = 0, last = n;
    for (double left = place == Place::left ? missing : 0.0; first < n && left < least; ++first)
        left += weight_between(first, first + 1);
    for (double right = place == Place::right ? missing : 0.0; last > 0 && right < least; --last)
        right += weight_between(last - 1, last);
    first = std::max({int64_t{1}, rule_.min_rows - on_left, first});
    last = std::min({n - std::max(int64_t{1}, rule_.min_rows - on_right), last});
    return {first, std::max(first, last + 1)};
}

/// Offers the cuts that may be the best one.
template <typename R>
void ThresholdSearch<R>::scan_weighted_classes(Place place, FirstBest &found, double base, double scale) {
    const Range range = range_by_weight(place);
    auto &left = scratch_.left, &right = scratch_.right, &both = scratch_.both;
    RoughCuts &rough = scratch_.rough;
    rate_cuts(rule_.measure, known_.data(), packing_, node_.weights, range, left, both, rough);
    by_blocks_ = true;
    n_cuts_ = rough.n_cuts;
    if (n_cuts_ == 0)
        return;
    const double weight = weight_of(both), slack = rough.slack * weight * scale;
    const auto gain = [&](float rating) { return (static_cast<double>(rating) * weight - base) * scale; };
    const double top = gain(*std::max_element(rough.best.begin(), rough.best.end()));
    if (!rule_.weighs_losers && cannot_pay(top + slack)) {
        is_rough_ = true;
        found.offer({0, place, top, 0.0, 0.0});
        return;
    }
    const double floor = rule_.conventions.in_turn ? -HUGE_VAL : top - slack - node_.band;
    const auto may_win = [&](float rating) { // where there is no cut it is endless, and no floor keeps it out
        return std::isfinite(rating) && gain(rating) + slack >= std::max(floor, found.floor());
    };
    for (size_t block = 0; block < rough.best.size(); ++block) {
        if (!may_win(rough.best[block]))
            continue;
        const auto before = std::span(rough.before).subspan(block * left.size(), left.size());
        std::copy(before.begin(), before.end(), left.begin());
        const int64_t begin = static_cast<int64_t>(block) * block_size,
                      end = std::min(begin + block_size, range.last);
        for (int64_t i = begin; i < end; ++i) {
            const auto at = static_cast<size_t>(i);
            if (may_win(rough.ratings[at])) {
                std::transform(both.begin(), both.end(), left.begin(), right.begin(), std::minus<>());
                const double score = (purity_of(left) + purity_of(right) - base) * scale;
                if (score >= found.floor())
                    found.offer({i, place, score, weight_of(left), weight_of(right)});
            }
            left[packing_.class_code(known_[at])] += weight_between(i, i + 1);
        }
    }
}

/// Offers the cuts of a stretch of records that the limits allow.
template <typename R>
template <typename Accumulator>
void ThresholdSearch<R>::scan(Accumulator sides, int64_t begin, int64_t end, Place place, FirstBest &found) {
    const int64_t n = n_known(), on_left = place == Place::left ? n_missing() : 0,
                  on_right = place == Place::right ? n_missing() : 0;
    const bool limited = rule_.min_rows > 1 || rule_.min_weight > 0.0 || min_cases_ > 0.0;
    for (int64_t i = begin; i < end; ++i) {
        const R record = known_[static_cast<size_t>(i)];
        if (Packing<R>::start(record) && i > 0 &&
            (!limited || allows(i + on_left, sides.left(), n - i + on_right, sides.right()))) {
            const double score = sides.score();
            if (score >= found.floor()) [[unlikely]]
                found.offer({i, place, score, sides.left(), sides.right()});
        }
        sides.move(packing_.class_code(record), packing_.row(record));
    }
}

/// The cuts that limits allow where all weights are 1.
template <typename R>
Range ThresholdSearch<R>::range_of(Place place) const {
    const double weight = std::max(rule_.min_weight * (1.0 - rule_.slack), rule_.enough(min_cases_));
    const int64_t least = std::max({int64_t{1}, rule_.min_rows, rows_of(weight)});
    const int64_t offset = place == Place::left ? n_missing() : 0;
    const int64_t n = n_known() + (place == Place::left || place == Place::right ? n_missing() : 0);
    const bool own_is_small =
        own_ && n_missing() < std::max(rule_.min_rows, rows_of(rule_.min_weight * (1.0 - rule_.slack)));
    Range range{std::max(int64_t{1}, least - offset), std::min(n_known() - 1, n - offset - least) + 1, offset,
                n};
    if (own_is_small || range.last < range.first)
        range.last = range.first;
    return range;
}

template <typename R>
double ThresholdSearch<R>::bound() {
    if (is_rough_ || too_few_ || counted_ || cannot_be_cut() || !is_one_range())
        return HUGE_VAL;
    place_missing(Place::nowhere);
    return unit_cuts_.most(range_of(Place::nowhere)) * weight_of(scratch_.both) / node_.weight;
}

/// Every cut with the missing rows left, then right: two passes, merged in that order.
template <typename R>
void ThresholdSearch<R>::both_directions() {
    FirstBest &to_left = scratch_.to_left, &to_right = scratch_.to_right;
    to_left.reset(node_.band, false, node_.bar - node_.band);
    to_right.reset(node_.band, false, node_.bar - node_.band);
    pass(Place::left, to_left);
    pass(Place::right, to_right);
    while (!to_left.empty() || !to_right.empty()) {
        const bool left_next =
            !to_left.empty() && (to_right.empty() || to_left.first().index <= to_right.first().index);
        FirstBest &from = left_next ? to_left : to_right;
        if (from.first().score >= scratch_.best.floor())
            scratch_.best.offer(from.first());
        from.drop_first();
    }
}

template <typename R>
bool ThresholdSearch<R>::allows_known_or_not() const {
    return allows(n_known(), weight_of(scratch_.known), n_missing(), weight_of(scratch_.missing), 0, 0.0);
}

template <typename R>
void ThresholdSearch<R>::known_or_not() {
    if (!allows_known_or_not())
        return;
    Cut cut{n_known(), Place::known_or_not, 0.0, weight_of(scratch_.known), weight_of(scratch_.missing)};
    cut.score = gain_afresh(cut);
    if (cut.score >= scratch_.best.floor())
        scratch_.best.offer(cut);
}

/// The gain of a cut from sums of their own, without the rounding of sums that moved.
template <typename R>
double ThresholdSearch<R>::gain_afresh(const Cut &cut) {
    auto &left = scratch_.left, &right = scratch_.right, &all = scratch_.both;
    const auto index = static_cast<size_t>(cut.index);
    sum(known_.first(index), left);
    sum(known_.subspan(index), right);
    const bool missing_left = cut.place == Place::left,
               missing_right = cut.place == Place::right || cut.place == Place::known_or_not;
    double score = cut.place == Place::own_branch ? purity_of(scratch_.missing) : 0.0;
    for (size_t i = 0; i < all.size(); ++i) {
        left[i] += missing_left ? scratch_.missing[i] : 0.0;
        right[i] += missing_right ? scratch_.missing[i] : 0.0;
        all[i] = left[i] + right[i] + (cut.place == Place::own_branch ? scratch_.missing[i] : 0.0);
    }
    score += purity_of(left) + purity_of(right) - purity_of(all);
    return score * gain_scale();
}

template class ThresholdSearch<uint32_t>;
template class ThresholdSearch<std::uint64_t>;

} // namespace deciduous
