#include "coded.hpp"

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

constexpr size_t block = 512; // rows whose cells of some columns are looked at together

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

/// Codes those of neighbouring columns whose cells are all whole numbers below 256, which most columns of few
/// values are: a cell is its own code. Returns for each column the numbers that are there, none if it is not
/// such a column.
std::vector<std::vector<double>> CodedColumns::code_whole_numbers(std::span<const Column> columns,
                                                                  std::span<const uint32_t> rows,
                                                                  size_t first, size_t end) {
    std::vector<std::array<uint8_t, most_values>> present(end - first);
    std::vector<uint8_t> is_whole(end - first);
    for (size_t c = first; c < end; ++c)
        is_whole[c - first] = columns[c].type == CellType::number;
    for (size_t begin = 0; begin < rows.size(); begin += block)
        for (size_t c = first; c < end; ++c) {
            const Column column = columns[c];
            uint8_t *const seen = present[c - first].data();
            bool other = !is_whole[c - first];
            for (size_t i = begin; i < std::min(begin + block, rows.size()) && !other; ++i) {
                if (c == first && i + block < rows.size())
                    column.prefetch(rows[i + block]);
                const double x = column.number(rows[i]);
                const bool inside = x >= 0.0 && x < 256.0;
                const auto whole = static_cast<int32_t>(inside ? x : 0.0);
                other = !inside || static_cast<double>(whole) != x;
                seen[whole] = 1;
                lines_[i * stride_ + c] = static_cast<uint8_t>(whole);
            }
            is_whole[c - first] = !other;
        }
    std::vector<std::vector<double>> values(end - first);
    for (size_t c = 0; c < values.size(); ++c)
        for (size_t x = 0; x < most_values && is_whole[c]; ++x)
            if (present[c][x])
                values[c].push_back(static_cast<double>(x));
    return values;
}

/// Codes neighbouring columns, some rows at a time.
bool CodedColumns::code_group(std::span<const Column> columns, std::span<const uint32_t> rows, size_t first,
                              size_t end, size_t max_bins, SortScratch &memory) {
    const size_t most = max_bins > 0 ? std::min(max_bins, most_values) : most_values;
    const auto whole_numbers = code_whole_numbers(columns, rows, first, end);
    std::vector<Dictionary> found(end - first);
    std::vector<uint8_t> has_more(end - first);
    for (size_t c = 0; c < found.size(); ++c) {
        found[c].values = whole_numbers[c];
        has_more[c] = whole_numbers[c].size() > most;
    }
    for (size_t begin = 0; begin < rows.size(); begin += block)
        for (size_t c = first; c < end; ++c) {
            if (!whole_numbers[c - first].empty())
                continue;
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
    std::vector<size_t> ranked; // columns whose codes are to be replaced
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
        const bool is_whole = !whole_numbers[c - first].empty();
        if (is_whole && values.back() + 1.0 == static_cast<double>(values.size()))
            continue; // all from 0 on are there: every number is its own rank
        for (size_t k = 0; k < values.size(); ++k)
            ranks[c - first][is_whole ? static_cast<size_t>(values[k]) : k] = static_cast<uint8_t>(
                std::lower_bound(low_[c].begin(), low_[c].end(), values[k]) - low_[c].begin());
        ranked.push_back(c);
    }
    for (size_t i = 0; i < rows.size() && !ranked.empty(); ++i)
        for (const size_t c : ranked)
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

} // namespace deciduous
