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

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr size_t box_rows = 8, lanes = SurrogateMemory::most_columns;

/// What columns side by side write down: the element of a column, box or row after box or row.
struct Sheet {
    double *numbers;                       // the targets in the order of the column; null: fetched every time
    double *weight, *deviations, *squares; // what they come to before each box
    double *most;                          // no cut in a box is rated higher
};

/// From so many rows on, targets are as soon fetched again as written down: no near cache holds them.
constexpr size_t many_rows = 1 << 15;

/// One of the columns side by side.
class Lane {
public:
    /// `sheet`: that of the first column.
    Lane(size_t k, std::span<const OrderedRow> known, CutRange range, const SurrogateTarget &target,
         Sheet sheet)
        : cuts(range), known_(known), target_(target),
          sheet_{sheet.numbers == nullptr ? nullptr : sheet.numbers + k, sheet.weight + k,
                 sheet.deviations + k, sheet.squares + k, sheet.most + k} {}

    /// Fetches the rows from a place on, and adds them to the sums that the mean is made of.
    void fetch(size_t from) {
        for (size_t i = from; i < known_.size(); ++i) {
            const uint32_t row = known_[i].row();
            const double w = target_.weight_of(row);
            if (sheet_.numbers != nullptr)
                sheet_.numbers[i * lanes] = target_.numbers[row];
            weight += w;
            sum += w * target_.numbers[row];
        }
        mean = sum / weight;
    }

    /// Goes on in boxes from a row on that begins one, and adds up what is behind the last cut.
    void add_boxes(size_t from) {
        for (size_t begin = from; begin < cuts.end; begin += box_rows) {
            const size_t box = begin / box_rows * lanes;
            sheet_.weight[box] = sums[0];
            sheet_.deviations[box] = sums[1];
            sheet_.squares[box] = sums[2];
            double extent = 0.0, first = 0.0;
            for (size_t i = begin; i < std::min(begin + box_rows, cuts.end); ++i) {
                add(i);
                extent = std::max(extent, std::abs(sums[1]));
                first = i == begin ? sums[0] : first;
            }
            sheet_.most[box] = extent * extent * std::max(per_square(first), per_square(sums[0]));
        }
        for (size_t i = std::max(from, cuts.end); i < known_.size(); ++i)
            add(i);
        total = sums;
    }

    size_t n_boxes() const { return (cuts.end + box_rows - 1) / box_rows; }
    const OrderedRow *rows() const { return known_.data(); }

    /// Finds the best cut, if one improves as much as the floor.
    void decide(const Rater &rater, double risk, double floor);

    CutRange cuts;
    double weight = 0.0, sum = 0.0, mean = 0.0;
    Moments sums{}, total{};
    double improvement = -HUGE_VAL;
    size_t at = 0;
    Moments below{};

private:
    DECIDUOUS_INLINE double number(size_t i) const {
        return sheet_.numbers != nullptr ? sheet_.numbers[i * lanes] : target_.numbers[known_[i].row()];
    }
    DECIDUOUS_INLINE void add(size_t i) {
        const double w = target_.weight.empty() ? 1.0 : target_.weight[known_[i].row()],
                     deviation = number(i) - mean;
        sums[0] += w;
        sums[1] += w * deviation;
        sums[2] += w * (deviation * deviation);
    }
    DECIDUOUS_INLINE double per_square(double w) const { return weight / (w * (weight - w)); }
    DECIDUOUS_INLINE double rough(const Moments &m) const { return m[1] * m[1] * per_square(m[0]); }
    double bar() const { return std::isfinite(top_) ? top_ - rounding * top_ : top_; }

    template <typename Near>
    void look(size_t box, Near near);

    std::span<const OrderedRow> known_;
    const SurrogateTarget &target_;
    Sheet sheet_;
    double top_ = -HUGE_VAL; // the best rough rating that was met
};

