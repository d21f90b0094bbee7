#include "surrogate_packs.hpp"

#include "vector.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace deciduous {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// So many fields of so many bits, known to the compiler.
template <unsigned bits, size_t n_fields>
struct Fields {
    static constexpr size_t n = n_fields;

    static size_t code(uint64_t cells, size_t field) {
        return (cells >> (bits * field)) & ((uint64_t{1} << bits) - 1);
    }
};

/// Calls work with the fields of a pack.
template <typename Work>
void with_fields(const SurrogateTable::Pack &pack, Work work) {
    static_assert(SurrogateTable::Pack::most_fields == 6);
    switch (pack.bits == 8 ? pack.features.size() : 0) {
    case 0:
        return work(Fields<32, 1>{});
    case 1:
        return work(Fields<8, 1>{});
    case 2:
        return work(Fields<8, 2>{});
    case 3:
        return work(Fields<8, 3>{});
    case 4:
        return work(Fields<8, 4>{});
    case 5:
        return work(Fields<8, 5>{});
    default:
        return work(Fields<8, 6>{});
    }
}

struct Ones {
    static constexpr bool unit = true;
    double operator[](size_t) const { return 1.0; }
};

struct Weights {
    static constexpr bool unit = false;
    const double *own;
    double operator[](size_t i) const { return own[i]; }
};

/// Calls work with the weight of each row of a node, known to the compiler where all are 1.
template <typename Work>
void with_weights(const std::vector<double> &weight, size_t start, Work work) {
    weight.empty() ? work(Ones{}) : work(Weights{weight.data() + start});
}

#ifdef DECIDUOUS_AVX2

/// The sum of the numbers of the rows whose cell is known, and how many these are, of up to 8 fields of 8
/// bits.
struct KnownSums {
    std::array<double, 8> sum;
    std::array<uint64_t, 8> missing;
};

DECIDUOUS_AVX2 KnownSums sums_of_known(std::span<const uint64_t> cells, const double *y) {
    const __m256i zero = _mm256_setzero_si256();
    __m256d low = _mm256_setzero_pd(), high = low;
    __m256i low_missing = zero, high_missing = zero;
    for (size_t i = 0; i < cells.size(); ++i) {
        const __m256d number = _mm256_broadcast_sd(y + i);
        const __m128i fields = _mm_cvtsi64_si128(static_cast<long long>(cells[i]));
        const __m256i first = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(fields), zero),
                      second = _mm256_cmpeq_epi64(_mm256_cvtepu8_epi64(_mm_srli_epi64(fields, 32)), zero);
        low = _mm256_add_pd(low, _mm256_andnot_pd(_mm256_castsi256_pd(first), number));
        high = _mm256_add_pd(high, _mm256_andnot_pd(_mm256_castsi256_pd(second), number));
        low_missing = _mm256_sub_epi64(low_missing, first);
        high_missing = _mm256_sub_epi64(high_missing, second);
    }
    KnownSums found;
    _mm256_storeu_pd(found.sum.data(), low);
    _mm256_storeu_pd(found.sum.data() + 4, high);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(found.missing.data()), low_missing);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(found.missing.data() + 4), high_missing);
    return found;
}

#endif

/// Adds to two numbers at once.
void add_pair(double *to, double x, double y) {
#ifdef __SSE2__
    _mm_storeu_pd(to, _mm_add_pd(_mm_loadu_pd(to), _mm_set_pd(y, x)));
#else
    to[0] += x;
    to[1] += y;
#endif
}

/// x, or 0: without a branch for the processor to guess.
double if_known(double x, bool known) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & (known ? ~uint64_t{0} : 0));
}

} // namespace

PackLines::PackLines(const SurrogateTable &table, size_t pack) {
    const std::vector<size_t> &features = table.packs[pack].features;
    for (size_t k = 0; k < features.size(); ++k) {
        first[k] = n;
        n += static_cast<size_t>(table.features[features[k]].n_categories) + 1;
    }
}

void PackRows::count_classes(std::vector<uint32_t> &counts) const {
    counts.assign(2 * lines.n, 0);
    with_fields(pack, [&, to = counts.data(), first = lines.first,
                       classes = target.classes.data() + start](auto fields) {
        for (size_t i = 0; i < cells.size(); ++i) {
            const uint64_t row = cells[i];
            const auto own = static_cast<size_t>(classes[i]);
            for (size_t k = 0; k < fields.n; ++k)
                ++to[2 * (first[k] + fields.code(row, k)) + own];
        }
    });
}

