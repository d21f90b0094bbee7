#include "partition.hpp"

#include "lanes.hpp"

#include <bit>
#include <type_traits>

namespace deciduous {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

/// One record after the other; without a branch for the processor to guess.
template <typename R>
class Divider {
public:
    Divider(R *records, R *aside, const Packing<R> &packing, const uint32_t *places)
        : left(records), right(aside), packing_(packing), places_(places) {}

    void take(R record) {
        const R start = record >> Packing<R>::top;
        const uint32_t where = places_[packing_.row(record)];
        const R moved = static_cast<R>((record & packing_.class_mask) | (where & ~second_branch));
        const R to_right = where >> 31;
        left_starts |= start;
        right_starts |= start;
        *left = static_cast<R>(moved | left_starts << Packing<R>::top);
        *right = static_cast<R>(moved | right_starts << Packing<R>::top);
        left += 1 - to_right;
        right += to_right;
        left_starts &= to_right;
        right_starts &= static_cast<R>(1 - to_right);
    }

    R *left, *right;
    R left_starts = 0, right_starts = 0; // a value has started since the branch's last record

private:
    const Packing<R> &packing_;
    const uint32_t *places_;
};

#ifdef DECIDUOUS_AVX2

/// Eight records at a time.
DECIDUOUS_AVX2 size_t divide_by_eights(Divider<uint32_t> &divider, uint32_t *records, size_t n,
                                       const Packing<uint32_t> &packing, const uint32_t *places) {
    const __m256i rows = _mm256_set1_epi32(static_cast<int>(packing.row_mask)),
                  classes = _mm256_set1_epi32(static_cast<int>(packing.class_mask)),
                  place = _mm256_set1_epi32(static_cast<int>(~second_branch));
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i record = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(records + i));
        const auto starts = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(record)));
        const __m256i where =
            _mm256_i32gather_epi32(reinterpret_cast<const int *>(places), _mm256_and_si256(record, rows), 4);
        const auto to_right = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(where)));
        const unsigned to_left = ~to_right & 0xffU;
        const unsigned marked = starts_among(to_left, starts, divider.left_starts) |
                                starts_among(to_right, starts, divider.right_starts);
        const __m256i moved = _mm256_or_si256(
            _mm256_or_si256(_mm256_and_si256(record, classes), _mm256_and_si256(where, place)),
            _mm256_slli_epi32(lanes_of(marked), 31));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(divider.left),
                            _mm256_permutevar8x32_epi32(moved, lanes_first(to_left)));
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(divider.right),
                            _mm256_permutevar8x32_epi32(moved, lanes_first(to_right)));
        const auto n_right = static_cast<unsigned>(std::popcount(to_right));
        divider.left += 8 - n_right;
        divider.right += n_right;
    }
    return i;
}

#endif

} // namespace

template <typename R>
size_t divide_in_two(R *records, size_t n, const Packing<R> &packing, const uint32_t *places, R *aside) {
    Divider<R> divider(records, aside, packing, places);
    size_t done = 0;
#ifdef DECIDUOUS_AVX2
    if constexpr (std::is_same_v<R, uint32_t>)
        if (n >= 16 && has_avx2())
            done = divide_by_eights(divider, records, n, packing, places);
#endif
    for (; done < n; ++done)
        divider.take(records[done]);
    return static_cast<size_t>(divider.left - records);
}

template size_t divide_in_two(uint32_t *, size_t, const Packing<uint32_t> &, const uint32_t *, uint32_t *);
template size_t divide_in_two(std::uint64_t *, size_t, const Packing<std::uint64_t> &, const uint32_t *,
                              std::uint64_t *);

} // namespace deciduous
