#include "surrogate_bits.hpp"

#include <algorithm>
#include <bit>

namespace deciduous {
namespace {

using std::size_t;
using std::uint64_t;

size_t words_of(size_t n) {
    return (n + word_rows - 1) / word_rows;
}

template <typename Flag>
void plain_bits(std::span<const OrderedRow> rows, size_t from, uint64_t *words, Flag flag) {
    for (size_t i = from; i < rows.size(); ++i)
        words[i / word_rows] |= static_cast<uint64_t>(flag(rows[i])) << (i % word_rows);
}

#ifdef DECIDUOUS_AVX2

DECIDUOUS_AVX2 __m256i eight(const OrderedRow *rows) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(rows));
}

DECIDUOUS_AVX2 uint64_t upper_bits(__m256i x) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
}

/// Whole words; returns how many rows they are.
template <int shift>
DECIDUOUS_AVX2 size_t flag_bits(std::span<const OrderedRow> rows, uint64_t *words) {
    size_t i = 0;
    for (; i + word_rows <= rows.size(); i += word_rows)
        for (size_t k = 0; k < word_rows; k += 8)
            words[i / word_rows] |= upper_bits(_mm256_slli_epi32(eight(rows.data() + i + k), shift)) << k;
    return i;
}

DECIDUOUS_AVX2 size_t count_bytes_of_blocks(std::span<const std::int8_t> bytes, std::int8_t value,
                                            std::int64_t &n) {
    const __m256i sought = _mm256_set1_epi8(value);
    size_t i = 0;
    for (; i + 32 <= bytes.size(); i += 32) {
        const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes.data() + i));
        n += std::popcount(static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(here, sought))));
    }
    return i;
}

DECIDUOUS_AVX2 std::int64_t count_bits_by_words(std::span<const uint64_t> words) {
    std::int64_t n = 0;
    for (const uint64_t word : words)
        n += std::popcount(word);
    return n;
}

#endif

} // namespace

std::int64_t count_bits(std::span<const uint64_t> words) {
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        return count_bits_by_words(words);
#endif
    std::int64_t n = 0;
    for (const uint64_t word : words)
        n += std::popcount(word);
    return n;
}

std::int64_t count_bytes(std::span<const std::int8_t> bytes, std::int8_t value) {
    std::int64_t n = 0;
    size_t done = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        done = count_bytes_of_blocks(bytes, value, n);
#endif
    return n + std::count(bytes.begin() + static_cast<std::ptrdiff_t>(done), bytes.end(), value);
}

void start_bits(std::span<const OrderedRow> rows, std::vector<uint64_t> &starts) {
    starts.assign(words_of(rows.size()) + 1, 0);
    size_t done = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        done = flag_bits<0>(rows, starts.data());
#endif
    plain_bits(rows, done, starts.data(), [](OrderedRow at) { return at.starts(); });
}

void second_class_bits(std::span<const OrderedRow> rows, std::vector<uint64_t> &second) {
    second.assign(words_of(rows.size()) + 1, 0);
    size_t done = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        done = flag_bits<2>(rows, second.data());
#endif
    plain_bits(rows, done, second.data(), [](OrderedRow at) { return at.is_second(); });
}

} // namespace deciduous
