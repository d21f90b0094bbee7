#include "unit_cuts.hpp"

#include "accumulators.hpp"

#include <algorithm>
#include <cmath>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;

constexpr int64_t few_records = 32; // below, a rough pass costs more than it saves

/// Offers the cuts of a stretch of records; gains are brought to those of the whole node.
template <typename R>
template <typename Accumulator>
void UnitCuts<R>::walk(Accumulator sides, int64_t begin, int64_t end, const Offers &offers,
                       FirstBest &found) const {
    double floor = found.floor();
    for (int64_t i = begin; i < end; ++i) {
        const R record = known_[static_cast<size_t>(i)];
        if (Packing<R>::start(record)) {
            const double gain = offers.share * sides.score() + offers.extra;
            if (gain >= floor) [[unlikely]] {
                found.offer({i, offers.place, gain, sides.left(), sides.right()});
                floor = found.floor();
            }
        }
        sides.move(packing_.class_code(record), packing_.row(record));
    }
}

/// Whether a rough pass over the cuts of a range pays.
template <typename R>
bool UnitCuts<R>::screens(const Range &range) const {
    if (range.last - range.first < few_records || (rule_.conventions.in_turn && classes()))
        return false;
    return !classes() || (sizeof(R) == sizeof(uint32_t) && rule_.measure == Measure::gini &&
                          can_screen(scratch_.all_counts.size()));
}

/// The rough pass. Returns what the best rating must be lowered by.
template <typename R>
float UnitCuts<R>::screen(const Range &range) {
    if constexpr (sizeof(R) == sizeof(uint32_t))
        if (classes()) {
            screened_ = range;
            return screen_classes(known_.data(), packing_, range, scratch_.left_counts, scratch_.all_counts,
                                  scratch_.screen);
        }
    return screen_numbers(known_.data(), packing_, range, node_.rough_numbers, mean_, excess_, last_excess_,
                          scratch_.screen);
}

/// Sums up what lies on the left side before the first cut of a range, and of numbers behind it too.
template <typename R>
void UnitCuts<R>::begin_at(const Range &range) {
    const auto before = known_.first(static_cast<size_t>(range.first));
    if (!classes()) {
        mean_ = scratch_.both[1] / scratch_.both[0];
        excess_ = scratch_.left[1] - scratch_.left[0] * mean_;
        last_excess_ =
            -(scratch_.right[1] - scratch_.known[1] - (scratch_.right[0] - scratch_.known[0]) * mean_);
        for (const R record : before)
            excess_ += node_.numbers[packing_.row(record)] - mean_;
        for (const R record : known_.subspan(static_cast<size_t>(range.last)))
            last_excess_ -= node_.numbers[packing_.row(record)] - mean_;
        return;
    }
    auto &left = scratch_.left_counts, &all = scratch_.all_counts;
    for (size_t c = 0; c < all.size(); ++c) {
        left[c] = static_cast<uint32_t>(scratch_.left[c]);
        all[c] = static_cast<uint32_t>(scratch_.both[c]);
    }
    for (const R record : before)
        ++left[packing_.class_code(record)];
}

template <typename R>
double UnitCuts<R>::most(const Range &range) {
    if (!screens(range))
        return HUGE_VAL;
    begin_at(range);
    const double slack = screen(range);
    const std::vector<float> &ratings = scratch_.screen.best;
    return *std::max_element(ratings.begin(), ratings.end()) + slack;
}

template <typename R>
void UnitCuts<R>::offer_classes(const Range &range, const Offers &offers, FirstBest &found) {
    auto &left = scratch_.left_counts, &all = scratch_.all_counts;
    const auto offer = [&](int64_t begin, int64_t end, std::span<uint32_t> counts) {
        const int64_t rows = begin + range.offset;
        if (rule_.measure == Measure::entropy)
            walk(LoggedCounts(whole_, rows, counts, all), begin, end, offers, found);
        else if (all.size() == 2)
            walk(TwoClasses(rows, counts, all), begin, end, offers, found);
        else
            walk(SquaredCounts(rows, counts, all), begin, end, offers, found);
    };
    if (!screens(range)) {
        offer(range.first, range.last, left);
        return;
    }
    const float slack = screen(range);
    each_good_block(range, slack, offers, found, [&](size_t block, int64_t begin, int64_t end) {
        const auto counts = std::span(scratch_.screen.classes).subspan(block * all.size(), all.size());
        std::copy(counts.begin(), counts.end(), left.begin());
        offer(begin, end, left);
    });
}

template <typename R>
void UnitCuts<R>::offer_numbers(const Range &range, const Offers &offers, FirstBest &found) {
    const auto offer = [&](int64_t begin, int64_t end, double sum) {
        walk(Balance(begin + range.offset, range.n, mean_, sum, node_.numbers), begin, end, offers, found);
    };
    if (!screens(range)) {
        offer(range.first, range.last, excess_);
        return;
    }
    const float slack = screen(range);
    each_good_block(range, slack, offers, found, [&](size_t block, int64_t begin, int64_t end) {
        offer(begin, end,
              sum_to_block(block, known_.data(), packing_, range, node_.numbers, mean_, scratch_.screen));
    });
}

/// Calls `visit` for the blocks that may hold a cut within the band of the best one.
template <typename R>
template <typename Visit>
void UnitCuts<R>::each_good_block(const Range &range, float slack, const Offers &offers,
                                  const FirstBest &found, Visit visit) const {
    const std::vector<float> &ratings = scratch_.screen.best;
    const double most = *std::max_element(ratings.begin(), ratings.end());
    const double floor =
        std::max(most - node_.band / offers.share, (found.floor() - offers.extra) / offers.share) -
        2.0 * slack;
    for (size_t b = 0; b < ratings.size(); ++b)
        if (ratings[b] >= floor) {
            const int64_t begin = range.first + static_cast<int64_t>(b) * block_size;
            visit(b, begin, std::min(begin + block_size, range.last));
        }
}

template <typename R>
void UnitCuts<R>::offer(const Range &range, const Offers &offers, FirstBest &found) {
    if (range.first >= range.last)
        return;
    begin_at(range);
    classes() ? offer_classes(range, offers, found) : offer_numbers(range, offers, found);
}

template <typename R>
int64_t UnitCuts<R>::counts_near(int64_t index, std::span<double> counts) const {
    std::fill(counts.begin(), counts.end(), 0.0);
    if (index < screened_.first || index >= screened_.last || screened_.offset != 0)
        return 0;
    const int64_t block = (index - screened_.first) / block_size;
    for (size_t c = 0; c < counts.size(); ++c)
        counts[c] = scratch_.screen.classes[static_cast<size_t>(block) * counts.size() + c];
    return screened_.first + block * block_size;
}

template class UnitCuts<uint32_t>;
template class UnitCuts<std::uint64_t>;

} // namespace deciduous
