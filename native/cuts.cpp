#include "cuts.hpp"

#include "limits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

/// Answers that differ by no more than this are in order both ways (see search/monotone.py).
constexpr double monotone_slack = 1e-10;

} // namespace

template <typename R>
CutSearch<R>::CutSearch(Records known, Records missing, const Packing<R> &packing, const NodeTarget &node,
                        const Terms &terms, const Rule &rule, CutScratch &scratch)
    : known_(known), missing_(missing), packing_(packing), node_(node), terms_(terms), rule_(rule),
      scratch_(scratch), counted_(rule.missing != MissingPolicy::known_only && !missing.empty()),
      own_branch_(counted_ && rule.missing == MissingPolicy::branch),
      checked_(rule.min_rows > 1 || rule.min_weight > 0.0 || rule.min_cases > 0.0 ||
               rule.measure == Measure::poisson || terms.sign != 0),
      unit_(1.0 / (node.weight * (rule.measure == Measure::entropy ? std::log(2.0) : 1.0))) {}

// --- what a set of rows comes to -------------------------------------------------------------------------

template <typename R>
void CutSearch<R>::add(R record, std::span<double> sums) const {
    const double w = weight_of(record);
    if (is_of_classes(rule_.measure)) {
        sums[packing_.class_code(record)] += w;
        return;
    }
    const double y = node_.numbers[packing_.row(record)];
    sums[0] += w;
    sums[1] += w * y;
    sums[2] += w * y * y;
}

template <typename R>
Side CutSearch<R>::side_of(std::span<const double> sums, int64_t rows) const {
    Side side{rows, sums[0], 0.0, 0.0};
    if (is_of_classes(rule_.measure))
        side.weight = std::accumulate(sums.begin(), sums.end(), 0.0);
    side.answer = side.weight > 0.0 && sums.size() > 1 ? sums[1] / side.weight : 0.0;
    if (rule_.measure != Measure::poisson)
        side.score = purity(rule_.measure, sums);
    else if (side.weight > 0.0)
        side.score = side.answer > 0.0 ? side.weight * mean_ * half_unit_deviance(side.answer / mean_ - 1.0)
                                       : -HUGE_VAL;
    return side;
}

template <typename R>
Deviation CutSearch<R>::deviation(Records some, Records others) {
    RankSet ranks(known_.size() + missing_.size(), false, scratch_.left_ranks);
    for (const Records records : {some, others})
        for (const R record : records)
            ranks.insert(node_.rank(packing_.row(record)));
    scratch_.set.clear();
    ranks.for_each([&](uint32_t rank) {
        scratch_.set.emplace_back(node_.sorted[rank],
                                  node_.sorted_weights ? node_.sorted_weights[rank] : 1.0);
    });
    return deviation_of(scratch_.set, !node_.weights);
}

/// Of two sets together.
template <typename R>
Side CutSearch<R>::side_of(Records some, Records others) {
    const auto rows = static_cast<int64_t>(some.size() + others.size());
    if (about_median()) {
        const Deviation found = deviation(some, others);
        return {rows, found.weight, -found.error, found.median};
    }
    scratch_.sums.assign(node_.totals.size(), 0.0);
    for (const Records records : {some, others})
        for (const R record : records)
            add(record, scratch_.sums);
    return side_of(scratch_.sums, rows);
}

/// The statistics of two sets together.
template <typename R>
void CutSearch<R>::write(Records some, Records others, std::span<double> line) {
    std::fill(line.begin(), line.end(), 0.0);
    if (about_median()) {
        const Deviation found = deviation(some, others);
        line[0] = found.weight;
        line[1] = found.median;
        line[2] = found.weight > 0.0 ? found.error / found.weight : 0.0;
        return;
    }
    for (const Records records : {some, others})
        for (const R record : records)
            add(record, line);
}

// --- what the sides of all cuts come to ------------------------------------------------------------------

template <typename R>
void CutSearch<R>::keep(Profile &profile, int64_t cut, double score, double weight, double answer) const {
    const auto at = static_cast<size_t>(cut);
    profile.score[at] = score;
    if (node_.weights)
        profile.weight[at] = weight;
    if (terms_.sign != 0)
        profile.answer[at] = answer;
}

template <typename R>
Side CutSearch<R>::side_at(const Profile &profile, int64_t cut, int64_t rows) const {
    const auto at = static_cast<size_t>(cut);
    return {rows, node_.weights ? profile.weight[at] : static_cast<double>(rows), profile.score[at],
            terms_.sign != 0 ? profile.answer[at] : 0.0};
}

