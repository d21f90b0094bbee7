#include "surrogate_bits.hpp"

#include "vector.hpp"

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

DECIDUOUS_AVX2 size_t branch_bits_of_words(std::span<const OrderedRow> rows, const std::int8_t *branch,
                                           uint64_t *first, uint64_t *second) {
    const __m256i row_mask = _mm256_set1_epi32(OrderedRow::row_mask);
    size_t i = 0;
    for (; i + word_rows <= rows.size(); i += word_rows)
        for (size_t k = 0; k < word_rows; k += 8) {
            const __m256i at = _mm256_and_si256(eight(rows.data() + i + k), row_mask);
            // 0, 1 or -1 is in the lowest byte
            const __m256i where = _mm256_i32gather_epi32(reinterpret_cast<const int *>(branch), at, 1);
            const uint64_t odd = upper_bits(_mm256_slli_epi32(where, 31)),
                           negative = upper_bits(_mm256_slli_epi32(where, 24));
            first[i / word_rows] |= (~odd & 0xffU) << k;
            second[i / word_rows] |= (odd & ~negative) << k;
        }
    return i;
}

#endif

} // namespace

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

void branch_bits(std::span<const OrderedRow> rows, const std::int8_t *branch, std::vector<uint64_t> &first,
                 std::vector<uint64_t> &second) {
    first.assign(words_of(rows.size()) + 1, 0);
    second.assign(first.size(), 0);
    size_t done = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        done = branch_bits_of_words(rows, branch, first.data(), second.data());
#endif
    plain_bits(rows, done, first.data(), [&](OrderedRow at) { return branch[at.row()] == 0; });
    plain_bits(rows, done, second.data(), [&](OrderedRow at) { return branch[at.row()] == 1; });
}

} // namespace deciduous
