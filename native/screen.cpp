#include "screen.hpp"

#include "lanes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint8_t;

size_t n_blocks(const Range &range) {
    return static_cast<size_t>((range.last - range.first + block_size - 1) / block_size);
}

/// Single precision knows a gain S to some 2^-22 of itself, and t to some 2^-19: S to 2^-19 sqrt(S / i (n -
/// i)).
float slack_of(std::span<const float> best, double n) {
    const double most = best.empty() ? 0.0 : *std::max_element(best.begin(), best.end());
    return static_cast<float>(1e-5 * most + 1e-5 * std::sqrt(most / n) + 1e-11 / n);
}

/// Of numbers: within a block t is a sum in single precision of less than 64 terms, none above 2 (they are
/// scanned about their middle, in units of their extent). A dozen roundings of at most 128 are lost, 1e-4.
/// Before the block n numbers were rounded to single precision, by at most 2^-24 each.
float slack_of_numbers(std::span<const float> best, double n) {
    const double most = best.empty() ? 0.0 : *std::max_element(best.begin(), best.end());
    const double in_block = 4e-4 * std::sqrt(most / n) + 3e-8 / n,
                 before_it = 1.3e-7 * std::sqrt(most * n) + 1e-14 * n;
    return slack_of(best, n) + static_cast<float>(in_block + before_it) + 1e-37F;
}

#ifdef DECIDUOUS_AVX2

constexpr size_t most_classes = 16;

/// For every set of lanes: how many of them lie before each lane.
constexpr std::array<std::array<uint8_t, 8>, 256> make_before() {
    std::array<std::array<uint8_t, 8>, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned lane = 0; lane < 8; ++lane)
            table[mask][lane] = static_cast<uint8_t>(std::popcount(mask & ((1U << lane) - 1U)));
    return table;
}
constexpr auto lanes_before = make_before();

DECIDUOUS_AVX2 inline __m256 counts_before(unsigned mask) {
    const auto *line = reinterpret_cast<const __m128i *>(lanes_before[mask].data());
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(line)));
}

/// The counts of the classes but the first on the left side; the excess of the first follows from theirs.
template <size_t tracked> // 0: as many as there are
class Excess {
public:
    Excess(std::span<const uint32_t> left, std::span<const uint32_t> all, double n)
        : count_(tracked ? tracked : left.size() - 1) {
        for (size_t c = 0; c < count_; ++c) {
            counts_[c] = left[c + 1];
            share_[c] = static_cast<double>(all[c + 1]) / n;
        }
    }

    /// The sum of t_c^2 before each of eight records, with `rows` on the left side before the first one.
    DECIDUOUS_AVX2 inline __m256 squares(__m256i codes, double rows) {
        const __m256 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
        __m256 first = _mm256_setzero_ps(), sum = _mm256_setzero_ps();
        const size_t n = tracked ? tracked : count_;
        for (size_t c = 0; c < n; ++c) {
            const __m256i is_class = _mm256_cmpeq_epi32(codes, _mm256_set1_epi32(static_cast<int>(c + 1)));
            const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_class)));
            const auto before = static_cast<float>(static_cast<double>(counts_[c]) - rows * share_[c]);
            const __m256 expected = _mm256_mul_ps(lane, _mm256_set1_ps(static_cast<float>(share_[c])));
            const __m256 t =
                _mm256_add_ps(_mm256_set1_ps(before), _mm256_sub_ps(counts_before(mask), expected));
            first = _mm256_sub_ps(first, t);
            sum = _mm256_add_ps(sum, _mm256_mul_ps(t, t));
            counts_[c] += static_cast<int64_t>(std::popcount(mask));
        }
        return _mm256_add_ps(sum, _mm256_mul_ps(first, first));
    }

    void write(uint32_t *counts, int64_t rows) const {
        int64_t others = 0;
        for (size_t c = 0; c < count_; ++c) {
            counts[c + 1] = static_cast<uint32_t>(counts_[c]);
            others += counts_[c];
        }
        counts[0] = static_cast<uint32_t>(rows - others);
    }

private:
    size_t count_;
    std::array<int64_t, most_classes> counts_{};
    std::array<double, most_classes> share_{};
};