/// Calls near(row) for the cuts of a box that are rated near the best, which they raise.
template <typename Near>
void Lane::look(size_t box, Near near) {
    const size_t begin = box * box_rows;
    sums = {sheet_.weight[box * lanes], sheet_.deviations[box * lanes], sheet_.squares[box * lanes]};
    for (size_t i = begin; i < std::min(begin + box_rows, cuts.end); ++i) {
        add(i);
        if (!known_[i + 1].starts() || i < cuts.first)
            continue;
        const double rating = rough(sums);
        if (!(rating >= bar()))
            continue;
        top_ = std::max(top_, rating);
        near(i);
    }
}

void Lane::decide(const Rater &rater, double risk, double floor) {
    if (floor > 0)
        top_ = floor * risk;
    // The box that may hold the best comes first, to raise the bar; then all, as the first one wins.
    size_t promising = 0;
    for (size_t box = 0; box < n_boxes(); ++box)
        if (sheet_.most[box * lanes] > sheet_.most[promising * lanes])
            promising = box;
    if (sheet_.most[promising * lanes] >= bar())
        look(promising, [](size_t) {});
    for (size_t box = 0; box < n_boxes(); ++box)
        if (sheet_.most[box * lanes] >= bar())
            look(box, [&](size_t i) {
                const double value = rater.improvement(sums.data(), total.data(), 0.0, risk);
                if (value > improvement) {
                    improvement = value;
                    at = i;
                    below = sums;
                }
            });
}

#ifdef DECIDUOUS_AVX2

/// Fetches rows of four columns, or of fewer, the last one several times.
class Fours {
public:
    Fours(std::span<const Lane> columns, const double *y) : y_(y) {
        for (size_t k = 0; k < lanes; ++k)
            orders_[k] = columns[std::min(k, columns.size() - 1)].rows();
    }
    DECIDUOUS_AVX2 __m256d operator()(size_t i) const {
        return _mm256_set_pd(y_[orders_[3][i].row()], y_[orders_[2][i].row()], y_[orders_[1][i].row()],
                             y_[orders_[0][i].row()]);
    }

private:
    std::array<const OrderedRow *, lanes> orders_;
    const double *y_;
};

/// What they wrote down.
struct WrittenFours {
    const double *numbers;
    DECIDUOUS_AVX2 __m256d operator()(size_t i) const { return _mm256_loadu_pd(numbers + i * lanes); }
};