/// Each side is summed from its own end, so that an empty class stays exactly 0.
template <typename R>
void CutSearch<R>::profile_sums(Profile &left, Profile &right, bool with_missing) {
    auto &sums = scratch_.sums;
    const auto begin = [&] {
        sums.assign(node_.totals.size(), 0.0);
        for (const R record : missing_)
            if (with_missing)
                add(record, sums);
    };
    const auto take = [&](Profile &profile, int64_t cut) {
        const Side side = side_of(sums, 0);
        keep(profile, cut, side.score, side.weight, side.answer);
    };
    begin();
    for (int64_t i = 1; i < n_known(); ++i) {
        add(known_[static_cast<size_t>(i - 1)], sums);
        if (Packing<R>::start(known_[static_cast<size_t>(i)]))
            take(left, i);
    }
    begin();
    for (int64_t i = n_known() - 1; i > 0; --i) {
        add(known_[static_cast<size_t>(i)], sums);
        if (Packing<R>::start(known_[static_cast<size_t>(i)]))
            take(right, i);
    }
}

/// The rows go from the right side to the left, one after another.
template <typename R>
template <bool Weighted>
void CutSearch<R>::profile_medians(Profile &left, Profile &right, bool with_missing) {
    const auto rank = [&](R record) { return node_.rank(packing_.row(record)); };
    const OrderedNumbers numbers = ordered_numbers();
    auto left_set = numbers.none<Weighted>(scratch_.left_ranks),
         right_set = numbers.all<Weighted>(scratch_.right_ranks);
    for (const R record : missing_)
        with_missing ? left_set.insert(rank(record)) : right_set.remove(rank(record));
    const auto take = [&](Profile &profile, size_t cut, const auto &set) {
        profile.score[cut] = -set.error();
        if constexpr (Weighted)
            profile.weight[cut] = set.weight();
        if (terms_.sign != 0)
            profile.answer[cut] = set.median();
    };
    for (size_t i = 1; i < known_.size(); ++i) {
        left_set.insert(rank(known_[i - 1]));
        right_set.remove(rank(known_[i - 1]));
        take(left, i, left_set);
        take(right, i, right_set);
    }
}

template <typename R>
void CutSearch<R>::profile(Profile &left, Profile &right, bool with_missing) {
    for (Profile *profile : {&left, &right})
        for (auto *values : {&profile->score, &profile->weight, &profile->answer})
            if (values->size() < known_.size())
                values->resize(known_.size());
    if (!about_median())
        profile_sums(left, right, with_missing);
    else if (node_.weights)
        profile_medians<true>(left, right, with_missing);
    else
        profile_medians<false>(left, right, with_missing);
}

template <typename R>
void CutSearch<R>::profile_all() {
    const Records counted = counted_ ? missing_ : Records{};
    if (rule_.measure == Measure::poisson) {
        scratch_.sums.assign(node_.totals.size(), 0.0);
        for (const Records records : {known_, counted})
            for (const R record : records)
                add(record, scratch_.sums);
        mean_ = scratch_.sums[0] > 0.0 ? scratch_.sums[1] / scratch_.sums[0] : 0.0;
    }
    all_missing_ = side_of(missing_, {});
    own_ = own_branch_ ? all_missing_ : Side{};
    if (about_median() && missing_.empty()) // what the node knows already; the median is its centre
        all_known_ = {n_known(), node_.totals[0], -node_.error, 0.0};
    else
        all_known_ = side_of(known_, {});
    whole_ = counted_ ? side_of(known_, missing_) : all_known_;
    if (rule_.random)
        return;
    profile(scratch_.left, scratch_.right, false);
    if (counted_ && !own_branch_)
        profile(scratch_.left_missing, scratch_.right_missing, true);
}

// --- the candidates --------------------------------------------------------------------------------------

template <typename R>
bool CutSearch<R>::allows(const Side &left, const Side &right, const Side &own) const {
    Branches branches(rule_);
    for (const Side *side : {&left, &right, &own}) {
        branches.add(side->rows, side->weight);
        const bool outside = terms_.sign != 0 && (side->answer < terms_.low - monotone_slack ||
                                                  side->answer > terms_.high + monotone_slack);
        if (side->rows > 0 && (outside || side->score == -HUGE_VAL))
            branches.forbid();
    }
    const bool in_order =
        left.rows == 0 || right.rows == 0 || (right.answer - left.answer) * terms_.sign >= -monotone_slack;
    return in_order && branches.allowed();
}

/// Every cut; where missing rows are tried on both sides, left, then right.
template <typename R>
template <typename Visit>
void CutSearch<R>::each_cut(Visit visit) {
    const bool both = counted_ && !own_branch_;
    const auto offer = [&](int64_t cut, Place place, const Side &left, const Side &right) {
        if (!checked_ || allows(left, right, own_))
            visit(Cut{cut, place, gain_of(left, right, own_), left.weight, right.weight});
    };
    const int64_t n = n_known(), m = n_missing();
    for (int64_t i = 1; i < n; ++i) {
        if (!Packing<R>::start(known_[static_cast<size_t>(i)]))
            continue;
        const Side left = side_at(scratch_.left, i, i), right = side_at(scratch_.right, i, n - i);
        if (!both) {
            offer(i, own_branch_ ? Place::own_branch : Place::nowhere, left, right);
            continue;
        }
        offer(i, Place::left, side_at(scratch_.left_missing, i, i + m), right);
        offer(i, Place::right, left, side_at(scratch_.right_missing, i, n - i + m));
    }
}

