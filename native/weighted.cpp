#include "weighted.hpp"

#include "vector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

namespace deciduous {
namespace {

using std::size_t;

constexpr size_t block = RoughCuts::block;
using Scores = std::array<float, block>;
constexpr float least = std::numeric_limits<float>::min(); // no logarithm, and no division, of 0

/// x ln x to 2e-7, for x up to 1: ln(1 + f) / f by a Chebyshev series for |f| <= 1/3.
DECIDUOUS_INLINE float x_log_x_roughly(float x) {
    constexpr std::int32_t two_thirds = 0x3f2aaaab;
    const auto bits = std::bit_cast<std::int32_t>(std::max(x, least));
    const std::int32_t exponent = (bits - two_thirds) >> 23;
    const float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0F;
    float q = -0.15403156F;
    for (const float c :
         {0.17111227F, -0.16412799F, 0.19795030F, -0.25008026F, 0.33337989F, -0.49999931F, 0.99999982F})
        q = q * f + c;
    return x * (static_cast<float>(exponent) * 0.69314718F + f * q);
}

/// Works out the scores of all cuts of a block; those that are not there have some number.
DECIDUOUS_INLINE void score(Measure measure, const float *lines, size_t n_classes, Scores &scores) {
    const float *const sums = lines + 2 * n_classes * block;
    scores.fill(0.0F);
    if (measure == Measure::entropy) {
        for (size_t line = 0; line < 2 * n_classes; ++line)
            for (size_t m = 0; m < block; ++m)
                scores[m] += x_log_x_roughly(lines[line * block + m]);
        for (size_t m = 0; m < block; ++m)
            scores[m] -= x_log_x_roughly(sums[m]) + x_log_x_roughly(sums[block + m]);
        return;
    }
    for (size_t side = 0; side < 2; ++side) {
        const float *const of_side = lines + side * n_classes * block, *const weight = sums + side * block;
        Scores here{};
        for (size_t c = 0; c < n_classes; ++c)
            for (size_t m = 0; m < block; ++m) {
                const float w = of_side[c * block + m];
                here[m] = measure == Measure::gini ? here[m] + w * w : std::max(here[m], w);
            }
        for (size_t m = 0; m < block; ++m)
            scores[m] += measure == Measure::gini ? here[m] / std::max(weight[m], least) : here[m];
    }
}

void score_plainly(Measure measure, const float *lines, size_t n_classes, Scores &scores) {
    score(measure, lines, n_classes, scores);
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 void score_by_eights(Measure measure, const float *lines, size_t n_classes, Scores &scores) {
    score(measure, lines, n_classes, scores);
}
#endif

} // namespace

void RoughCuts::begin(Measure measure, size_t n_classes, double weight) {
    measure_ = measure;
    n_classes_ = n_classes;
    n_ = 0;
    unit_ = 1.0 / weight;
    lines_.resize((2 * n_classes + 2) * block, 1.0F);
}

float RoughCuts::rate() {
    Scores scores;
    const size_t n = std::exchange(n_, 0);
    if (!n)
        return -std::numeric_limits<float>::infinity();
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        score_by_eights(measure_, lines_.data(), n_classes_, scores);
    else
#endif
        score_plainly(measure_, lines_.data(), n_classes_, scores);
    return *std::max_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(n));
}

} // namespace deciduous
