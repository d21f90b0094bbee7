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

constexpr size_t eight = 8;                                // cuts: what vector instructions take at once
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

/// Works out the scores of eight cuts; lines are `stride` apart.
DECIDUOUS_INLINE void score(Measure measure, const float *lines, size_t stride, size_t n_classes,
                            float *scores) {
    const float *const sums = lines + 2 * n_classes * stride;
    std::array<float, eight> here{};
    if (measure == Measure::entropy) {
        for (size_t line = 0; line < 2 * n_classes; ++line)
            for (size_t m = 0; m < eight; ++m)
                here[m] += x_log_x_roughly(lines[line * stride + m]);
        for (size_t m = 0; m < eight; ++m)
            scores[m] = here[m] - (x_log_x_roughly(sums[m]) + x_log_x_roughly(sums[stride + m]));
        return;
    }
    std::array<float, eight> both{};
    for (size_t side = 0; side < 2; ++side) {
        const float *const of_side = lines + side * n_classes * stride, *const weight = sums + side * stride;
        here.fill(0.0F);
        for (size_t c = 0; c < n_classes; ++c)
            for (size_t m = 0; m < eight; ++m) {
                const float w = of_side[c * stride + m];
                here[m] = measure == Measure::gini ? here[m] + w * w : std::max(here[m], w);
            }
        for (size_t m = 0; m < eight; ++m)
            both[m] += measure == Measure::gini ? here[m] / std::max(weight[m], least) : here[m];
    }
    std::copy(both.begin(), both.end(), scores);
}

void score_plainly(Measure measure, const float *lines, size_t stride, size_t n_classes, size_t n,
                   float *scores) {
    for (size_t first = 0; first < n; first += eight)
        score(measure, lines + first, stride, n_classes, scores + first);
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 void score_by_eights(Measure measure, const float *lines, size_t stride, size_t n_classes,
                                    size_t n, float *scores) {
    for (size_t first = 0; first < n; first += eight)
        score(measure, lines + first, stride, n_classes, scores + first);
}
#endif

} // namespace

void RoughCuts::begin(Measure measure, size_t n_classes, double weight) {
    measure_ = measure;
    n_classes_ = n_classes;
    n_ = 0;
    unit_ = 1.0 / weight;
    lines_.resize((2 * n_classes + 2) * batch, 1.0F);
    ratings_.clear();
}

void RoughCuts::rate() {
    static_assert(batch % eight == 0);
    const size_t n = std::exchange(n_, 0), first = ratings_.size();
    ratings_.resize(first + (n + eight - 1) / eight * eight);
    float *const scores = ratings_.data() + first;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        score_by_eights(measure_, lines_.data(), batch, n_classes_, n, scores);
    else
#endif
        score_plainly(measure_, lines_.data(), batch, n_classes_, n, scores);
    ratings_.resize(first + n);
}

} // namespace deciduous
