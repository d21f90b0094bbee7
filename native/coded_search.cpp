// Searching nodes of coded columns in their tables.
#include "coded.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint8_t;

// --- searching -------------------------------------------------------------------------------------------

namespace {

/// The gini gain of every cut, from the sums of squares of n times the excess of the classes on the left
/// side.
inline __attribute__((always_inline)) void rate(const double *rows, const double *squares, size_t size,
                                                double n, double factor, double *scores) {
    for (size_t i = 0; i < size; ++i)
        scores[i] = factor * squares[i] / (rows[i] * (n - rows[i]));
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 void rate_avx2(const double *rows, const double *squares, size_t size, double n, double factor,
                              double *scores) {
    rate(rows, squares, size, n, factor, scores);
}
#endif

void rate_plain(const double *rows, const double *squares, size_t size, double n, double factor,
                double *scores) {
    rate(rows, squares, size, n, factor, scores);
}

#ifdef DECIDUOUS_AVX2

/// Sums of eight whole numbers up to each.
DECIDUOUS_AVX2 inline __m256i sums_up_to(__m256i x) {
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    const __m256i lower = _mm256_permute2x128_si256(x, x, 0x08);
    return _mm256_add_epi32(x, _mm256_shuffle_epi32(lower, 0xff));
}

/// t^2 / (i (n - i)) of the best cut that leaves `least` rows on both sides, with i rows on the left and t
/// the excess of the second of two classes there. `counts` may be read past the end.
DECIDUOUS_AVX2 float rate_two_classes(const uint32_t *counts, size_t n_codes, double n, double second,
                                      int64_t least) {
    const __m256 total = _mm256_set1_ps(static_cast<float>(n)),
                 share = _mm256_set1_ps(static_cast<float>(second / n));
    const __m256i zero = _mm256_setzero_si256(), lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                  last_lane = _mm256_set1_epi32(7), fewest = _mm256_set1_epi32(static_cast<int>(least) - 1),
                  most = _mm256_set1_epi32(static_cast<int>(static_cast<int64_t>(n) - least) + 1);
    __m256i rows = zero, ones = zero; // up to the code before
    __m256 best = _mm256_setzero_ps();
    for (size_t b = 0; b < n_codes; b += 8) {
        const __m256 x = _mm256_loadu_ps(reinterpret_cast<const float *>(counts + 2 * b)),
                     y = _mm256_loadu_ps(reinterpret_cast<const float *>(counts + 2 * b + 8));
        const __m256i zeros_here =
                          _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88)), 0xd8),
                      ones_here =
                          _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd)), 0xd8),
                      here = _mm256_add_epi32(zeros_here, ones_here);
        rows = _mm256_add_epi32(rows, sums_up_to(here));
        ones = _mm256_add_epi32(ones, sums_up_to(ones_here));
        const __m256 left = _mm256_cvtepi32_ps(rows),
                     t = _mm256_sub_ps(_mm256_cvtepi32_ps(ones), _mm256_mul_ps(left, share));
        const __m256 rate =
            _mm256_div_ps(_mm256_mul_ps(t, t), _mm256_mul_ps(left, _mm256_sub_ps(total, left)));
        const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n_codes - b)), lanes),
                      allowed =
                          _mm256_and_si256(_mm256_cmpgt_epi32(rows, fewest), _mm256_cmpgt_epi32(most, rows)),
                      counted = _mm256_andnot_si256(_mm256_cmpeq_epi32(here, zero),
                                                    _mm256_and_si256(inside, allowed));
        best = _mm256_max_ps(best, _mm256_and_ps(rate, _mm256_castsi256_ps(counted)));
        rows = _mm256_permutevar8x32_epi32(rows, last_lane);
        ones = _mm256_permutevar8x32_epi32(ones, last_lane);
    }
    return largest(best);
}

#endif

/// The largest of numbers, by maxima that the processor finds side by side.
double largest(std::span<const double> x) {
    std::array<double, 4> most;
    most.fill(x.front());
    size_t i = 0;
    for (; i + most.size() <= x.size(); i += most.size())
        for (size_t lane = 0; lane < most.size(); ++lane)
            most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
    for (; i < x.size(); ++i)
        most[0] = std::max(most[0], x[i]);
    return *std::max_element(most.begin(), most.end());
}

} // namespace

/// Adds a term of the rows of one class on the left side of each cut: `term(rows of the class, rows)`.
template <typename Term>
void CodedColumns::sum_terms(size_t column, const CodedTables &tables, size_t c, size_t n_cuts, Term term,
                             CodedScratch &scratch) const {
    const uint32_t *const counts = tables.data() + first_[column] * n_classes_ + c;
    uint32_t on_left = 0;
    for (size_t i = 0; i < n_cuts; ++i) {
        on_left +=
            counts[scratch.code[i] * n_classes_]; // of the codes between two that are there, there is none
        scratch.squares[i] += term(on_left, scratch.rows[i]);
    }
}

