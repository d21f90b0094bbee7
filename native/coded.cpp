#include "coded.hpp"

#include "vector.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
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
    Dictionary() {
        place_.fill(empty);
        of_whole_.fill(empty);
    }

    /// The number of a value; `most_values` if there are too many. Whole numbers below 256 are found at once.
    size_t number_of(double x) {
        const auto whole = static_cast<int32_t>(x >= 0.0 && x < 256.0 ? x : 0.0);
        if (static_cast<double>(whole) != x)
            return look_up(x);
        std::uint16_t &number = of_whole_[static_cast<size_t>(whole)];
        if (number == empty)
            number = static_cast<std::uint16_t>(look_up(x));
        return number;
    }

    std::vector<double> values;

private:
    static constexpr std::uint16_t empty = 0xffff;

    size_t look_up(double x) {
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

    std::array<std::uint16_t, 1024> place_;
    std::array<std::uint16_t, 256> of_whole_;
};

} // namespace

// --- coding ----------------------------------------------------------------------------------------------

bool CodedColumns::take(std::span<const Column> columns, std::span<const uint32_t> rows,
                        std::span<const int32_t> classes, size_t n_classes, size_t max_bins, size_t n_threads,
                        const Poll &poll) {
    n_classes_ = n_classes;
    low_.resize(columns.size());
    high_.resize(columns.size());
    stride_ = (columns.size() + 1 + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    lines_.resize(rows.size() * stride_);
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
    for (size_t i = 0; i < rows.size(); ++i)
        lines_[i * stride_ + columns.size()] = static_cast<uint8_t>(classes[i]);
    return coded;
}

/// Codes neighbouring columns, some rows at a time.
bool CodedColumns::code_group(std::span<const Column> columns, std::span<const uint32_t> rows, size_t first,
                              size_t end, size_t max_bins, SortScratch &memory) {
    constexpr size_t block = 512;
    const size_t most = max_bins > 0 ? std::min(max_bins, most_values) : most_values;
    std::vector<Dictionary> found(end - first);
    std::vector<uint8_t> has_more(end - first);
    for (size_t begin = 0; begin < rows.size(); begin += block)
        for (size_t c = first; c < end; ++c) {
            for (size_t i = begin; i < std::min(begin + block, rows.size()) && !has_more[c - first]; ++i) {
                const double x = cell(columns[c], rows[i]);
                if (is_missing(columns[c], x))
                    return false;
                const size_t number = found[c - first].number_of(x);
                has_more[c - first] = number == most_values || found[c - first].values.size() > most;
                lines_[i * stride_ + c] = static_cast<uint8_t>(number);
            }
            if (has_more[c - first] && max_bins == 0)
                return false;
        }
    std::vector<std::array<uint8_t, most_values>> ranks(end - first);
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
        for (size_t k = 0; k < values.size(); ++k)
            ranks[c - first][k] = static_cast<uint8_t>(
                std::lower_bound(low_[c].begin(), low_[c].end(), values[k]) - low_[c].begin());
    }
    for (size_t i = 0; i < rows.size(); ++i)
        for (size_t c = first; c < end; ++c)
            if (!has_more[c - first])
                lines_[i * stride_ + c] = ranks[c - first][lines_[i * stride_ + c]];
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
        lines_[SortedCells::position(sorted.order[k]) * stride_ + at] = static_cast<uint8_t>(code);
    }
    low_[at] = std::move(bins.low);
    high_[at] = std::move(bins.high);
    return true;
}

// --- counting --------------------------------------------------------------------------------------------

