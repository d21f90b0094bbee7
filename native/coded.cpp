#include "coded.hpp"

#include "vector.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

namespace {

double cell(const Column &column, uint32_t row) {
    return column.type == CellType::number ? column.number(row) + 0.0 // -0 becomes 0: they are one value
                                           : static_cast<double>(column.code(row));
}

bool is_missing(const Column &column, double x) {
    return column.type == CellType::number ? std::isnan(x) : x < 0.0;
}

/// The different values of a column, numbered as they come.
class Dictionary {
public:
    Dictionary() { place_.fill(empty); }

    /// The number of a value; `most_values` if there are too many.
    size_t number_of(double x) {
        const auto bits = std::bit_cast<uint64_t>(x);
        for (size_t at = bits * 0x9E3779B97F4A7C15U >> 54;; at = (at + 1) % place_.size()) {
            if (place_[at] != empty && values[place_[at]] == x)
                return place_[at];
            if (place_[at] != empty)
                continue;
            if (values.size() == CodedColumns::most_values)
                return CodedColumns::most_values;
            place_[at] = static_cast<std::uint16_t>(values.size());
            values.push_back(x);
            return place_[at];
        }
    }

    std::vector<double> values;

private:
    static constexpr std::uint16_t empty = 0xffff;
    std::array<std::uint16_t, 1024> place_;
};

} // namespace

// --- coding ----------------------------------------------------------------------------------------------

bool CodedColumns::take(std::span<const Column> columns, std::span<const uint32_t> rows,
                        std::span<const int32_t> classes, size_t n_classes, size_t max_bins, size_t n_threads,
                        const Poll &poll) {
    classes_ = classes;
    n_classes_ = n_classes;
    low_.resize(columns.size());
    high_.resize(columns.size());
    codes_.resize(rows.size() * columns.size());
    constexpr size_t columns_of_a_task = 8; // cells of a table that lies row by row share lines of the cache
    const size_t n_tasks = (columns.size() + columns_of_a_task - 1) / columns_of_a_task;
    std::atomic<bool> coded{true};
    std::vector<SortScratch> memory(n_threads);
    share_out(
        n_tasks, n_threads,
        [&](size_t task, size_t thread) {
            const size_t first = task * columns_of_a_task;
            if (coded &&
                !code_group(columns, rows, first, std::min(first + columns_of_a_task, columns.size()),
                            max_bins, memory[thread]))
                coded = false;
        },
        poll);
    first_.assign(1, 0);
    for (const auto &values : low_)
        first_.push_back(first_.back() + values.size());
    list_.resize(rows.size());
    std::iota(list_.begin(), list_.end(), 0U);
    return coded;
}

/// Codes neighbouring columns, some rows at a time.
bool CodedColumns::code_group(std::span<const Column> columns, std::span<const uint32_t> rows, size_t first,
                              size_t end, size_t max_bins, SortScratch &memory) {
    constexpr size_t block = 512;
    const size_t most = max_bins > 0 ? std::min(max_bins, most_values) : most_values, width = columns.size();
    std::vector<Dictionary> found(end - first);
    std::vector<bool> has_more(end - first);
    for (size_t begin = 0; begin < rows.size(); begin += block)
        for (size_t c = first; c < end; ++c) {
            for (size_t i = begin; i < std::min(begin + block, rows.size()) && !has_more[c - first]; ++i) {
                const double x = cell(columns[c], rows[i]);
                if (is_missing(columns[c], x))
                    return false;
                const size_t number = found[c - first].number_of(x);
                has_more[c - first] = number == most_values || found[c - first].values.size() > most;
                codes_[i * width + c] = static_cast<uint8_t>(number);
            }
            if (has_more[c - first] && max_bins == 0)
                return false;
        }
    for (size_t c = first; c < end; ++c) {
        if (has_more[c - first]) {
            if (!code_by_bins(columns[c], rows, c, max_bins, memory))
                return false;
            continue;
        }
        const std::vector<double> &values = found[c - first].values;
        low_[c] = values;
        std::sort(low_[c].begin(), low_[c].end());
        high_[c] = low_[c];
        std::array<uint8_t, most_values> rank{};
        for (size_t k = 0; k < values.size(); ++k)
            rank[k] = static_cast<uint8_t>(std::lower_bound(low_[c].begin(), low_[c].end(), values[k]) -
                                           low_[c].begin());
        for (size_t i = 0; i < rows.size(); ++i)
            codes_[i * width + c] = rank[codes_[i * width + c]];
    }
    return true;
}

