// The rough pass over the columns of a tiny node, and its division, by vectors.
#include "lanes.hpp"
#include "tiny.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace deciduous {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

#ifdef DECIDUOUS_AVX2

constexpr size_t most_rows = TinyRows::most_rows;

/// 1 / i, and 0 for 0.
struct Reciprocals {
    std::array<float, most_rows + 8> of{};
    constexpr Reciprocals() {
        for (size_t i = 1; i < of.size(); ++i)
            of[i] = 1.0F / static_cast<float>(i);
    }
};
constexpr Reciprocals reciprocals;

/// t^2 / (i (n - i)) of the best cut, with t the sum of x - mean on the left side.
DECIDUOUS_AVX2 float rate_numbers(const uint8_t *order, uint64_t cuts, const float *x, float mean,
                                  const float *weights, size_t n) {
    const __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
    __m256 best = _mm256_setzero_ps(), before = best;
    for (size_t i = 0; i < n; i += 8) {
        const __m256i rows =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(order + i)));
        const __m256 numbers = _mm256_i32gather_ps(x, rows, 4);
        const __m256 sums = _mm256_add_ps(before, sums_before(numbers));
        const __m256 expected =
            _mm256_mul_ps(_mm256_set1_ps(mean), _mm256_add_ps(_mm256_set1_ps(static_cast<float>(i)), lane));
        const __m256 t = _mm256_sub_ps(sums, expected);
        const __m256 rate = _mm256_mul_ps(_mm256_mul_ps(t, t), _mm256_loadu_ps(weights + i));
        const auto here = static_cast<unsigned>(cuts >> i & 0xff);
        best = _mm256_max_ps(best, _mm256_and_ps(rate, _mm256_castsi256_ps(lanes_of(here))));
        before = _mm256_permutevar8x32_ps(_mm256_add_ps(sums, numbers), _mm256_set1_epi32(7));
    }
    return largest(best);
}

/// The sums of the squares of the eight bytes of each word.
DECIDUOUS_AVX2 inline __m128 squares_of(__m256i words) {
    const __m256i pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(words, words), _mm256_set1_epi16(1));
    const __m256i sums = _mm256_add_epi32(pairs, _mm256_srli_epi64(pairs, 32));
    const __m256i packed = _mm256_permutevar8x32_epi32(sums, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
    return _mm_cvtepi32_ps(_mm256_castsi256_si128(packed));
}

/// The sum over both sides of (sum of squared class counts) / rows of the best cut. The counts of up to eight
/// classes are the bytes of a word: `ones` has one of each row's class, `all` those of the node.
DECIDUOUS_AVX2 float rate_classes(const uint8_t *order, uint64_t cuts, const uint64_t *ones, uint64_t all,
                                  const float *rest, size_t n) {
    const __m256i zero = _mm256_setzero_si256(), total = _mm256_set1_epi64x(static_cast<long long>(all)),
                  bits = _mm256_setr_epi64x(1, 2, 4, 8);
    __m128 best = _mm_setzero_ps();
    __m256i before = zero;
    for (size_t i = 0; i < n; i += 4) {
        uint32_t rows;
        std::memcpy(&rows, order + i, sizeof rows);
        const __m128i at = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(rows)));
        const __m256i one = _mm256_i32gather_epi64(reinterpret_cast<const long long *>(ones), at, 8);
        __m256i left = _mm256_blend_epi32(_mm256_permute4x64_epi64(one, 0x90), zero, 3); // 0, a, b, c
        left = _mm256_add_epi64(left, _mm256_slli_si256(left, 8));                       // 0, a, b, b + c
        const __m256i first = _mm256_blend_epi32(_mm256_permute4x64_epi64(left, 0x55), zero, 15);
        left = _mm256_add_epi64(before, _mm256_add_epi64(left, first)); // of the words before each
        const __m256i right = _mm256_sub_epi64(total, left);
        const __m128 rate = _mm_add_ps(_mm_mul_ps(squares_of(left), _mm_loadu_ps(reciprocals.of.data() + i)),
                                       _mm_mul_ps(squares_of(right), _mm_loadu_ps(rest + i)));
        const __m256i here = _mm256_and_si256(_mm256_set1_epi64x(static_cast<long long>(cuts >> i)), bits);
        const __m256i counts = _mm256_permutevar8x32_epi32(_mm256_cmpeq_epi64(here, bits),
                                                           _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0));
        best = _mm_max_ps(best, _mm_and_ps(rate, _mm_castsi128_ps(_mm256_castsi256_si128(counts))));
        before = _mm256_permute4x64_epi64(_mm256_add_epi64(left, one), 0xff);
    }
    best = _mm_max_ps(best, _mm_movehl_ps(best, best));
    return _mm_cvtss_f32(_mm_max_ss(best, _mm_shuffle_ps(best, best, 1)));
}

/// Which of 16 records lie on the left side, as bits.
DECIDUOUS_AVX2 inline uint64_t left_among(const uint8_t *order, uint64_t left) {
    const __m128i rows = _mm_loadu_si128(reinterpret_cast<const __m128i *>(order)), seven = _mm_set1_epi8(7),
                  bit_of = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0),
                  sets = _mm_cvtsi64_si128(static_cast<long long>(left));
    const __m128i set = _mm_shuffle_epi8(sets, _mm_and_si128(_mm_srli_epi16(rows, 3), seven)),
                  bit = _mm_shuffle_epi8(bit_of, _mm_and_si128(rows, seven));
    return static_cast<uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(set, bit), bit)));
}

