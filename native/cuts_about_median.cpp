// Plain cuts about the median: what every one of them gains, in one walk.
#include "cuts.hpp"

#include <cmath>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {

/// Writes by how much every cut lowers the error of all rows; returns the most.
template <typename Bits, typename R>
DECIDUOUS_INLINE double move_all(std::span<const R> records, const Packing<R> &packing, const double *sorted,
                                 CutScratch &scratch) {
    double best = -HUGE_VAL;
    double *const gains = scratch.left.score.data();
    const DividedRanks<Bits> ranks(records.size(), scratch.left_ranks, scratch.right_ranks);
    MedianSides(ranks, sorted)
        .move_all(
            static_cast<uint32_t>(records.size()), [&](uint32_t i) { return packing.row(records[i]); },
            [&](uint32_t i, double gain) {
                gains[i] = Packing<R>::start(records[i]) ? gain : -HUGE_VAL;
                best = gains[i] > best ? gains[i] : best;
            });
    return best;
}

#ifdef DECIDUOUS_AVX2
template <typename R>
DECIDUOUS_BITS double move_all_by_deposit(std::span<const R> records, const Packing<R> &packing,
                                          const double *sorted, CutScratch &scratch) {
    return move_all<BitsByDeposit>(records, packing, sorted, scratch);
}
#endif

} // namespace

/// The best of plain cuts about the median, of which no profile is kept.
template <typename R>
Cut CutSearch<R>::best_of_medians() {
    auto &gains = scratch_.left.score;
    if (gains.size() < known_.size())
        gains.resize(known_.size());
    const size_t n = known_.size();
#ifdef DECIDUOUS_AVX2
    const auto move = has_bits() ? move_all_by_deposit<R> : move_all<BitsByHalves, R>;
#else
    const auto move = move_all<BitsByHalves, R>;
#endif
    const double best = move(known_, packing_, node_.sorted, scratch_);
    if (best == -HUGE_VAL)
        return {};
    const double floor = best - node_.band / unit_;
    size_t i = 1;
    while (gains[i] < floor)
        ++i;
    return {static_cast<int64_t>(i), Place::nowhere, gains[i] * unit_, static_cast<double>(i),
            static_cast<double>(n - i)};
}

template Cut CutSearch<uint32_t>::best_of_medians();
template Cut CutSearch<uint64_t>::best_of_medians();

} // namespace deciduous
