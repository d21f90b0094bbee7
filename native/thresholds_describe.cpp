// What else is to be known of a threshold that was found, and of the candidates beside it.
#include "thresholds.hpp"

#include <algorithm>
#include <functional>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

template <typename R>
CutSides ThresholdSearch<R>::describe(const BestCut &cut) const {
    CutSides sides;
    if (cut.place == Place::none)
        return sides;
    const double missing = weight_of(scratch_.missing);
    sides.left = weight_between(0, cut.index);
    sides.right = weight_between(cut.index, n_known());
    sides.left += cut.place == Place::left ? missing : 0.0;
    sides.right += cut.place == Place::right || cut.place == Place::known_or_not ? missing : 0.0;
    sides.own = cut.place == Place::own_branch ? missing : 0.0;
    return sides;
}

/// How many of the records in [begin, end) start a value.
template <typename R>
int64_t ThresholdSearch<R>::starts_between(int64_t begin, int64_t end) const {
    int64_t starts = 0;
    for (int64_t i = begin; i < end; ++i)
        starts += known_[static_cast<size_t>(i)] >> Packing<R>::top;
    return starts;
}

template <typename R>
int64_t ThresholdSearch<R>::tally() const {
    int64_t tried = 0;
    if (too_few_)
        return tried;
    if (n_cuts_ >= 0 && !counted_)
        return n_cuts_;
    const bool both_sides = counted_ && !own_;
    if (counted_)
        tried += allows_known_or_not();
    if (!node_.weights && !(own_ && min_cases_ > 0.0)) {
        for (const Place place : {Place::left, Place::right})
            if (place == Place::left || both_sides) {
                const Range range = range_of(both_sides ? place : Place::nowhere);
                tried += starts_between(range.first, range.last);
            }
        return tried;
    }
    const double missing = weight_of(scratch_.missing), known = weight_of(scratch_.known);
    double left = 0.0;
    for (int64_t i = 0; i < n_known(); ++i) {
        const R record = known_[static_cast<size_t>(i)];
        const double right = known - left;
        if (i > 0 && Packing<R>::start(record) && both_sides)
            tried += allows(i + n_missing(), left + missing, n_known() - i, right) +
                     allows(i, left, n_known() - i + n_missing(), right + missing);
        else if (i > 0 && Packing<R>::start(record))
            tried += allows(i, left, n_known() - i, right);
        left += node_.weights ? node_.weights[packing_.row(record)] : 1.0;
    }
    return tried;
}

/// The sums of the known records before one; where classes were counted block by block, from those counts.
template <typename R>
void ThresholdSearch<R>::sum_before(int64_t index, std::span<double> sums) const {
    std::vector<double> before(sums.size());
    const int64_t begin = unit_cuts_.counts_near(index, before);
    sum(known_.subspan(static_cast<size_t>(begin), static_cast<size_t>(index - begin)), sums);
    std::transform(sums.begin(), sums.end(), before.begin(), sums.begin(), std::plus<>());
}

template <typename R>
void ThresholdSearch<R>::tabulate(const BestCut &cut, Description &description) const {
    description.missing = scratch_.missing;
    description.missing_rows = n_missing();
    if (cut.place == Place::none)
        return;
    const size_t width = scratch_.missing.size();
    description.lines.assign(description.weights.size() * width, 0.0);
    const std::span<double> left(description.lines.data(), width), right(left.data() + width, width);
    const auto rest = [&](std::span<const double> side, std::span<double> other) {
        std::transform(scratch_.known.begin(), scratch_.known.end(), side.begin(), other.begin(),
                       std::minus<>());
    };
    const auto behind = known_.subspan(static_cast<size_t>(cut.index));
    if (!node_.weights && !classes() && 2 * cut.index > n_known()) { // the smaller side is summed sooner
        sum(behind, right);
        rest(right, left);
    } else {
        sum_before(cut.index, left);
        node_.weights ? sum(behind, right) : rest(left, right);
    }
    if (cut.place == Place::nowhere)
        return;
    const size_t side = cut.place == Place::left ? 0 : cut.place == Place::own_branch ? 2 : 1;
    for (size_t i = 0; i < width; ++i)
        description.lines[side * width + i] += scratch_.missing[i];
}

template CutSides ThresholdSearch<uint32_t>::describe(const BestCut &) const;
template int64_t ThresholdSearch<uint32_t>::tally() const;
template void ThresholdSearch<uint32_t>::tabulate(const BestCut &, Description &) const;
template CutSides ThresholdSearch<uint64_t>::describe(const BestCut &) const;
template int64_t ThresholdSearch<uint64_t>::tally() const;
template void ThresholdSearch<uint64_t>::tabulate(const BestCut &, Description &) const;

} // namespace deciduous