template <size_t tracked>
DECIDUOUS_AVX2 void rate_blocks(const uint32_t *records, const Packing<uint32_t> &packing, const Range &range,
                                std::span<const uint32_t> left, std::span<const uint32_t> all,
                                ScreenScratch &scratch) {
    const size_t k = left.size();
    Excess<tracked> excess(left, all, static_cast<double>(range.n));
    const __m256 total = _mm256_set1_ps(static_cast<float>(range.n)),
                 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                  class_mask = _mm256_set1_epi32(static_cast<int>(packing.class_mask >> packing.row_bits));
    const __m128i row_bits = _mm_cvtsi32_si128(static_cast<int>(packing.row_bits));
    for (size_t b = 0; b < scratch.best.size(); ++b) {
        const int64_t begin = range.first + static_cast<int64_t>(b) * block_size,
                      end = std::min(begin + block_size, range.last);
        excess.write(scratch.classes.data() + b * k, begin + range.offset);
        __m256 best = _mm256_setzero_ps();
        for (int64_t i = begin; i < end; i += 8) {
            const __m256i record = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(records + i));
            const __m256i codes = _mm256_and_si256(_mm256_srl_epi32(record, row_bits), class_mask);
            const int64_t rows = i + range.offset;
            const __m256 squares = excess.squares(codes, static_cast<double>(rows));
            const __m256 on_left = _mm256_add_ps(_mm256_set1_ps(static_cast<float>(rows)), lane);
            const __m256 gain = _mm256_div_ps(squares, _mm256_mul_ps(on_left, _mm256_sub_ps(total, on_left)));
            // Only records that start a value count, and none beyond the end.
            const __m256i inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(end - i)), lanes);
            const __m256i counts = _mm256_and_si256(inside, _mm256_srai_epi32(record, 31));
            best = _mm256_max_ps(best, _mm256_and_ps(gain, _mm256_castsi256_ps(counts)));
        }
        scratch.best[b] = largest(best);
    }
}

#endif

#ifdef DECIDUOUS_AVX2

/// As `screen_numbers`, eight records at a time.
DECIDUOUS_AVX2 void rate_numbers(const uint32_t *records, const Packing<uint32_t> &packing,
                                 const Range &range, const float *y, double mean, double left,
                                 ScreenScratch &scratch) {
    const __m256 total = _mm256_set1_ps(static_cast<float>(range.n)),
                 lane = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7),
                 means = _mm256_set1_ps(static_cast<float>(mean));
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                  row_mask = _mm256_set1_epi32(static_cast<int>(packing.row_mask));
    double sum = left + mean * static_cast<double>(range.first); // of y
    for (size_t b = 0; b < scratch.best.size(); ++b) {
        const int64_t begin = range.first + static_cast<int64_t>(b) * block_size,
                      end = std::min(begin + block_size, range.last);
        const double t = sum - mean * static_cast<double>(begin);
        __m256 best = _mm256_setzero_ps(), before = _mm256_set1_ps(static_cast<float>(t));
        __m256d sums_of_y = _mm256_setzero_pd();
        for (int64_t i = begin; i < end; i += 8) {
            const __m256i record = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(records + i)),
                          rows = _mm256_and_si256(record, row_mask),
                          inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(end - i)), lanes);
            const __m256 mask = _mm256_castsi256_ps(inside),
                         numbers = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), y, rows, mask, 4);
            sums_of_y =
                _mm256_add_pd(sums_of_y, _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(numbers)),
                                                       _mm256_cvtps_pd(_mm256_extractf128_ps(numbers, 1))));
            const __m256 d = _mm256_sub_ps(numbers, means), sums = _mm256_add_ps(before, sums_before(d));
            const __m256 on_left = _mm256_add_ps(_mm256_set1_ps(static_cast<float>(i + range.offset)), lane);
            const __m256 gain = _mm256_div_ps(_mm256_mul_ps(sums, sums),
                                              _mm256_mul_ps(on_left, _mm256_sub_ps(total, on_left)));
            const __m256i counts = _mm256_and_si256(inside, _mm256_srai_epi32(record, 31));
            best = _mm256_max_ps(best, _mm256_and_ps(gain, _mm256_castsi256_ps(counts)));
            before = _mm256_permutevar8x32_ps(_mm256_add_ps(sums, d), _mm256_set1_epi32(7));
        }
        sum += total_of(sums_of_y);
        scratch.best[b] = largest(best);
    }
}

#endif

/// The rates of one block from its sums; `sums` is 0 where no cut may lie.
inline __attribute__((always_inline)) float best_of(const float *sums, int64_t size, float rows, float n) {
    int32_t best = 0; // the bits of numbers that are not negative have the numbers' order
    for (int32_t j = 0; j < static_cast<int32_t>(size); ++j) {
        const float left = rows + static_cast<float>(j);
        best = std::max(best, std::bit_cast<int32_t>(sums[j] * sums[j] / (left * (n - left))));
    }
    return std::bit_cast<float>(best);
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 float best_of_avx2(const float *sums, int64_t size, float rows, float n) {
    return best_of(sums, size, rows, n);
}
#endif

float best_of_plain(const float *sums, int64_t size, float rows, float n) {
    return best_of(sums, size, rows, n);
}

} // namespace

