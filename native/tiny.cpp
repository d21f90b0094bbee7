#include "tiny.hpp"

#include "accumulators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

void TinyRows::make_room(size_t n_columns, size_t size) {
    n_columns_ = n_columns;
    size_ = size;
    order_.resize(n_columns * most_rows + order_padding);
    starts_.resize(n_columns);
    ratings_.resize(n_columns);
}

void TinyRows::take_numbers(size_t n_columns, std::span<const double> numbers) {
    make_room(n_columns, numbers.size());
    std::copy(numbers.begin(), numbers.end(), numbers_.begin());
}

void TinyRows::set_counts(std::span<const double> counts) {
    all_.resize(counts.size());
    left_.resize(counts.size());
    for (size_t c = 0; c < counts.size(); ++c)
        all_[c] = static_cast<uint32_t>(counts[c]);
    counts_ = 0;
    for (size_t c = 0; c < std::min(counts.size(), rated_classes); ++c)
        counts_ += uint64_t{all_[c]} << 8 * c;
    extent_ = std::accumulate(counts.begin(), counts.end(), 0.0);
    rough_mean_ = counts.size() == 2 ? static_cast<float>(counts[1] / extent_) : 0.0F;
}

void TinyRows::set_numbers(const TinyNode &node, double centre, double scale) {
    double sum = 0.0;
    for (uint64_t rows = node.rows; rows; rows &= rows - 1) {
        const auto row = static_cast<size_t>(std::countr_zero(rows));
        deviation_[row] = (numbers_[row] - centre) / scale;
        sum += deviation_[row];
    }
    mean_ = sum / static_cast<double>(node.size);
    extent_ = 0.0;
    for (uint64_t rows = node.rows; rows; rows &= rows - 1) {
        const auto row = static_cast<size_t>(std::countr_zero(rows));
        const double x = deviation_[row] - mean_;
        scanned_[row] = static_cast<float>(x);
        extent_ += std::abs(x);
    }
}

void TinyRows::set_numbers_in_order(const TinyNode &node, double median, double scale) {
    for (uint64_t rows = node.rows; rows; rows &= rows - 1) {
        const auto row = static_cast<size_t>(std::countr_zero(rows));
        deviation_[row] = (numbers_[row] - median) / scale;
    }
}

/// The first cut within the band of the best one; `make` makes the sums, with nothing on the left side.
template <typename Make>
TinyCut TinyRows::search(const uint8_t *order, uint64_t cuts, size_t size, double band, double bar,
                         Make make) {
    double best = -HUGE_VAL;
    auto sides = make();
    for (size_t i = 0; i + 1 < size; ++i) {
        sides.move(classes_[order[i]], order[i]);
        const double score = sides.score();
        scores_[i] = score;
        best = cuts >> (i + 1) & 1 && score > best ? score : best;
    }
    return first_best(best, cuts, band, bar);
}

TinyCut TinyRows::first_best(double best, uint64_t cuts, double band, double bar) const {
    if (!(best > bar))
        return {};
    for (; cuts; cuts &= cuts - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(cuts));
        if (scores_[i - 1] >= best - band)
            return {scores_[i - 1], i};
    }
    return {};
}

namespace {

/// Writes what every cut gains, before the records 1, 2 ...; returns the most among `cuts`.
template <typename Bits>
DECIDUOUS_INLINE double move_all(uint64_t rows, const double *y, std::span<const uint8_t> order,
                                 uint64_t cuts, double *scores) {
    double best = -HUGE_VAL;
    const double unit = 1.0 / static_cast<double>(order.size());
    MedianSides(RankWord<Bits>(rows), y)
        .move_all(
            static_cast<uint32_t>(order.size()), [&](uint32_t i) { return uint32_t{order[i]}; },
            [&](uint32_t i, double gain) {
                const double score = gain * unit;
                scores[i - 1] = score;
                best = cuts >> i & 1 && score > best ? score : best;
            });
    return best;
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_BITS double move_all_by_deposit(uint64_t rows, const double *y, std::span<const uint8_t> order,
                                          uint64_t cuts, double *scores) {
    return move_all<BitsByDeposit>(rows, y, order, cuts, scores);
}
#endif

} // namespace

TinyCut TinyRows::search_medians(std::span<const uint8_t> order, uint64_t cuts, const TinyNode &node,
                                 double band, double bar) {
#ifdef DECIDUOUS_AVX2
    const auto move = has_bits() ? move_all_by_deposit : move_all<BitsByHalves>;
#else
    const auto move = move_all<BitsByHalves>;
#endif
    return first_best(move(node.rows, deviation_.data(), order, cuts, scores_.data()), cuts, band, bar);
}

TinyCut TinyRows::best(size_t column, const TinyNode &node, const Rule &rule, const WholeNumbers &whole,
                       size_t least, double band, double bar) {
    const uint64_t cuts = cuts_of(column, node, least);
    if (!cuts)
        return {};
    const uint8_t *const order = order_of(column) + node.begin;
    const auto n = static_cast<int64_t>(node.size);
    const auto search_by = [&](auto make) { return search(order, cuts, node.size, band, bar, make); };
    if (rule.measure == Measure::squared_error)
        return search_by([&] { return Balance(0, n, mean_, 0.0, deviation_.data()); });
    if (rule.measure == Measure::absolute_error)
        return search_medians(std::span(order, node.size), cuts, node, band, bar);
    std::fill(left_.begin(), left_.end(), 0);
    if (rule.measure == Measure::entropy)
        return search_by([&] { return LoggedCounts(whole, 0, left_, all_); });
    if (all_.size() == 2)
        return search_by([&] { return TwoClasses(0, left_, all_); });
    return search_by([&] { return SquaredCounts(0, left_, all_); });
}

uint64_t TinyRows::rows_before(size_t column, const TinyNode &node, size_t index) const {
    uint64_t rows = 0;
    for (size_t i = 0; i < index; ++i)
        rows |= uint64_t{1} << row_at(column, node.begin + i);
    return rows;
}

} // namespace deciduous
