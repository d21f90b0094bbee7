#include "weighted.hpp"

#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

constexpr float no_cut = -std::numeric_limits<float>::infinity();
constexpr float least = std::numeric_limits<float>::min(); // no logarithm, and no division, of 0

/// ln(1 + f) / f by a Chebyshev series for |f| <= 1/3, to 7e-8.
constexpr std::array series{-0.15403156F, 0.17111227F, -0.16412799F, 0.19795030F,
                            -0.25008026F, 0.33337989F, -0.49999931F, 0.99999982F};
constexpr int32_t two_thirds = 0x3f2aaaab; // as bits
constexpr float ln_2 = 0.69314718F;

/// What a pass reads of a node: class weights in parts of the weight of both sides.
struct Sides {
    const double *weights = nullptr; // by row
    double unit = 1.0;               // one over the weight of both sides
    std::vector<double> left, both;  // class weights
};

/// Writes the sums before a block, and each side's parts.
void open_block(const Sides &sides, float *left, float *right, RoughCuts &found) {
    found.before.insert(found.before.end(), sides.left.begin(), sides.left.end());
    for (size_t c = 0; c < sides.left.size(); ++c) {
        left[c] = static_cast<float>(sides.left[c] * sides.unit);
        right[c] = static_cast<float>((sides.both[c] - sides.left[c]) * sides.unit);
    }
}

// --- one cut at a time -----------------------------------------------------------------------------------

/// x ln x to 2e-7, for x up to 1.
float x_log_x_roughly(float x) {
    const auto bits = std::bit_cast<int32_t>(std::max(x, least));
    const int32_t exponent = (bits - two_thirds) >> 23;
    const float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0F;
    float q = series[0];
    for (size_t i = 1; i < series.size(); ++i)
        q = q * f + series[i];
    return x * (static_cast<float>(exponent) * ln_2 + f * q);
}

float rate_side(Measure measure, std::span<const float> side) {
    float sum = 0.0F, rating = 0.0F;
    for (const float w : side) {
        sum += w;
        rating = measure == Measure::entropy ? rating + x_log_x_roughly(w)
                 : measure == Measure::gini  ? rating + w * w
                                             : std::max(rating, w);
    }
    return measure == Measure::entropy ? rating - x_log_x_roughly(sum)
           : measure == Measure::gini  ? rating / std::max(sum, least)
                                       : rating;
}

template <typename R>
void rate_one_by_one(Measure measure, const R *records, const Packing<R> &packing, const Range &range,
                     Sides &sides, RoughCuts &found) {
    const size_t n_classes = sides.left.size();
    std::vector<float> left(n_classes), right(n_classes);
    for (int64_t i = 0; i < range.last; ++i) {
        if (i % block_size == 0) {
            open_block(sides, left.data(), right.data(), found);
            found.best.push_back(no_cut);
        }
        if (Packing<R>::start(records[i]) && i >= range.first) {
            const float rating = rate_side(measure, left) + rate_side(measure, right);
            found.ratings[static_cast<size_t>(i)] = rating;
            found.best.back() = std::max(found.best.back(), rating);
            ++found.n_cuts;
        } else {
            found.ratings[static_cast<size_t>(i)] = no_cut;
        }
        const auto c = static_cast<size_t>(packing.class_code(records[i]));
        const double w = sides.weights ? sides.weights[packing.row(records[i])] : 1.0;
        sides.left[c] += w;
        left[c] += static_cast<float>(w * sides.unit);
        right[c] = std::max(right[c] - static_cast<float>(w * sides.unit), 0.0F);
    }
}

// --- eight at a time -------------------------------------------------------------------------------------

#ifdef DECIDUOUS_AVX2

constexpr size_t most_classes = 16;

DECIDUOUS_AVX2 inline __m256 x_log_x_of_eight(__m256 x) {
    const __m256i bits = _mm256_castps_si256(_mm256_max_ps(x, _mm256_set1_ps(least)));
    const __m256i exponent = _mm256_srai_epi32(_mm256_sub_epi32(bits, _mm256_set1_epi32(two_thirds)), 23);
    const __m256 mantissa = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(exponent, 23)));
    const __m256 f = _mm256_sub_ps(mantissa, _mm256_set1_ps(1.0F));
    __m256 q = _mm256_set1_ps(series[0]);
    for (size_t i = 1; i < series.size(); ++i)
        q = _mm256_add_ps(_mm256_mul_ps(q, f), _mm256_set1_ps(series[i]));
    const __m256 whole = _mm256_mul_ps(_mm256_cvtepi32_ps(exponent), _mm256_set1_ps(ln_2));
    return _mm256_mul_ps(x, _mm256_add_ps(whole, _mm256_mul_ps(f, q)));
}