template <int step>
void CodedColumns::add(size_t begin, size_t end, CodedTables &tables) const {
    const size_t width = n_columns(), k = n_classes_;
    const size_t *const first = first_.data();
    for (size_t i = begin; i < end; ++i) {
        const uint8_t *const line = lines_.data() + i * stride_;
        uint32_t *const counts = tables.data() + line[width];
        if (k == 2)
            for (size_t c = 0; c < width; ++c)
                counts[(first[c] + line[c]) * 2] += static_cast<uint32_t>(step);
        else
            for (size_t c = 0; c < width; ++c)
                counts[(first[c] + line[c]) * k] += static_cast<uint32_t>(step);
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
    scratch.aside.resize(std::max(scratch.aside.size(), (end - begin) * stride_));
    uint8_t *left = lines_.data() + begin * stride_, *right = scratch.aside.data();
    for (size_t i = begin; i < end; ++i) { // without a branch for the processor to guess
        const uint8_t *const line = lines_.data() + i * stride_;
        const bool is_left = line[column] <= code;
        for (size_t at = 0; at < stride_; at += sizeof(uint64_t)) {
            uint64_t word;
            std::memcpy(&word, line + at, sizeof word);
            std::memcpy(left + at, &word, sizeof word);
            std::memcpy(right + at, &word, sizeof word);
        }
        left += is_left ? stride_ : 0;
        right += is_left ? 0 : stride_;
    }
    std::copy(scratch.aside.data(), right, left);
}

// --- searching -------------------------------------------------------------------------------------------

namespace {

/// The gini gain of every cut, from the sums of squares of n times the excess of the classes on the left
/// side.
inline __attribute__((always_inline)) void rate(const double *rows, const double *squares, size_t size,
                                                double n, double factor, double *scores) {
    for (size_t i = 0; i < size; ++i)
        scores[i] = factor * squares[i] / (rows[i] * (n - rows[i]));
}

#ifdef DECIDUOUS_AVX2
DECIDUOUS_AVX2 void rate_avx2(const double *rows, const double *squares, size_t size, double n, double factor,
                              double *scores) {
    rate(rows, squares, size, n, factor, scores);
}
#endif

void rate_plain(const double *rows, const double *squares, size_t size, double n, double factor,
                double *scores) {
    rate(rows, squares, size, n, factor, scores);
}

/// The largest of numbers, by maxima that the processor finds side by side.
double largest(std::span<const double> x) {
    std::array<double, 4> most;
    most.fill(x.front());
    size_t i = 0;
    for (; i + most.size() <= x.size(); i += most.size())
        for (size_t lane = 0; lane < most.size(); ++lane)
            most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
    for (; i < x.size(); ++i)
        most[0] = std::max(most[0], x[i]);
    return *std::max_element(most.begin(), most.end());
}

} // namespace

/// Adds a term of the rows of one class on the left side of each cut: `term(rows of the class, rows)`.
template <typename Term>
void CodedColumns::sum_terms(size_t column, const CodedTables &tables, size_t c, size_t n_cuts, Term term,
                             CodedScratch &scratch) const {
    const uint32_t *const counts = tables.data() + first_[column] * n_classes_ + c;
    uint32_t on_left = 0;
    for (size_t i = 0; i < n_cuts; ++i) {
        on_left +=
            counts[scratch.code[i] * n_classes_]; // of the codes between two that are there, there is none
        scratch.squares[i] += term(on_left, scratch.rows[i]);
    }
}

void CodedColumns::rate_gini(size_t column, const CodedTables &tables, std::span<const double> all,
                             size_t first, size_t last, CodedScratch &scratch) const {
    const double n = std::accumulate(all.begin(), all.end(), 0.0);
    for (size_t c = n_classes_ == 2 ? 1 : 0; c < n_classes_; ++c)
        sum_terms(
            column, tables, c, last,
            [n, total = all[c]](uint32_t on_left, double rows) {
                const double excess = n * on_left - rows * total; // whole, and below 2^53
                return excess * excess;
            },
            scratch);
    const double factor = (n_classes_ == 2 ? 2.0 : 1.0) / (n * n); // of two classes both have the same excess
#ifdef DECIDUOUS_AVX2
    const auto rate_all = has_avx2() ? rate_avx2 : rate_plain;
#else
    const auto rate_all = rate_plain;
#endif
    rate_all(scratch.rows.data() + first, scratch.squares.data() + first, last - first, n, factor,
             scratch.scores.data() + first);
}

void CodedColumns::rate_entropy(size_t column, const CodedTables &tables, std::span<const double> all,
                                const WholeNumbers &whole, size_t first, size_t last,
                                CodedScratch &scratch) const {
    const double *const log = whole.n_log_n.data();
    const auto n = static_cast<size_t>(std::accumulate(all.begin(), all.end(), 0.0));
    double base = -log[n];
    for (size_t c = 0; c < n_classes_; ++c) {
        const auto total = static_cast<uint32_t>(all[c]);
        base += log[total];
        sum_terms(
            column, tables, c, last,
            [log, total](uint32_t on_left, double) { return log[on_left] + log[total - on_left]; }, scratch);
    }
    const double scale = 1.0 / (static_cast<double>(n) * std::log(2.0));
    for (size_t i = first; i < last; ++i) {
        const auto rows = static_cast<size_t>(scratch.rows[i]);
        scratch.scores[i] = (scratch.squares[i] - log[rows] - log[n - rows] - base) * scale;
    }
}

CodedCut CodedColumns::best(size_t column, const CodedTables &tables, std::span<const double> all,
                            const Rule &rule, const WholeNumbers &whole, int64_t least, double band,
                            double bar, CodedScratch &scratch) const {
    const size_t n_codes = low_[column].size(), k = n_classes_;
    const uint32_t *const counts = tables.data() + first_[column] * k;
    for (auto *values : {&scratch.rows, &scratch.squares, &scratch.scores})
        values->resize(most_values);
    scratch.code.resize(most_values);
    // The codes that are there, and how many rows lie on the left side of a cut behind each.
    size_t present = 0;
    uint32_t left = 0;
    double *const rows = scratch.rows.data();
    uint8_t *const codes = scratch.code.data();
    const auto take = [&](size_t b, uint32_t here) {
        left += here;
        rows[present] = left;
        codes[present] = static_cast<uint8_t>(b);
        present += here != 0;
    };
    if (k == 2)
        for (size_t b = 0; b < n_codes; ++b)
            take(b, counts[2 * b] + counts[2 * b + 1]);
    else
        for (size_t b = 0; b < n_codes; ++b)
            take(b, std::accumulate(counts + b * k, counts + (b + 1) * k, 0U));
    CodedCut cut;
    cut.values = static_cast<int64_t>(present);
    const double fewest = static_cast<double>(least), most = static_cast<double>(left) - fewest;
    size_t first = 0, last = present > 0 ? present - 1 : 0; // the cuts that are allowed are neighbours
    while (first < last && scratch.rows[first] < fewest)
        ++first;
    while (last > first && scratch.rows[last - 1] > most)
        --last;
    cut.tried = static_cast<int64_t>(last - first);
    if (first == last)
        return cut;
    std::fill_n(scratch.squares.begin(), last, 0.0);
    if (rule.measure == Measure::entropy)
        rate_entropy(column, tables, all, whole, first, last, scratch);
    else
        rate_gini(column, tables, all, first, last, scratch);
    const double *const scores = scratch.scores.data();
    const double highest = largest(std::span(scores + first, scores + last));
    if (!(highest > bar))
        return cut;
    const auto found = static_cast<size_t>(
        std::find_if(scores + first, scores + last, [&](double s) { return s >= highest - band; }) - scores);
    cut.gain = scores[found];
    cut.rows = static_cast<int64_t>(scratch.rows[found]);
    cut.code = scratch.code[found];
    cut.next = scratch.code[found + 1];
    return cut;
}

} // namespace deciduous