/// Codes a column of many values by its bins.
bool CodedColumns::code_by_bins(const Column &column, std::span<const uint32_t> rows, size_t at,
                                size_t max_bins, SortScratch &memory) {
    const SortedCells sorted = sort_cells(column, rows, memory);
    Bins bins = put_in_bins(sorted.order, max_bins, [&](uint32_t i) { return cell(column, rows[i]); });
    if (!sorted.missing.empty() || bins.low.empty() || bins.low.size() > most_values)
        return false;
    size_t code = 0;
    for (size_t k = 0; k < sorted.order.size(); ++k) {
        code += k > 0 && SortedCells::start(sorted.order[k]);
        codes_[SortedCells::position(sorted.order[k]) * n_columns() + at] = static_cast<uint8_t>(code);
    }
    low_[at] = std::move(bins.low);
    high_[at] = std::move(bins.high);
    return true;
}

// --- counting --------------------------------------------------------------------------------------------

template <int step>
void CodedColumns::add(size_t begin, size_t end, CodedTables &tables) const {
    constexpr size_t ahead = 8; // rows lie apart in memory: they are asked for early
    const size_t width = n_columns();
    for (size_t i = begin; i < end; ++i) {
#ifdef __GNUC__
        if (i + ahead < end)
            __builtin_prefetch(codes_.data() + list_[i + ahead] * width);
#endif
        const uint8_t *const codes = codes_.data() + list_[i] * width;
        uint32_t *const counts = tables.data() + classes_[list_[i]];
        for (size_t c = 0; c < width; ++c)
            counts[(first_[c] + codes[c]) * n_classes_] += static_cast<uint32_t>(step);
    }
}

void CodedColumns::count(size_t begin, size_t end, CodedTables &tables) const {
    add<1>(begin, end, tables);
}

void CodedColumns::discount(size_t begin, size_t end, CodedTables &tables) const {
    add<-1>(begin, end, tables);
}

void CodedColumns::sum_to(size_t column, uint8_t code, const CodedTables &tables,
                          std::span<double> sums) const {
    const uint32_t *counts = tables.data() + first_[column] * n_classes_;
    for (size_t b = 0; b <= code; ++b)
        for (size_t c = 0; c < n_classes_; ++c)
            sums[c] += *counts++;
}

void CodedColumns::divide(size_t begin, size_t end, size_t column, uint8_t code, CodedScratch &scratch) {
    const size_t width = n_columns();
    scratch.aside.resize(std::max(scratch.aside.size(), end - begin));
    uint32_t *left = list_.data() + begin, *right = scratch.aside.data();
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = list_[i];
        const bool is_left = codes_[row * width + column] <= code;
        *left = row;
        *right = row;
        left += is_left;
        right += !is_left;
    }
    std::copy(scratch.aside.data(), right, left);
}

// --- searching -------------------------------------------------------------------------------------------