/// One side of eight cuts, class by class.
template <Measure measure>
class SideOfEight {
public:
    DECIDUOUS_AVX2 inline void add(__m256 w) {
        sum_ = _mm256_add_ps(sum_, w);
        if constexpr (measure == Measure::entropy)
            rating_ = _mm256_add_ps(rating_, x_log_x_of_eight(w));
        else if constexpr (measure == Measure::gini)
            rating_ = _mm256_add_ps(rating_, _mm256_mul_ps(w, w));
        else
            rating_ = _mm256_max_ps(rating_, w);
    }
    DECIDUOUS_AVX2 inline __m256 rating() const {
        if constexpr (measure == Measure::entropy)
            return _mm256_sub_ps(rating_, x_log_x_of_eight(sum_));
        else if constexpr (measure == Measure::gini)
            return _mm256_div_ps(rating_, _mm256_max_ps(sum_, _mm256_set1_ps(least)));
        else
            return rating_;
    }

private:
    __m256 sum_{}, rating_{};
};

/// The weights of eight records, double precision in two halves.
struct EightWeights {
    __m256d low, high;
};

DECIDUOUS_AVX2 inline EightWeights weights_of(const double *weights, __m256i rows, __m256i inside) {
    const __m256d low = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(inside))),
                  high = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm256_extracti128_si256(inside, 1)));
    if (!weights)
        return {_mm256_and_pd(low, _mm256_set1_pd(1.0)), _mm256_and_pd(high, _mm256_set1_pd(1.0))};
    return {
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), weights, _mm256_castsi256_si128(rows), low, 8),
        _mm256_mask_i32gather_pd(_mm256_setzero_pd(), weights, _mm256_extracti128_si256(rows, 1), high, 8)};
}

