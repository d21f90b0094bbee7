// Rows and columns of a node divided between its branches, in order.
#include "lanes.hpp"
#include "surrogate_bits.hpp"
#include "surrogate_rows.hpp"

#include <bit>
#include <tuple>
#include <type_traits>

namespace deciduous {

using std::size_t;
using std::uint32_t;

namespace {

/// A word that holds an element.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, std::uint64_t>;

/// How many elements of a range are done: those of branch 0 lie at its front, those of branch 1 aside.
struct RangeDivided {
    size_t done = 0, n_first = 0, n_second = 0;
};

#ifdef DECIDUOUS_AVX2

/// For every set of lanes of 64 bits: these lanes first, in order, as halves.
constexpr auto make_gathered_pairs() {
    std::array<std::array<std::uint8_t, 8>, 16> table{};
    for (unsigned mask = 0; mask < 16; ++mask) {
        size_t n = 0;
        for (unsigned lane = 0; lane < 4; ++lane)
            if ((mask >> lane & 1U) != 0)
                for (const unsigned half : {0U, 1U})
                    table[mask][n++] = static_cast<std::uint8_t>(2 * lane + half);
    }
    return table;
}
constexpr auto gathered_pairs = make_gathered_pairs();

DECIDUOUS_AVX2 __m256i pairs_first(unsigned mask) {
    return _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i *>(gathered_pairs[mask].data())));
}

DECIDUOUS_AVX2 __m256i load(const void *from) {
    return _mm256_loadu_si256(static_cast<const __m256i *>(from));
}

DECIDUOUS_AVX2 void store(void *to, __m256i x, __m256i order) {
    _mm256_storeu_si256(static_cast<__m256i *>(to), _mm256_permutevar8x32_epi32(x, order));
}

/// Divides as far as eights go.
template <typename T>
DECIDUOUS_AVX2 RangeDivided divide_range_by_eights(std::span<T> range, const std::int8_t *branch,
                                                   Bits<T> *aside) {
    RangeDivided so_far;
    for (; so_far.done + 8 <= range.size(); so_far.done += 8) {
        const T *from = range.data() + so_far.done;
        const __m128i where = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(branch + so_far.done));
        const auto first =
                       static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(where, _mm_setzero_si128()))) &
                       0xffU,
                   second =
                       static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(where, _mm_set1_epi8(1)))) &
                       0xffU;
        T *const to_first = range.data() + so_far.n_first;
        Bits<T> *const to_second = aside + so_far.n_second;
        if constexpr (sizeof(T) == 4) {
            const __m256i x = load(from);
            store(to_first, x, lanes_first(first));
            store(to_second, x, lanes_first(second));
        } else {
            const __m256i x = load(from), y = load(from + 4);
            store(to_first, x, pairs_first(first & 0xfU));
            store(to_first + std::popcount(first & 0xfU), y, pairs_first(first >> 4));
            store(to_second, x, pairs_first(second & 0xfU));
            store(to_second + std::popcount(second & 0xfU), y, pairs_first(second >> 4));
        }
        so_far.n_first += static_cast<size_t>(std::popcount(first));
        so_far.n_second += static_cast<size_t>(std::popcount(second));
    }
    return so_far;
}

#endif

/// Brings the elements of branch 0 to the front of a range and those of branch 1 behind them, in order; those
/// of neither are lost.
template <typename T>
void divide_range(std::span<T> range, const std::int8_t *branch, SurrogateMemory &memory) {
    std::vector<Bits<T>> &aside = std::get<std::vector<Bits<T>>>(memory.aside);
    aside.resize(std::max(aside.size(), range.size() + 8)); // too many are written
    RangeDivided so_far;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        so_far = divide_range_by_eights(range, branch, aside.data());
#endif
    auto [i, n_first, n_second] = so_far;
    for (; i < range.size(); ++i) { // without branches for the processor to guess
        const T x = range[i];
        const int b = branch[i];
        range[n_first] = x;
        aside[n_second] = std::bit_cast<Bits<T>>(x);
        n_first += static_cast<size_t>(b == 0);
        n_second += static_cast<size_t>(b == 1);
    }
    for (size_t k = 0; k < n_second; ++k)
        range[n_first + k] = std::bit_cast<T>(aside[k]);
}

/// Of both branches: how many rows there are, and whether one that was passed over since the last started a
/// value.
struct OrderDivided {
    std::array<size_t, 2> n{};
    std::array<uint32_t, 2> pending{};
};

#ifdef DECIDUOUS_AVX2