namespace {

/// The gini gain of every cut, from the sums of squares of n times the excess of each class on the left side.
inline __attribute__((always_inline)) void rate(const double *rows, const double *squares, size_t size,
                                                double n, double *scores) {
    const double factor = 1.0 / (n * n);
    for (size_t k = 0; k < size; ++k)
        scores[k] = factor * squares[k] / (rows[k] * (n - rows[k]));
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 void rate_avx2(const double *rows, const double *squares, size_t size, double n,
                              double *scores) {
    rate(rows, squares, size, n, scores);
}
#endif

void rate_plain(const double *rows, const double *squares, size_t size, double n, double *scores) {
    rate(rows, squares, size, n, scores);
}

} // namespace

CodedCut CodedColumns::best(size_t column, const CodedTables &tables, std::span<const double> all,
                            const Rule &rule, const WholeNumbers &whole, int64_t least, double band,
                            double bar, CodedScratch &scratch) const {
    const size_t n_codes = low_[column].size(), k = n_classes_;
    const uint32_t *const counts = tables.data() + first_[column] * k;
    for (auto *values : {&scratch.rows, &scratch.squares, &scratch.scores})
        values->resize(most_values);
    scratch.code.resize(most_values);
    const double n = std::accumulate(all.begin(), all.end(), 0.0);
    // The codes that are there, and what lies on the left side of a cut behind each.
    size_t present = 0;
    uint32_t left = 0;
    for (size_t b = 0; b < n_codes; ++b) {
        const uint32_t before = left;
        for (size_t c = 0; c < k; ++c)
            left += counts[b * k + c];
        scratch.rows[present] = left;
        scratch.code[present] = static_cast<uint8_t>(b);
        present += left != before;
    }
    CodedCut cut;
    cut.values = static_cast<int64_t>(present);
    const auto allowed = [&](size_t i) {
        return scratch.rows[i] >= static_cast<double>(least) &&
               n - scratch.rows[i] >= static_cast<double>(least);
    };
    size_t first = 0, last = present > 0 ? present - 1 : 0; // the cuts that are allowed are neighbours
    while (first < last && !allowed(first))
        ++first;
    while (last > first && !allowed(last - 1))
        --last;
    cut.tried = static_cast<int64_t>(last - first);
    if (first == last)
        return cut;
    std::fill_n(scratch.squares.begin(), last, 0.0);
    const bool by_entropy = rule.measure == Measure::entropy;
    const double *const log = whole.n_log_n.data();
    double base = by_entropy ? -log[static_cast<size_t>(n)] : 0.0;
    for (size_t c = k == 2 && !by_entropy ? 1 : 0; c < k; ++c) {
        uint32_t on_left = 0;
        const auto total = static_cast<uint32_t>(all[c]);
        base += by_entropy ? log[total] : 0.0;
        size_t b = 0;
        for (size_t i = 0; i < last; ++i) {
            for (; b <= scratch.code[i]; ++b)
                on_left += counts[b * k + c];
            const double excess = n * on_left - scratch.rows[i] * all[c]; // whole, and below 2^53
            scratch.squares[i] += by_entropy ? log[on_left] + log[total - on_left] : excess * excess;
        }
    }
    if (by_entropy) {
        for (size_t i = first; i < last; ++i) {
            const auto rows = static_cast<size_t>(scratch.rows[i]);
            scratch.scores[i] = (scratch.squares[i] - log[rows] - log[static_cast<size_t>(n) - rows] - base) /
                                (n * std::log(2.0));
        }
    } else {
        if (k == 2) // the other class has the same excess, below
            for (size_t i = first; i < last; ++i)
                scratch.squares[i] *= 2.0;
#ifdef DECIDUOUS_AVX2
        (has_avx2() ? rate_avx2 : rate_plain)(scratch.rows.data() + first, scratch.squares.data() + first,
                                              last - first, n, scratch.scores.data() + first);
#else
        rate_plain(scratch.rows.data() + first, scratch.squares.data() + first, last - first, n,
                   scratch.scores.data() + first);
#endif
    }
    const double *const scores = scratch.scores.data();
    const double most = *std::max_element(scores + first, scores + last);
    if (!(most > bar))
        return cut;
    const auto found = static_cast<size_t>(
        std::find_if(scores + first, scores + last, [&](double s) { return s >= most - band; }) - scores);
    cut.gain = scores[found];
    cut.rows = static_cast<int64_t>(scratch.rows[found]);
    cut.code = scratch.code[found];
    cut.next = scratch.code[found + 1];
    return cut;
}

} // namespace deciduous
