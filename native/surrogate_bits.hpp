// The rows of an ordered column, a bit a row: words of 64 in which they are counted.
#pragma once

#include "surrogate_table.hpp"
#include "vector.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

constexpr std::size_t word_rows = 64;

/// Which rows are flagged so; a word of zeros comes last.
void start_bits(std::span<const OrderedRow> rows, std::vector<std::uint64_t> &starts);
void second_class_bits(std::span<const OrderedRow> rows, std::vector<std::uint64_t> &second);

/// How many bits are set.
std::int64_t count_bits(std::span<const std::uint64_t> words);

/// How many bytes are of a value.
std::int64_t count_bytes(std::span<const std::int8_t> bytes, std::int8_t value);

#ifdef DECIDUOUS_AVX2

/// Bytes of ones where bits are set.
DECIDUOUS_AVX2 inline __m256i bytes_of(std::uint32_t bits) {
    const __m256i which = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0),
                  one_bit = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201U));
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), which);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, one_bit), one_bit);
}

/// The sums of the bytes up to each.
DECIDUOUS_AVX2 inline __m256i sums_up_to(__m256i x) {
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 1));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 2));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi8(x, _mm256_slli_si256(x, 8));
    const __m256i lower = _mm256_permute2x128_si256(x, x, 0x08); // in the upper half, zeros in the lower one
    return _mm256_add_epi8(x, _mm256_shuffle_epi8(lower, _mm256_set1_epi8(15)));
}

#endif

/// The bits from .. to-1 of a word that begins at a row.
inline std::uint64_t between(std::size_t word, std::size_t from, std::size_t to) {
    const std::size_t begin = word * word_rows;
    if (to <= begin || from >= begin + word_rows || from >= to)
        return 0;
    const std::uint64_t low = from > begin ? ~std::uint64_t{0} << (from - begin) : ~std::uint64_t{0};
    const std::uint64_t high =
        to - begin >= word_rows ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (to - begin));
    return low & high;
}

/// Of the rows of a word, those behind which a cut from .. to-1 lies: the row that follows starts a value.
inline std::uint64_t cuts_of(std::span<const std::uint64_t> starts, std::size_t word, std::size_t from,
                             std::size_t to) {
    return (starts[word] >> 1 | starts[word + 1] << (word_rows - 1)) & between(word, from, to);
}

} // namespace deciduous