/// Copies the chosen ones of eight bytes to the front of eight.
DECIDUOUS_AVX2 inline void copy_chosen(const uint8_t *from, unsigned chosen, uint8_t *to) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(from));
    _mm_storel_epi64(reinterpret_cast<__m128i *>(to), _mm_shuffle_epi8(bytes, gathered(chosen)));
}

/// The starts of a branch from those of a node: a record starts a value in its branch if it or one that was
/// skipped since the last taken one does. A run of skipped records is a run of ones: adding a start to it
/// carries into the taken record behind it.
DECIDUOUS_AVX2 inline uint64_t starts_of(uint64_t taken, uint64_t skipped, uint64_t starts) {
    const uint64_t carried = skipped + (starts & skipped);
    return _pext_u64(taken & (starts | carried), taken);
}

/// As `divide_by_ones`.
DECIDUOUS_AVX2 uint64_t divide_by_eights(uint8_t *order, size_t size, uint64_t starts, uint64_t left) {
    std::array<uint8_t, most_rows + 8> right;
    const uint64_t all = ~uint64_t{0} >> (most_rows - size);
    uint64_t to_left = 0, behind;
    for (size_t i = 0; i < size; i += 16)
        to_left |= left_among(order + i, left) << i;
    to_left &= all;
    const uint64_t to_right = all & ~to_left;
    std::memcpy(&behind, order + size, sizeof behind); // eights are written, over other nodes' rows
    size_t l = 0, r = 0;
    for (size_t i = 0; i < size; i += 8) {
        const auto lefts = static_cast<unsigned>(to_left >> i & 0xff),
                   rights = static_cast<unsigned>(to_right >> i & 0xff);
        copy_chosen(order + i, rights, right.data() + r);
        copy_chosen(order + i, lefts, order + l);
        l += static_cast<size_t>(std::popcount(lefts));
        r += static_cast<size_t>(std::popcount(rights));
    }
    for (size_t i = 0; i < r; i += 8)
        std::memcpy(order + l + i, right.data() + i, 8);
    std::memcpy(order + size, &behind, sizeof behind);
    if (starts == all)
        return all;
    return starts_of(to_left, to_right, starts) | starts_of(to_right, to_left, starts) << l;
}

#endif

/// Brings the rows on the left to the front of an order; returns the records that start a value.
uint64_t divide_by_ones(uint8_t *order, size_t size, uint64_t starts, uint64_t left) {
    std::array<uint8_t, TinyRows::most_rows> aside;
    uint64_t left_starts = 0, right_starts = 0; // of the records taken
    uint64_t to_left = 0, to_right = 0;         // a value has started since the branch's last record
    size_t l = 0, r = 0;
    for (size_t i = 0; i < size; ++i) {
        const uint8_t row = order[i];
        const uint64_t is_left = left >> row & 1, start = starts >> i & 1;
        to_left |= start;
        to_right |= start;
        order[l] = row;
        aside[r] = row;
        left_starts |= (to_left & is_left) << l;
        right_starts |= (to_right & ~is_left) << (r & 63);
        l += is_left;
        r += 1 - is_left;
        to_left &= ~is_left;
        to_right &= is_left;
    }
    std::copy_n(aside.begin(), r, order + l);
    return left_starts | right_starts << l;
}

} // namespace

void TinyRows::rate(const TinyNode &node, const Rule &rule, size_t least, double band) {
    std::fill(ratings_.begin(), ratings_.end(), 0.0F);
    floor_ = 0.0;
#ifdef DECIDUOUS_AVX2
    const bool numbers = rule.measure == Measure::squared_error, two = !numbers && all_.size() == 2;
    const bool classes = rule.measure == Measure::gini && all_.size() <= rated_classes;
    if (!has_avx2() || !(numbers || classes))
        return;
    std::array<float, most_rows + 8> weights{}; // by the rows on the left side
    for (size_t i = 0; i < node.size; ++i)
        weights[i] = (numbers || two ? reciprocals.of[i] : 1.0F) * reciprocals.of[node.size - i];
    double most = 0.0;
    for (size_t j = 0; j < n_columns_; ++j) {
        const uint64_t cuts = cuts_of(j, node, least);
        const uint8_t *const order = order_of(j) + node.begin;
        if (!cuts)
            continue;
        ratings_[j] = numbers || two
                          ? rate_numbers(order, cuts, scanned_.data(), rough_mean_, weights.data(), node.size)
                          : rate_classes(order, cuts, ones_.data(), counts_, weights.data(), node.size);
        most = std::max(most, static_cast<double>(ratings_[j]));
    }
    // What rounding may hide: of t, and of what is made of it.
    const double n = static_cast<double>(node.size), lost = numbers || two ? 2e-6 * extent_ : 0.0;
    const double slack = (2.0 * std::sqrt(most / (n - 1.0)) + lost / (n - 1.0)) * lost + 1e-6 * most;
    const double unit = numbers ? 1.0 : two ? 2.0 : 1.0 / n; // from ratings to gains
    floor_ = most - 2.0 * slack - band / unit;
#endif
}

void TinyRows::divide(const TinyNode &node, uint64_t left) {
    const uint64_t inside = ~uint64_t{0} >> (most_rows - node.size) << node.begin;
#ifdef DECIDUOUS_AVX2
    const auto divide_one = has_avx2() ? divide_by_eights : divide_by_ones;
#else
    const auto divide_one = divide_by_ones;
#endif
    for (size_t column = 0; column < n_columns_; ++column) {
        const uint64_t starts = (starts_[column] & inside) >> node.begin;
        const uint64_t divided = divide_one(order_of(column) + node.begin, node.size, starts, left);
        starts_[column] = (starts_[column] & ~inside) | divided << node.begin;
    }
}

} // namespace deciduous
