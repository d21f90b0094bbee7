// Eight numbers side by side: what vector code of several files needs.
#pragma once

#include "vector.hpp"

#include <array>
#include <cstdint>

#ifdef DECIDUOUS_AVX2

namespace deciduous {

/// For every set of lanes: these lanes first, in order.
constexpr std::array<std::array<std::uint8_t, 8>, 256> make_gathered() {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        unsigned n = 0;
        for (std::uint8_t lane = 0; lane < 8; ++lane)
            if (mask >> lane & 1U)
                table[mask][n++] = lane;
    }
    return table;
}
inline constexpr auto gathered_lanes = make_gathered();

DECIDUOUS_AVX2 inline __m128i gathered(unsigned mask) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i *>(gathered_lanes[mask].data()));
}

/// The lanes whose bits are set, as a mask of all their bits.
DECIDUOUS_AVX2 inline __m256i lanes_of(unsigned bits) {
    const __m256i lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), lane_bits),
                              lane_bits);
}

/// These lanes first, in order, as a permutation of 32-bit lanes.
DECIDUOUS_AVX2 inline __m256i lanes_first(unsigned mask) {
    return _mm256_cvtepu8_epi32(gathered(mask));
}

/// Which of the lanes in `taken` start a value in their branch: those that start one, or follow a skipped
/// lane that does. `pending`: a skipped record before the first lane did; on return, one after the last taken
/// lane. A run of skipped lanes is a run of ones: adding a start to it carries into the taken lane behind it.
inline unsigned starts_among(unsigned taken, unsigned starts, std::uint32_t &pending) {
    const unsigned skipped = ~taken & 0xffU;
    const unsigned carried = skipped + (starts & skipped) + pending;
    pending = carried >> 8;
    return taken & (starts | carried);
}

DECIDUOUS_AVX2 inline float largest(__m256 x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    half = _mm_max_ss(half, _mm_shuffle_ps(half, half, 1));
    return _mm_cvtss_f32(half);
}

DECIDUOUS_AVX2 inline double total_of(__m256d x) {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

/// The sum of the lanes before each lane.
DECIDUOUS_AVX2 inline __m256 sums_before(__m256 x) {
    const __m256i shifted =
        _mm256_castps_si256(_mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6)));
    __m256 sum = _mm256_castsi256_ps(_mm256_blend_epi32(shifted, _mm256_setzero_si256(), 1));
    sum = _mm256_add_ps(sum, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(sum), 4)));
    sum = _mm256_add_ps(sum, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(sum), 8)));
    const __m256 lower = _mm256_permute2f128_ps(sum, sum, 0x08);
    return _mm256_add_ps(sum, _mm256_permute_ps(lower, 0xff));
}

} // namespace deciduous

#endif
