// The first strictly best cut of ordered columns under squared error. Between two cuts the sum of deviations
// stays within a box, and the rating is convex in it and in the weight, so that it is nowhere larger than at
// the corners. One pass adds up, a few rows at a time; where the corners come near the best rating that was
// met, the cuts are looked at, by a formula of few divisions, and where that comes near it, by the exact one.
//
// The order of a sum is part of the rule, so that every addition waits for the one before: several columns
// are added up side by side.
#include "surrogate_bits.hpp"
#include "surrogate_sums.hpp"
#include "vector.hpp"

#include <array>
#include <bit>
#include <utility>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr size_t box_rows = 32, lanes = SurrogateMemory::most_columns;

/// One of the columns side by side.
class Lane {
public:
    /// `numbers`: the targets in the order of the column, at every fourth place.
    Lane(std::span<const OrderedRow> known, double *numbers, int64_t least, const SurrogateTarget &target,
         SurrogateMemory::Boxes &boxes)
        : cuts(known.size(), least), known_(known), numbers_(numbers), target_(target), boxes_(boxes) {
        boxes_.begins.clear();
        boxes_.most.clear();
    }

    /// Fetches the rows from .. n-1, and adds them to the sums that the mean is made of.
    void fetch(size_t from) {
        for (size_t i = from; i < known_.size(); ++i) {
            const uint32_t row = known_[i].row();
            const double w = target_.weight_of(row);
            numbers_[i * lanes] = target_.numbers[row];
            weight += w;
            sum += w * target_.numbers[row];
        }
        mean = sum / weight;
    }

    DECIDUOUS_INLINE void add(size_t i) {
        const double w = target_.weight.empty() ? 1.0 : target_.weight[known_[i].row()],
                     deviation = numbers_[i * lanes] - mean;
        sums[0] += w;
        sums[1] += w * deviation;
        sums[2] += w * (deviation * deviation);
    }

    /// Goes on in boxes from a row on that begins one, and adds up what is behind the last cut.
    void add_boxes(size_t from) {
        for (size_t begin = from; begin < cuts.end; begin += box_rows) {
            const size_t stop = std::min(begin + box_rows, cuts.end);
            const Moments first = sums;
            double low = sums[1], high = sums[1];
            for (size_t i = begin; i < stop; ++i) {
                add(i);
                low = sums[1] < low ? sums[1] : low;
                high = sums[1] > high ? sums[1] : high;
            }
            const Moments last = std::exchange(sums, first);
            close(begin, stop, last, low, high);
        }
        for (size_t i = std::max(from, cuts.end); i < known_.size(); ++i)
            add(i);
        total = sums;
    }

    /// Notes a box that begins with the present sums: the sums behind it, and the extent of that of the
    /// deviations.
    DECIDUOUS_INLINE void close(size_t begin, size_t stop, const Moments &last, double low, double high) {
        const uint64_t here = cuts_of(starts, begin / word_rows, std::max(begin, cuts.first), stop);
        tried += std::popcount(here);
        boxes_.begins.push_back(sums);
        boxes_.most.push_back(here != 0 ? std::max(low * low, high * high) *
                                              std::max(per_square(sums[0]), per_square(last[0]))
                                        : -HUGE_VAL);
        if (known_[stop].starts() && stop > cuts.first)
            top = std::max(top, rough(last));
        sums = last;
    }

    const OrderedRow *rows() const { return known_.data(); }

    /// Finds the best cut; whether there is any.
    bool decide(const Rater &rater, double risk);

    CutRange cuts;
    std::span<const uint64_t> starts;
    double weight = 0.0, sum = 0.0, mean = 0.0;
    Moments sums{}, total{};
    double top = -HUGE_VAL; // the best rough rating that was met
    int64_t tried = 0;
    double improvement = -HUGE_VAL;
    size_t at = 0;
    Moments below{};

private:
    DECIDUOUS_INLINE double per_square(double w) const { return weight / (w * (weight - w)); }
    DECIDUOUS_INLINE double rough(const Moments &m) const { return m[1] * m[1] * per_square(m[0]); }
    double bar() const { return std::isfinite(top) ? top - rounding * top : top; }

    template <typename Near>
    void look(size_t box, Near near) {
        sums = boxes_.begins[box];
        for (size_t i = box * box_rows; i < std::min((box + 1) * box_rows, cuts.end); ++i) {
            add(i);
            if (!known_[i + 1].starts() || i < cuts.first)
                continue;
            const double rating = rough(sums);
            if (!(rating >= bar()))
                continue;
            top = std::max(top, rating);
            near(i);
        }
    }

    std::span<const OrderedRow> known_;
    double *numbers_;
    const SurrogateTarget &target_;
    SurrogateMemory::Boxes &boxes_;
};