/// Divides the order of a column, as far as eights go; returns how many rows are done. In a column without
/// equal cells every row starts a value, in whatever branch.
template <bool distinct>
DECIDUOUS_AVX2 size_t divide_by_eights(std::span<OrderedRow> range, const uint32_t *moved_rows,
                                       uint32_t *aside, OrderDivided &done) {
    const __m256i row_mask = _mm256_set1_epi32(OrderedRow::row_mask),
                  kept = _mm256_set1_epi32(static_cast<int>(OrderedRow::missing_bit | OrderedRow::second_bit |
                                                            (distinct ? OrderedRow::start_bit : 0)));
    const auto bits = [](__m256i x) DECIDUOUS_AVX2 {
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
    };
    size_t i = 0;
    for (; i + 8 <= range.size(); i += 8) {
        const __m256i rows = load(range.data() + i);
        const __m256i moved = _mm256_i32gather_epi32(reinterpret_cast<const int *>(moved_rows),
                                                     _mm256_and_si256(rows, row_mask), 4);
        const unsigned lost = bits(_mm256_slli_epi32(moved, 1)), second = bits(moved),
                       first = ~(second | lost) & 0xffU;
        __m256i named = _mm256_or_si256(_mm256_and_si256(rows, kept), _mm256_and_si256(moved, row_mask));
        if constexpr (!distinct) {
            const unsigned starts = bits(rows);
            const unsigned marked =
                starts_among(first, starts, done.pending[0]) | starts_among(second, starts, done.pending[1]);
            named = _mm256_or_si256(named, _mm256_slli_epi32(lanes_of(marked), 31));
        }
        store(range.data() + done.n[0], named, lanes_first(first));
        store(aside + done.n[1], named, lanes_first(second));
        done.n[0] += static_cast<size_t>(std::popcount(first));
        done.n[1] += static_cast<size_t>(std::popcount(second));
    }
    return i;
}

#endif

} // namespace

/// A row starts a value in its branch if it does, or one that was passed over since the branch's last row.
std::array<size_t, 2> divide_order(std::span<OrderedRow> range, const uint32_t *moved, bool distinct,
                                   SurrogateMemory &memory) {
    auto &aside = std::get<std::vector<uint32_t>>(memory.aside);
    aside.resize(std::max(aside.size(), range.size() + 8)); // eights are written
    OrderDivided done;
    size_t i = 0;
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        i = distinct ? divide_by_eights<true>(range, moved, aside.data(), done)
                     : divide_by_eights<false>(range, moved, aside.data(), done);
#else
    (void)distinct;
#endif
    for (; i < range.size(); ++i) {
        const OrderedRow at = range[i];
        const uint32_t to = moved[at.row()];
        const bool there[] = {(to & (to_second | to_nowhere)) == 0, (to & to_second) != 0};
        const uint32_t named = at.as(to & OrderedRow::row_mask).bits();
        const auto kept = [&](size_t own) {
            uint32_t &pending = done.pending[own];
            pending |= at.starts();
            const uint32_t row = named | (pending ? OrderedRow::start_bit : 0);
            pending = there[own] ? 0 : pending;
            return row;
        };
        aside[done.n[1]] = kept(1);
        range[done.n[0]] = OrderedRow(kept(0));
        done.n[0] += there[0];
        done.n[1] += there[1];
    }
    for (size_t k = 0; k < done.n[1]; ++k)
        range[done.n[0] + k] = OrderedRow(aside[k]);
    return done.n;
}

std::array<size_t, 2> SurrogateRows::divide_rows(const SurrogateNode &node, SurrogateMemory &memory) {
    const std::int8_t *branch = branch_.data() + node.start;
    const auto n_first = static_cast<size_t>(count_bytes({branch, node.size}, 0));
    const auto boundary = static_cast<uint32_t>(node.start + n_first);
    uint32_t first = static_cast<uint32_t>(node.start),
             second = boundary, *const moved = moved_.data() + node.start;
    for (size_t i = 0; i < node.size; ++i) {
        const int b = branch[i];
        moved[i] = b < 0 ? to_nowhere : b == 0 ? first : second | to_second;
        first += static_cast<uint32_t>(b == 0);
        second += static_cast<uint32_t>(b == 1);
    }
    const auto divide = [&](auto &all) {
        if (!all.empty())
            divide_range(std::span(all).subspan(node.start, node.size), branch, memory);
    };
    divide(row_);
    divide(target_.classes);
    divide(target_.numbers);
    divide(target_.weight);
    divide(target_.row_weight);
    return {n_first, second - boundary};
}

void SurrogateRows::divide_columns(size_t some, const SurrogateNode &node, SurrogateMemory &memory) {
    if (some < ordered_.size()) {
        const size_t f = ordered_[some];
        divide_order(std::span(order_[f]).subspan(node.start, node.size), moved_.data(),
                     table_->features[f].distinct, memory);
    } else {
        divide_range(std::span(packs_[some - ordered_.size()]).subspan(node.start, node.size),
                     branch_.data() + node.start, memory);
    }
}

} // namespace deciduous