template <typename R>
template <typename Visit>
void CutSearch<R>::known_or_not(Visit visit) {
    // Where missing rows have a branch of their own the second branch is empty: nothing to be in order with.
    const bool three = own_branch_ && !rule_.random;
    const Side second = three ? Side{} : all_missing_, third = three ? all_missing_ : Side{};
    if (allows(all_known_, second, third))
        visit(Cut{n_known(), Place::known_or_not, gain_of(all_known_, second, third), all_known_.weight,
                  all_missing_.weight});
}

/// The one candidate that was drawn.
template <typename R>
template <typename Visit>
void CutSearch<R>::drawn(Visit visit) {
    if (terms_.drawn == 0) {
        if (counted_ && !known_.empty())
            known_or_not(visit);
        return;
    }
    const bool placed = counted_ && !own_branch_;
    const bool on_left = placed && terms_.missing_left, on_right = placed && !terms_.missing_left;
    const Side left = side_of(first(terms_.drawn), on_left ? missing_ : Records{}),
               right = side_of(from(terms_.drawn), on_right ? missing_ : Records{});
    const Place place = own_branch_ ? Place::own_branch
                        : on_left   ? Place::left
                        : on_right  ? Place::right
                                    : Place::nowhere;
    if (allows(left, right, own_))
        visit(Cut{terms_.drawn, place, gain_of(left, right, own_), left.weight, right.weight});
}

template <typename R>
template <typename Visit>
void CutSearch<R>::each_candidate(Visit visit) {
    profile_all();
    if (rule_.random) {
        drawn(visit);
        return;
    }
    each_cut(visit);
    if (counted_)
        known_or_not(visit);
}

/// The first candidate within the band of the best one, if there is any.
template <typename R>
Cut CutSearch<R>::first_best() {
    FirstBest &best = scratch_.best;
    best.reset(node_.band);
    each_candidate([&](const Cut &cut) {
        if (cut.score >= best.floor()) [[unlikely]]
            best.offer(cut);
    });
    return best.empty() ? Cut{} : best.first();
}

/// Whether every cut is allowed, rows weigh 1, and no cell is missing.
template <typename R>
bool CutSearch<R>::is_plain() const {
    return about_median() && !checked_ && !node_.weights && missing_.empty() && !rule_.random &&
           !node_.ranks && known_.size() > 1;
}

template <typename R>
BestCut CutSearch<R>::best() {
    const Cut cut = is_plain() ? best_of_medians() : first_best();
    if (cut.place == Place::none)
        return {};
    BestCut found{cut.score, 0.0, cut.index, cut.place};
    // Missing rows that are in neither of the two branches are one more.
    const bool apart = cut.place == Place::own_branch || cut.place == Place::nowhere;
    for (const double w : {cut.left, cut.right, apart ? all_missing_.weight : 0.0})
        if (w > rule_.slack * node_.weight)
            found.information -= w / node_.weight * std::log2(w / node_.weight);
    return found;
}

// --- describing ------------------------------------------------------------------------------------------

template <typename R>
CutSides CutSearch<R>::describe(const BestCut &cut) {
    CutSides sides;
    if (cut.place == Place::none)
        return sides;
    const auto weight = [&](Records records) {
        double sum = 0.0;
        for (const R record : records)
            sum += weight_of(record);
        return sum;
    };
    const double missing = weight(missing_);
    sides.left = weight(first(cut.index)) + (cut.place == Place::left ? missing : 0.0);
    sides.right = weight(from(cut.index));
    sides.right += cut.place == Place::right || cut.place == Place::known_or_not ? missing : 0.0;
    sides.own = cut.place == Place::own_branch ? missing : 0.0;
    return sides;
}

template <typename R>
int64_t CutSearch<R>::tally() {
    int64_t tried = 0;
    if (is_plain()) {
        for (const R record : from(1))
            tried += Packing<R>::start(record);
        return tried;
    }
    each_candidate([&](const Cut &) { ++tried; });
    return tried;
}

template <typename R>
void CutSearch<R>::tabulate(const BestCut &cut, Description &description) {
    const size_t width = node_.totals.size();
    description.missing.assign(width, 0.0);
    write(missing_, {}, description.missing);
    description.missing_rows = n_missing();
    if (cut.place == Place::none)
        return;
    description.lines.assign(description.weights.size() * width, 0.0);
    const std::span<double> lines(description.lines);
    const bool on_left = cut.place == Place::left,
               on_right = cut.place == Place::right || cut.place == Place::known_or_not;
    write(first(cut.index), on_left ? missing_ : Records{}, lines.first(width));
    write(from(cut.index), on_right ? missing_ : Records{}, lines.subspan(width, width));
    if (cut.place == Place::own_branch)
        write(missing_, {}, lines.subspan(2 * width));
}

template class CutSearch<uint32_t>;
template class CutSearch<std::uint64_t>;

} // namespace deciduous