bool Lane::decide(const Rater &rater, double risk) {
    const std::vector<double> &most = boxes_.most;
    if (tried == 0)
        return false;
    // The box that may hold the best comes first, to raise the bar; then all, as the first one wins.
    look(static_cast<size_t>(std::max_element(most.begin(), most.end()) - most.begin()), [](size_t) {});
    for (size_t box = 0; box < most.size(); ++box)
        if (most[box] >= bar())
            look(box, [&](size_t i) {
                const double value = rater.improvement(sums.data(), total.data(), 0.0, risk);
                if (value > improvement) {
                    improvement = value;
                    at = i;
                    below = sums;
                }
            });
    return true;
}

#ifdef DECIDUOUS_AVX2

/// Fetches the first n rows of up to four columns, and adds each up.
DECIDUOUS_AVX2 void fetch_fours(size_t n, std::span<Lane> columns, const double *y, double *numbers) {
    std::array<const OrderedRow *, lanes> orders;
    for (size_t k = 0; k < lanes; ++k)
        orders[k] = columns[std::min(k, columns.size() - 1)].rows();
    __m256d sum = _mm256_setzero_pd();
    for (size_t i = 0; i < n; ++i) {
        const __m256d x = _mm256_set_pd(y[orders[3][i].row()], y[orders[2][i].row()], y[orders[1][i].row()],
                                        y[orders[0][i].row()]);
        _mm256_storeu_pd(numbers + i * lanes, x);
        sum = _mm256_add_pd(sum, x);
    }
    std::array<double, lanes> sums;
    _mm256_storeu_pd(sums.data(), sum);
    for (size_t k = 0; k < columns.size(); ++k) {
        columns[k].weight = static_cast<double>(n);
        columns[k].sum = sums[k];
    }
}

/// Adds up the deviations of the first n rows, a multiple of the rows of a box.
DECIDUOUS_AVX2 void add_fours(size_t n, std::span<Lane> columns, const double *numbers) {
    alignas(32) std::array<double, lanes> means{}, low, high, first, second;
    for (size_t k = 0; k < columns.size(); ++k)
        means[k] = columns[k].mean;
    const __m256d mean = _mm256_load_pd(means.data());
    __m256d sum = _mm256_setzero_pd(), squares = sum;
    for (size_t begin = 0; begin < n; begin += box_rows) {
        __m256d least = sum, most = sum;
        for (size_t i = begin; i < begin + box_rows; ++i) {
            const __m256d x = _mm256_sub_pd(_mm256_loadu_pd(numbers + i * lanes), mean);
            sum = _mm256_add_pd(sum, x);
            squares = _mm256_add_pd(squares, _mm256_mul_pd(x, x));
            least = _mm256_min_pd(least, sum);
            most = _mm256_max_pd(most, sum);
        }
        _mm256_store_pd(low.data(), least);
        _mm256_store_pd(high.data(), most);
        _mm256_store_pd(first.data(), sum);
        _mm256_store_pd(second.data(), squares);
        const size_t stop = begin + box_rows;
        for (size_t k = 0; k < columns.size(); ++k)
            columns[k].close(begin, stop, {static_cast<double>(stop), first[k], second[k]}, low[k], high[k]);
    }
}

#endif

/// Adds up columns, side by side as far as they go and their rows weigh 1.
void add_up(std::span<Lane> columns, const SurrogateTarget &target, double *numbers) {
    size_t together = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2() && columns.size() > 1 && target.weight.empty()) {
        together = SIZE_MAX;
        for (const Lane &lane : columns)
            together = std::min(together, lane.cuts.end / box_rows * box_rows);
        fetch_fours(together, columns, target.numbers.data(), numbers);
    }
#endif
    for (Lane &lane : columns)
        lane.fetch(together);
#ifdef DECIDUOUS_AVX2
    if (together > 0)
        add_fours(together, columns, numbers);
#endif
    for (Lane &lane : columns)
        lane.add_boxes(together);
}

} // namespace

void SurrogateRows::best_of_squares(const Part &part, const SurrogateNode &node, int64_t least,
                                    FirstSplit *found, SurrogateMemory &memory) const {
    std::vector<Lane> columns;
    std::vector<size_t> features;
    columns.reserve(lanes);
    memory.numbers.resize(std::max(memory.numbers.size(), node.size * lanes));
    for (const size_t f : part.features) {
        const Ordered column = ordered(f, node);
        if (!begin_cut(column, found[f]))
            continue;
        const size_t k = columns.size();
        features.push_back(f);
        start_bits(column.known, memory.starts[k]);
        columns.emplace_back(column.known, memory.numbers.data() + k, least, target_, memory.boxes[k]);
        columns.back().starts = memory.starts[k];
    }
    if (!columns.empty())
        add_up(columns, target_, memory.numbers.data());
    for (size_t k = 0; k < columns.size(); ++k) {
        Lane &lane = columns[k];
        FirstSplit &best = found[features[k]];
        const bool any = lane.decide(rater_, node.risk);
        best.tried = lane.tried;
        best.improvement = lane.improvement;
        const Ordered column = ordered(features[k], node);
        if (any && take_cut(lane.at, column, best))
            write_moments(target_, lane.below, lane.total, lane.mean, column.missing, node, best.sums.data());
    }
}

} // namespace deciduous