/// Adds up the first n rows of up to four columns; writes them down if `numbers` is not null.
DECIDUOUS_AVX2 void fetch_fours(size_t n, std::span<Lane> columns, const double *y, double *numbers) {
    const Fours fetched(columns, y);
    __m256d sum = _mm256_setzero_pd();
    for (size_t i = 0; i < n; ++i) {
        const __m256d x = fetched(i);
        if (numbers != nullptr)
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

/// Adds up the deviations of the first n rows, a multiple of the rows of a box. `number_at`: gives the
/// numbers of a row.
template <typename NumberAt>
DECIDUOUS_AVX2 void add_fours(size_t n, std::span<Lane> columns, const Sheet &sheet, NumberAt number_at) {
    std::array<double, lanes> means{}, weights{};
    for (size_t k = 0; k < columns.size(); ++k) {
        means[k] = columns[k].mean;
        weights[k] = columns[k].weight;
    }
    const __m256d mean = _mm256_loadu_pd(means.data()), weight = _mm256_loadu_pd(weights.data()),
                  sign = _mm256_set1_pd(-0.0);
    const auto per_square = [&](size_t rows) DECIDUOUS_AVX2 {
        const __m256d w = _mm256_set1_pd(static_cast<double>(rows));
        return _mm256_div_pd(weight, _mm256_mul_pd(w, _mm256_sub_pd(weight, w)));
    };
    __m256d sum = _mm256_setzero_pd(), squares = sum;
    for (size_t begin = 0; begin < n; begin += box_rows) {
        const size_t box = begin / box_rows * lanes;
        _mm256_storeu_pd(sheet.weight + box, _mm256_set1_pd(static_cast<double>(begin)));
        _mm256_storeu_pd(sheet.deviations + box, sum);
        _mm256_storeu_pd(sheet.squares + box, squares);
        __m256d extent = _mm256_setzero_pd();
        for (size_t i = begin; i < begin + box_rows; ++i) {
            const __m256d x = _mm256_sub_pd(number_at(i), mean);
            sum = _mm256_add_pd(sum, x);
            squares = _mm256_add_pd(squares, _mm256_mul_pd(x, x));
            extent = _mm256_max_pd(extent, _mm256_andnot_pd(sign, sum));
        }
        const __m256d most = _mm256_max_pd(per_square(begin + 1), per_square(begin + box_rows));
        _mm256_storeu_pd(sheet.most + box, _mm256_mul_pd(_mm256_mul_pd(extent, extent), most));
    }
    std::array<double, lanes> first, second;
    _mm256_storeu_pd(first.data(), sum);
    _mm256_storeu_pd(second.data(), squares);
    for (size_t k = 0; k < columns.size(); ++k)
        columns[k].sums = {static_cast<double>(n), first[k], second[k]};
}

#endif

/// Adds up columns, side by side as far as they go and their rows weigh 1.
void add_up(std::span<Lane> columns, const SurrogateTarget &target, const Sheet &sheet) {
    size_t together = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2() && columns.size() > 1 && target.weight.empty()) {
        together = SIZE_MAX;
        for (const Lane &lane : columns)
            together = std::min(together, lane.cuts.end / box_rows * box_rows);
        fetch_fours(together, columns, target.numbers.data(), sheet.numbers);
    }
#endif
    for (Lane &lane : columns)
        lane.fetch(together);
#ifdef DECIDUOUS_AVX2
    if (together > 0 && sheet.numbers == nullptr)
        add_fours(together, columns, sheet, Fours(columns, target.numbers.data()));
    else if (together > 0)
        add_fours(together, columns, sheet, WrittenFours{sheet.numbers});
#endif
    for (Lane &lane : columns)
        lane.add_boxes(together);
}

/// How many cuts there are.
int64_t n_cuts(CutRange cuts, std::span<const uint64_t> starts) {
    int64_t n = 0;
    for (size_t word = 0; word + 1 < starts.size(); ++word)
        n += std::popcount(cuts_of(starts, word, cuts.first, cuts.end));
    return n;
}

} // namespace

void SurrogateRows::best_of_squares(const Part &part, const SurrogateNode &node, const SearchRule &rule,
                                    double best_score, FirstSplit *found, SurrogateMemory &memory) const {
    const size_t n_numbers = node.size < many_rows ? node.size * lanes : 0,
                 n = (node.size / box_rows + 1) * lanes;
    memory.numbers.resize(std::max(memory.numbers.size(), n_numbers + 4 * n));
    double *const boxes = memory.numbers.data() + n_numbers;
    const Sheet sheet{n_numbers > 0 ? memory.numbers.data() : nullptr, boxes, boxes + n, boxes + 2 * n,
                      boxes + 3 * n};
    std::vector<Lane> columns;
    std::vector<size_t> features;
    columns.reserve(lanes);
    for (const size_t f : part.features) {
        const Ordered column = ordered(f, node);
        if (!begin_cut(column, found[f]))
            continue;
        const CutRange cuts(column.known.size(), rule.least);
        find_starts(column, memory);
        found[f].tried = n_cuts(cuts, memory.starts);
        if (found[f].tried == 0)
            continue;
        columns.emplace_back(columns.size(), column.known, cuts, target_, sheet);
        features.push_back(f);
    }
    if (!columns.empty())
        add_up(columns, target_, sheet);
    for (size_t k = 0; k < columns.size(); ++k) {
        Lane &lane = columns[k];
        FirstSplit &best = found[features[k]];
        lane.decide(rater_, node.risk, best_score * rule.costs[features[k]]);
        best.improvement = lane.improvement;
        const Ordered column = ordered(features[k], node, best.known);
        if (take_cut(lane.at, column, best))
            write_moments(target_, lane.below, lane.total, lane.mean, column.missing, node, best.sums.data());
    }
}

} // namespace deciduous