void PackRows::add_classes(std::vector<uint32_t> &counts, std::vector<double> &sums) const {
    const size_t line = target.n_classes;
    counts.assign(lines.n, 0);
    sums.assign(line * lines.n, 0.0);
    with_weights(target.weight, start, [&](auto weight) {
        with_fields(pack, [&](auto fields) {
            for (size_t i = 0; i < cells.size(); ++i)
                for (size_t k = 0; k < fields.n; ++k) {
                    const size_t c = lines.first[k] + fields.code(cells[i], k);
                    ++counts[c];
                    sums[c * line + static_cast<size_t>(target.classes[start + i])] += weight[i];
                }
        });
    });
}

std::array<double, SurrogateTable::Pack::most_fields> PackRows::means_of_known() const {
    std::array<double, SurrogateTable::Pack::most_fields> means{};
#ifdef DECIDUOUS_AVX2
    if (has_avx2() && pack.bits == 8 && target.weight.empty()) {
        const KnownSums known = sums_of_known(cells, target.numbers.data() + start);
        for (size_t k = 0; k < pack.features.size(); ++k)
            if (const uint64_t n = cells.size() - known.missing[k]; n > 0)
                means[k] = known.sum[k] / static_cast<double>(n);
        return means;
    }
#endif
    with_weights(target.weight, start, [&](auto weight) {
        with_fields(pack, [&, y = target.numbers.data() + start](auto fields) {
            std::array<double, fields.n> total{}, sum{};
            for (size_t i = 0; i < cells.size(); ++i) {
                const double w = weight[i], wy = w * y[i];
                for (size_t k = 0; k < fields.n; ++k) {
                    const bool known = fields.code(cells[i], k) > 0;
                    total[k] += if_known(w, known);
                    sum[k] += if_known(wy, known);
                }
            }
            for (size_t k = 0; k < fields.n; ++k)
                means[k] = total[k] > 0.0 ? sum[k] / total[k] : 0.0;
        });
    });
    return means;
}

template <bool squares>
void PackRows::add(const double *means, std::vector<uint32_t> &counts, std::vector<double> &sums) const {
    counts.assign(lines.n, 0);
    sums.assign(number_line * lines.n, 0.0);
    with_weights(target.weight, start, [&](auto weight) {
        with_fields(pack, [&, y = target.numbers.data() + start, first = lines.first, to = sums.data(),
                           rows = counts.data()](auto fields) {
            std::array<double, fields.n> mean;
            std::copy_n(means, fields.n, mean.begin());
            for (size_t i = 0; i < cells.size(); ++i) {
                const uint64_t row = cells[i];
                const double w = weight[i], number = y[i];
                for (size_t k = 0; k < fields.n; ++k) {
                    const double deviation = number - mean[k];
                    const size_t c = first[k] + fields.code(row, k);
                    double *const own = to + number_line * c;
                    if constexpr (squares) {
                        ++rows[c];
                        add_pair(own + 2, w * deviation, w * (deviation * deviation));
                    } else {
                        add_pair(own + 2, w * deviation, 1.0); // the rows are counted where squares would be
                    }
                    if constexpr (!decltype(weight)::unit)
                        own[1] += w;
                }
            }
        });
    });
    for (size_t c = 0; c < lines.n; ++c) {
        double *const own = sums.data() + number_line * c;
        if constexpr (!squares)
            counts[c] = static_cast<uint32_t>(std::exchange(own[3], 0.0));
        if (target.weight.empty())
            own[1] = counts[c];
    }
}

template void PackRows::add<true>(const double *, std::vector<uint32_t> &, std::vector<double> &) const;
template void PackRows::add<false>(const double *, std::vector<uint32_t> &, std::vector<double> &) const;

void PackRows::count_branches(const std::int8_t *branch, std::vector<uint32_t> &counts,
                              std::vector<double> &weights) const {
    counts.assign(4 * lines.n, 0);
    with_fields(pack, [&, to = counts.data(), first = lines.first](auto fields) {
        for (size_t i = 0; i < cells.size(); ++i) {
            const uint64_t row = cells[i];
            const auto own = static_cast<size_t>(1 + branch[start + i]);
            for (size_t k = 0; k < fields.n; ++k)
                ++to[4 * (first[k] + fields.code(row, k)) + own];
        }
    });
    if (target.row_weight.empty()) {
        weights.assign(counts.begin(), counts.end());
        return;
    }
    weights.assign(4 * lines.n, 0.0);
    with_fields(pack, [&](auto fields) {
        for (size_t i = 0; i < cells.size(); ++i)
            for (size_t k = 0; k < fields.n; ++k)
                weights[4 * (lines.first[k] + fields.code(cells[i], k)) +
                        static_cast<size_t>(1 + branch[start + i])] += target.row_weight[start + i];
    });
}

} // namespace deciduous