/// `tracked`: the number of classes; 0: any.
template <Measure measure, size_t tracked>
DECIDUOUS_AVX2 void rate_by_eights(const uint32_t *records, const Packing<uint32_t> &packing,
                                   const Range &range, Sides &sides, RoughCuts &found) {
    const size_t n_classes = tracked ? tracked : sides.left.size();
    std::array<float, most_classes> left, right;
    __m256 passed[most_classes]; // of the block, before these eight records; in every lane
    __m256d sums[most_classes];
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                  row_mask = _mm256_set1_epi32(static_cast<int>(packing.row_mask)),
                  class_mask = _mm256_set1_epi32(static_cast<int>(packing.class_mask >> packing.row_bits));
    const __m128i row_bits = _mm_cvtsi32_si128(static_cast<int>(packing.row_bits));
    const __m256d unit = _mm256_set1_pd(sides.unit);
    for (int64_t begin = 0; begin < range.last; begin += block_size) {
        open_block(sides, left.data(), right.data(), found);
        std::fill_n(passed, n_classes, _mm256_setzero_ps());
        std::fill_n(sums, n_classes, _mm256_setzero_pd());
        __m256 best = _mm256_set1_ps(no_cut);
        const int64_t end = std::min(begin + block_size, range.last);
        for (int64_t i = begin; i < end; i += 8) {
            const __m256i record = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(records + i)),
                          code = _mm256_and_si256(_mm256_srl_epi32(record, row_bits), class_mask);
            const auto before = [&](int64_t last) DECIDUOUS_AVX2 {
                const int64_t n = std::clamp<int64_t>(last - i, 0, 8);
                return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes);
            };
            const __m256i inside = before(end);
            const auto [low, high] = weights_of(sides.weights, _mm256_and_si256(record, row_mask), inside);
            const __m256 parts =
                _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(_mm256_mul_pd(low, unit))),
                                     _mm256_cvtpd_ps(_mm256_mul_pd(high, unit)), 1);
            SideOfEight<measure> on_left, on_right;
            const __m256i starts = _mm256_and_si256(inside, _mm256_srai_epi32(record, 31)),
                          cuts = _mm256_andnot_si256(before(range.first), starts);
            const int n_cuts =
                std::popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(cuts))));
            for (size_t c = 0; c < n_classes; ++c) {
                const __m256i is_class = _mm256_cmpeq_epi32(code, _mm256_set1_epi32(static_cast<int>(c)));
                const __m256 part = _mm256_and_ps(parts, _mm256_castsi256_ps(is_class));
                const __m256d is_low = _mm256_castsi256_pd(
                                  _mm256_cvtepi32_epi64(_mm256_castsi256_si128(is_class))),
                              is_high = _mm256_castsi256_pd(
                                  _mm256_cvtepi32_epi64(_mm256_extracti128_si256(is_class, 1)));
                sums[c] = _mm256_add_pd(
                    sums[c], _mm256_add_pd(_mm256_and_pd(low, is_low), _mm256_and_pd(high, is_high)));
                const __m256 moved = _mm256_add_ps(passed[c], sums_before(part));
                passed[c] = _mm256_permutevar8x32_ps(_mm256_add_ps(moved, part), _mm256_set1_epi32(7));
                if (n_cuts == 0)
                    continue;
                on_left.add(_mm256_add_ps(_mm256_set1_ps(left[c]), moved));
                on_right.add(
                    _mm256_max_ps(_mm256_sub_ps(_mm256_set1_ps(right[c]), moved), _mm256_setzero_ps()));
            }
            if (n_cuts == 0) {
                _mm256_storeu_ps(found.ratings.data() + i, _mm256_set1_ps(no_cut));
                continue;
            }
            const __m256 rating =
                _mm256_blendv_ps(_mm256_set1_ps(no_cut), _mm256_add_ps(on_left.rating(), on_right.rating()),
                                 _mm256_castsi256_ps(cuts));
            _mm256_storeu_ps(found.ratings.data() + i, rating);
            best = _mm256_max_ps(best, rating);
            found.n_cuts += n_cuts;
        }
        for (size_t c = 0; c < n_classes; ++c)
            sides.left[c] += total_of(sums[c]);
        found.best.push_back(largest(best));
    }
}

template <Measure measure>
void rate_by_eights(const uint32_t *records, const Packing<uint32_t> &packing, const Range &range,
                    Sides &sides, RoughCuts &found) {
    const auto rate = sides.left.size() == 2 ? rate_by_eights<measure, 2> : rate_by_eights<measure, 0>;
    rate(records, packing, range, sides, found);
}

#endif

} // namespace

template <typename R>
void rate_cuts(Measure measure, const R *records, const Packing<R> &packing, const double *weights,
               const Range &range, std::span<const double> left, std::span<const double> both,
               RoughCuts &found) {
    constexpr size_t eight = 8;
    const double weight = std::accumulate(both.begin(), both.end(), 0.0);
    Sides sides{weights, 1.0 / weight, {left.begin(), left.end()}, {both.begin(), both.end()}};
    const size_t size = static_cast<size_t>(std::max<int64_t>(range.last, 0)) + eight;
    found.ratings.resize(std::max(found.ratings.size(), size));
    found.best.clear();
    found.before.clear();
    found.n_cuts = 0;
    found.slack = 1e-5 * static_cast<double>(both.size() + 1);
#ifdef DECIDUOUS_AVX2
    if constexpr (std::is_same_v<R, uint32_t>)
        if (has_avx2() && both.size() <= most_classes) {
            const auto rate = measure == Measure::entropy ? rate_by_eights<Measure::entropy>
                              : measure == Measure::gini  ? rate_by_eights<Measure::gini>
                                                          : rate_by_eights<Measure::misclassification>;
            rate(records, packing, range, sides, found);
            return;
        }
#endif
    rate_one_by_one(measure, records, packing, range, sides, found);
}

template void rate_cuts(Measure, const uint32_t *, const Packing<uint32_t> &, const double *, const Range &,
                        std::span<const double>, std::span<const double>, RoughCuts &);
template void rate_cuts(Measure, const std::uint64_t *, const Packing<std::uint64_t> &, const double *,
                        const Range &, std::span<const double>, std::span<const double>, RoughCuts &);

} // namespace deciduous
