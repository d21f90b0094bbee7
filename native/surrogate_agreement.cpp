#include "surrogate_agreement.hpp"

#include "surrogate_bits.hpp"
#include "vector.hpp"

#include <algorithm>
#include <numeric>

namespace deciduous {
namespace {

using std::int64_t;
using std::int8_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr int64_t least_rows = 2;

/// The cuts that leave enough rows of a known side below and above: behind rows first .. end-1.
struct AllowedCuts {
    size_t first = 0, end = 0;

    explicit AllowedCuts(std::span<const int8_t> sides) : end(sides.size()) {
        for (int64_t below = 0; first < sides.size(); ++first)
            if ((below += sides[first] != 0) >= least_rows)
                break;
        for (int64_t above = 0; end > 0 && above < least_rows;)
            above += sides[--end] != 0;
    }
};

// --- rows that all weigh 1: left and right are counted as one difference, block by block ---------------

constexpr size_t block_rows = 32;
constexpr int8_t no_most = -128, no_least = 127; // of a block without a cut

/// Of a block of rows: by how much the difference grows, and at most and at least at a cut.
struct Block {
    int8_t growth = 0, most = no_most, least = no_least;
};

/// `cuts`: a bit a row.
Block block_of(const int8_t *sides, uint32_t cuts) {
    Block block;
    for (size_t i = 0; i < block_rows; ++i) {
        block.growth = static_cast<int8_t>(block.growth + sides[i]);
        if ((cuts >> i & 1) != 0) {
            block.most = std::max(block.most, block.growth);
            block.least = std::min(block.least, block.growth);
        }
    }
    return block;
}

#ifdef DECIDUOUS_AVX2

DECIDUOUS_AVX2 int least_of(__m256i unsigned_bytes) {
    const __m128i half =
        _mm_min_epu8(_mm256_castsi256_si128(unsigned_bytes), _mm256_extracti128_si256(unsigned_bytes, 1));
    const __m128i pairs = _mm_and_si128(_mm_min_epu8(half, _mm_srli_epi16(half, 8)), _mm_set1_epi16(0xff));
    return _mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) & 0xff;
}

DECIDUOUS_AVX2 Block block_by_bytes(const int8_t *sides, uint32_t cuts) {
    const __m256i sums = sums_up_to(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(sides))),
                  here = bytes_of(cuts), last = _mm256_set1_epi8(no_least);
    const __m256i below_last = _mm256_sub_epi8(last, sums), // small where the sum is large
        above_first = _mm256_add_epi8(sums, _mm256_set1_epi8(no_most));
    const __m256i none = _mm256_set1_epi8(-1);
    return {static_cast<int8_t>(_mm256_extract_epi8(sums, 31)),
            static_cast<int8_t>(no_least - least_of(_mm256_blendv_epi8(none, below_last, here))),
            static_cast<int8_t>(no_most + least_of(_mm256_blendv_epi8(none, above_first, here)))};
}

#endif

/// The first cut of the greatest difference, and of the least one.
struct Extremes {
    struct Place {
        int64_t difference = 0;
        size_t block = SIZE_MAX; // so it remains if there is no cut
        int64_t begin = 0;       // the difference before the block
        size_t at = 0;
    };
    Place most, least;
    int64_t difference = 0; // of all

    template <typename BlockOf>
    DECIDUOUS_INLINE void find(std::span<const int8_t> sides, std::span<const uint64_t> starts,
                               const AllowedCuts &cuts, BlockOf block_of_rows) {
        for (size_t b = 0; b * block_rows < sides.size(); ++b) {
            const Block block = block_of_rows(sides.data() + b * block_rows, cuts_in(starts, b, cuts));
            if (block.most != no_most) {
                if (most.block == SIZE_MAX || difference + block.most > most.difference)
                    most = {difference + block.most, b, difference, 0};
                if (least.block == SIZE_MAX || difference + block.least < least.difference)
                    least = {difference + block.least, b, difference, 0};
            }
            difference += block.growth;
        }
    }