void CodedColumns::rate_gini(size_t column, const CodedTables &tables, std::span<const double> all,
                             size_t first, size_t last, CodedScratch &scratch) const {
    const double n = std::accumulate(all.begin(), all.end(), 0.0);
    for (size_t c = n_classes_ == 2 ? 1 : 0; c < n_classes_; ++c)
        sum_terms(
            column, tables, c, last,
            [n, total = all[c]](uint32_t on_left, double rows) {
                const double excess = n * on_left - rows * total; // whole, and below 2^53
                return excess * excess;
            },
            scratch);
    const double factor = (n_classes_ == 2 ? 2.0 : 1.0) / (n * n); // of two classes both have the same excess
#ifdef DECIDUOUS_AVX2
    const auto rate_all = has_avx2() ? rate_avx2 : rate_plain;
#else
    const auto rate_all = rate_plain;
#endif
    rate_all(scratch.rows.data() + first, scratch.squares.data() + first, last - first, n, factor,
             scratch.scores.data() + first);
}

void CodedColumns::rate_entropy(size_t column, const CodedTables &tables, std::span<const double> all,
                                const WholeNumbers &whole, size_t first, size_t last,
                                CodedScratch &scratch) const {
    const double *const log = whole.n_log_n.data();
    const auto n = static_cast<size_t>(std::accumulate(all.begin(), all.end(), 0.0));
    double base = -log[n];
    for (size_t c = 0; c < n_classes_; ++c) {
        const auto total = static_cast<uint32_t>(all[c]);
        base += log[total];
        sum_terms(
            column, tables, c, last,
            [log, total](uint32_t on_left, double) { return log[on_left] + log[total - on_left]; }, scratch);
    }
    const double scale = 1.0 / (static_cast<double>(n) * std::log(2.0));
    for (size_t i = first; i < last; ++i) {
        const auto rows = static_cast<size_t>(scratch.rows[i]);
        scratch.scores[i] = (scratch.squares[i] - log[rows] - log[n - rows] - base) * scale;
    }
}

void CodedColumns::rate(const CodedTables &tables, std::span<const double> all, const Rule &rule,
                        int64_t least, double band, CodedScratch &scratch) const {
    scratch.ratings.assign(n_columns(), 0.0F);
    scratch.floor = 0.0;
#ifdef DECIDUOUS_AVX2
    if (!has_avx2() || n_classes_ != 2 || rule.measure != Measure::gini)
        return;
    const double n = all[0] + all[1];
    for (size_t j = 0; j < n_columns(); ++j)
        scratch.ratings[j] = rate_two_classes(tables.data() + first_[j] * 2, low_[j].size(), n, all[1],
                                              std::min(least, static_cast<int64_t>(n)));
    const double most = *std::max_element(scratch.ratings.begin(), scratch.ratings.end());
    // Single precision knows t to some 2^-22 n, and the rest to 2^-21 of itself.
    const double lost = 2.5e-7 * n,
                 slack = (2.0 * std::sqrt(most / (n - 1.0)) + lost / (n - 1.0)) * lost + 1e-6 * most;
    scratch.floor = most - 2.0 * slack - band / 2.0;
#else
    (void)tables, (void)all, (void)rule, (void)least, (void)band;
#endif
}

CodedCut CodedColumns::best(size_t column, const CodedTables &tables, std::span<const double> all,
                            const Rule &rule, const WholeNumbers &whole, int64_t least, double band,
                            double bar, CodedScratch &scratch) const {
    const size_t n_codes = low_[column].size(), k = n_classes_;
    const uint32_t *const counts = tables.data() + first_[column] * k;
    for (auto *values : {&scratch.rows, &scratch.squares, &scratch.scores})
        values->resize(most_values);
    scratch.code.resize(most_values);
    // The codes that are there, and how many rows lie on the left side of a cut behind each.
    size_t present = 0;
    uint32_t left = 0;
    double *const rows = scratch.rows.data();
    uint8_t *const codes = scratch.code.data();
    const auto take = [&](size_t b, uint32_t here) {
        left += here;
        rows[present] = left;
        codes[present] = static_cast<uint8_t>(b);
        present += here != 0;
    };
    if (k == 2)
        for (size_t b = 0; b < n_codes; ++b)
            take(b, counts[2 * b] + counts[2 * b + 1]);
    else
        for (size_t b = 0; b < n_codes; ++b)
            take(b, std::accumulate(counts + b * k, counts + (b + 1) * k, 0U));
    CodedCut cut;
    cut.values = static_cast<int64_t>(present);
    const double fewest = static_cast<double>(least), most = static_cast<double>(left) - fewest;
    size_t first = 0, last = present > 0 ? present - 1 : 0; // the cuts that are allowed are neighbours
    while (first < last && scratch.rows[first] < fewest)
        ++first;
    while (last > first && scratch.rows[last - 1] > most)
        --last;
    cut.tried = static_cast<int64_t>(last - first);
    if (first == last)
        return cut;
    std::fill_n(scratch.squares.begin(), last, 0.0);
    if (rule.measure == Measure::entropy)
        rate_entropy(column, tables, all, whole, first, last, scratch);
    else
        rate_gini(column, tables, all, first, last, scratch);
    const double *const scores = scratch.scores.data();
    const double highest = largest(std::span(scores + first, scores + last));
    if (!(highest > bar))
        return cut;
    const auto found = static_cast<size_t>(
        std::find_if(scores + first, scores + last, [&](double s) { return s >= highest - band; }) - scores);
    cut.gain = scores[found];
    cut.rows = static_cast<int64_t>(scratch.rows[found]);
    cut.code = scratch.code[found];
    cut.next = scratch.code[found + 1];
    return cut;
}

} // namespace deciduous