bool can_screen(size_t n_classes) {
#ifdef DECIDUOUS_AVX2
    return has_avx2() && n_classes <= most_classes;
#else
    return n_classes == 0;
#endif
}

float screen_classes(const uint32_t *records, const Packing<uint32_t> &packing, const Range &range,
                     std::span<const uint32_t> left, std::span<const uint32_t> all, ScreenScratch &scratch) {
    scratch.best.resize(n_blocks(range));
    scratch.classes.resize(scratch.best.size() * left.size());
#ifdef DECIDUOUS_AVX2
    constexpr std::array by_classes{rate_blocks<0>, rate_blocks<0>, rate_blocks<1>, rate_blocks<2>,
                                    rate_blocks<3>, rate_blocks<4>, rate_blocks<5>};
    const auto rate = by_classes[left.size() < by_classes.size() ? left.size() : 0];
    rate(records, packing, range, left, all, scratch);
#endif
    return slack_of(scratch.best, static_cast<double>(range.n));
}

template <typename R>
float screen_numbers(const R *records, const Packing<R> &packing, const Range &range, const float *y,
                     double mean, double left, double right, ScreenScratch &scratch) {
    scratch.best.resize(n_blocks(range));
    scratch.sums.assign(1, left);
    scratch.sums_back.assign(1, right);
#ifdef DECIDUOUS_AVX2
    const auto rate = has_avx2() ? best_of_avx2 : best_of_plain;
    if constexpr (std::is_same_v<R, uint32_t>)
        if (has_avx2()) {
            rate_numbers(records, packing, range, y, mean, left, scratch);
            return slack_of_numbers(scratch.best, static_cast<double>(range.n));
        }
#else
    const auto rate = best_of_plain;
#endif
    std::array<float, block_size> sums;
    double t = left;
    for (size_t b = 0; b < scratch.best.size(); ++b) {
        const int64_t begin = range.first + static_cast<int64_t>(b) * block_size,
                      end = std::min(begin + block_size, range.last);
        for (int64_t i = begin; i < end; ++i) {
            sums[static_cast<size_t>(i - begin)] =
                Packing<R>::start(records[i]) ? static_cast<float>(t) : 0.0F;
            t += y[packing.row(records[i])] - mean;
        }
        scratch.best[b] = rate(sums.data(), end - begin, static_cast<float>(begin + range.offset),
                               static_cast<float>(range.n));
    }
    return slack_of_numbers(scratch.best, static_cast<double>(range.n));
}

/// The sum of y - mean of the records in [begin, end).
template <typename R>
static double sum_between(const R *begin, const R *end, const Packing<R> &packing, const double *y,
                          double mean) {
    std::array<double, 4> parts{}; // side by side: none waits for the addition before it
    for (size_t i = 0; begin + i < end; ++i)
        parts[i % parts.size()] += y[packing.row(begin[i])] - mean;
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

template <typename R>
double sum_to_block(size_t block, const R *records, const Packing<R> &packing, const Range &range,
                    const double *y, double mean, ScreenScratch &scratch) {
    const auto record_of = [&](size_t b) {
        return records + std::min(range.first + static_cast<int64_t>(b) * block_size, range.last);
    };
    const auto sum_of = [&](size_t b) {
        return sum_between(record_of(b), record_of(b + 1), packing, y, mean);
    };
    const size_t n = n_blocks(range);
    auto &sums = scratch.sums, &back = scratch.sums_back;
    if (2 * block < n) { // from the nearer end
        while (sums.size() <= block)
            sums.push_back(sums.back() + sum_of(sums.size() - 1));
        return sums[block];
    }
    while (back.size() <= n - block)
        back.push_back(back.back() - sum_of(n - back.size()));
    return back[n - block];
}

template float screen_numbers(const uint32_t *, const Packing<uint32_t> &, const Range &, const float *,
                              double, double, double, ScreenScratch &);
template float screen_numbers(const std::uint64_t *, const Packing<std::uint64_t> &, const Range &,
                              const float *, double, double, double, ScreenScratch &);
template double sum_to_block(size_t, const uint32_t *, const Packing<uint32_t> &, const Range &,
                             const double *, double, ScreenScratch &);
template double sum_to_block(size_t, const std::uint64_t *, const Packing<std::uint64_t> &, const Range &,
                             const double *, double, ScreenScratch &);

} // namespace deciduous