    /// Finds the rows within the blocks.
    void locate(std::span<const int8_t> sides, std::span<const uint64_t> starts, const AllowedCuts &cuts) {
        for (Place *place : {&most, &least}) {
            const uint32_t here = cuts_in(starts, place->block, cuts);
            int64_t sum = place->begin;
            for (size_t i = 0; i < block_rows; ++i) {
                sum += sides[place->block * block_rows + i];
                place->at = place->block * block_rows + i;
                if ((here >> i & 1) != 0 && sum == place->difference)
                    break;
            }
        }
    }

private:
    DECIDUOUS_INLINE static uint32_t cuts_in(std::span<const uint64_t> starts, size_t block,
                                             const AllowedCuts &cuts) {
        constexpr size_t blocks = word_rows / block_rows;
        return static_cast<uint32_t>(cuts_of(starts, block / blocks, cuts.first, cuts.end) >>
                                     (block % blocks * block_rows));
    }
};

#ifdef DECIDUOUS_AVX2

DECIDUOUS_AVX2 void find_by_bytes(Extremes &extremes, std::span<const int8_t> sides,
                                  std::span<const uint64_t> starts, const AllowedCuts &cuts) {
    extremes.find(sides, starts, cuts, [](const int8_t *rows, uint32_t here) DECIDUOUS_AVX2 {
        return block_by_bytes(rows, here);
    });
}

#endif

Extremes extremes_of(std::span<const int8_t> sides, std::span<const uint64_t> starts,
                     const AllowedCuts &cuts) {
    Extremes extremes;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        find_by_bytes(extremes, sides, starts, cuts);
    else
#endif
        extremes.find(sides, starts, cuts, block_of);
    if (extremes.most.block != SIZE_MAX)
        extremes.locate(sides, starts, cuts);
    return extremes;
}

std::optional<BestCut> best_of_counts(std::span<const int8_t> sides, std::span<const uint64_t> starts,
                                      const AllowedCuts &cuts, double *both) {
    const auto n_sided = static_cast<int64_t>(sides.size()) - count_bytes(sides, 0);
    const Extremes found = extremes_of(sides, starts, cuts);
    const double left = both[0] = static_cast<double>((n_sided + found.difference) / 2),
                 right = both[1] = static_cast<double>((n_sided - found.difference) / 2);
    if (found.most.block == SIZE_MAX)
        return {};
    const double low_right = left - static_cast<double>(found.least.difference),
                 low_left = right + static_cast<double>(found.most.difference);
    if (std::max(low_right, low_left) <= std::max(left, right))
        return {};
    if (low_right > low_left || (low_right == low_left && found.least.at <= found.most.at))
        return BestCut{low_right, found.least.at, 1};
    return BestCut{low_left, found.most.at, 0};
}

// --- rows with weights ------------------------------------------------------------------------------------

std::optional<BestCut> best_of_weights(std::span<const int8_t> sides, std::span<const OrderedRow> rows,
                                       const AllowedCuts &cuts, std::span<const double> weight,
                                       double *both) {
    const auto add = [&](size_t i, double &on_left, double &on_right) {
        if (sides[i] != 0)
            (sides[i] > 0 ? on_left : on_right) += weight[rows[i].row()];
    };
    double &left = both[0], &right = both[1];
    for (size_t i = 0; i < rows.size(); ++i)
        add(i, left, right);
    std::optional<BestCut> best;
    double most = std::max(left, right), left_below = 0.0, right_below = 0.0;
    for (size_t i = 0; i < cuts.end; ++i) {
        add(i, left_below, right_below);
        if (i < cuts.first || !rows[i + 1].starts())
            continue;
        const double low_right = right_below + (left - left_below),
                     low_left = left_below + (right - right_below);
        for (const auto &[agreeing, to] : {std::pair{low_right, 1}, std::pair{low_left, 0}})
            if (agreeing > most) {
                most = agreeing;
                best = BestCut{agreeing, i, static_cast<int8_t>(to)};
            }
    }
    return best;
}

} // namespace

std::optional<BestCut> best_agreement(std::span<const OrderedRow> rows, const int8_t *side,
                                      std::span<const double> weight, double *both, SurrogateMemory &memory) {
    const size_t n = rows.size(), whole = (n + block_rows - 1) / block_rows * block_rows;
    memory.sides.resize(std::max(memory.sides.size(), whole));
    int8_t *const own = memory.sides.data();
#ifdef __GNUC__
#pragma GCC unroll 8
#endif
    for (size_t i = 0; i < n; ++i)
        own[i] = side[rows[i].row()];
    std::fill(own + n, own + whole, int8_t{0}); // the last block is whole
    const std::span<const int8_t> sides(own, n);
    const AllowedCuts cuts(sides);
    if (!weight.empty())
        return best_of_weights(sides, rows, cuts, weight, both);
    return best_of_counts(sides, memory.starts, cuts, both);
}

} // namespace deciduous
