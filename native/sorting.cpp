#include "sorting.hpp"

#include "pages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace deciduous {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// A number as an unsigned one of the same order.
uint64_t key_of(double x) {
    const auto bits = std::bit_cast<uint64_t>(x + 0.0); // -0 becomes 0: they are one value
    return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
}

/// The number whose key this is.
double number_of(uint64_t key) {
    return std::bit_cast<double>(key >> 63 ? key ^ (uint64_t{1} << 63) : ~key);
}

constexpr uint64_t no_key = UINT64_MAX; // of a missing cell

uint64_t key_of(const Column &column, uint32_t row) {
    if (column.type == CellType::number) {
        const double x = column.number(row);
        return std::isnan(x) ? no_key : key_of(x);
    }
    const std::int32_t code = column.code(row);
    return code < 0 ? no_key : static_cast<uint64_t>(code);
}

/// Rows of a table lie far apart in memory: they are asked for early.
constexpr size_t rows_ahead = 16;

/// Least-significant-digit radix sort by the upper 32 bits; digits that all cells share are passed over.
void radix_sort(std::vector<uint64_t> &cells, std::vector<uint64_t> &spare) {
    constexpr unsigned digit_bits = 11, n_digits = 3;
    constexpr size_t n_buckets = size_t{1} << digit_bits;
    std::array<std::array<uint32_t, n_buckets>, n_digits> counts{};
    const auto digit = [](uint64_t cell, unsigned d) {
        return (cell >> (32 + d * digit_bits)) & (n_buckets - 1);
    };
    for (const uint64_t cell : cells)
        for (unsigned d = 0; d < n_digits; ++d)
            ++counts[d][digit(cell, d)];
    spare.resize(cells.size());
    for (unsigned d = 0; d < n_digits; ++d) {
        auto &count = counts[d];
        if (count[digit(cells.front(), d)] == cells.size())
            continue;
        uint32_t place = 0;
        for (uint32_t &c : count)
            place += std::exchange(c, place);
        for (const uint64_t cell : cells)
            spare[count[digit(cell, d)]++] = cell;
        cells.swap(spare);
    }
}

constexpr size_t few_cells = 512; // below, the radix sort's tables cost more than comparisons

void sort_by_upper_bits(std::vector<uint64_t> &cells, std::vector<uint64_t> &spare) {
    if (cells.size() < few_cells)
        std::sort(cells.begin(), cells.end()); // the lower bits are the positions: stable
    else
        radix_sort(cells, spare);
}

constexpr uint64_t position_bits = 0xffffffffU, start_bit = uint64_t{1} << 63;

/// Sorts cells of equal upper bits by their whole keys (by position), if those can differ, and marks where
/// values start.
void settle(std::span<const uint64_t> keys, bool may_differ, std::span<uint64_t> cells) {
    if (may_differ)
        std::sort(cells.begin(), cells.end(), [&](uint64_t a, uint64_t b) {
            const uint64_t x = keys[a & position_bits], y = keys[b & position_bits];
            return x != y ? x < y : a < b;
        });
    for (size_t k = cells.size(); k-- > 0;) {
        const bool starts =
            k == 0 || (may_differ && keys[cells[k] & position_bits] != keys[cells[k - 1] & position_bits]);
        cells[k] = (cells[k] & position_bits) | (starts ? start_bit : 0);
    }
}

/// What is known of keys before they are sorted.
struct Extent {
    uint64_t least = no_key, most = 0, varying = 0; // bits that are not the same in all
    size_t n = 0;

    explicit Extent(std::span<const uint64_t> keys) {
        for (const uint64_t key : keys) {
            const bool known = key != no_key;
            least = std::min(least, key);
            most = std::max(most, known ? key : 0);
            n += known;
        }
        for (const uint64_t key : keys)
            varying |= key != no_key ? key ^ least : 0;
    }
};

/// Writes the known keys in 32 bits that keep their order, each with its position: exactly where the bits
/// that vary fit, else in proportion to the numbers they stand for, so that few different ones fall together.
/// Returns whether none do.
bool shorten(std::span<const uint64_t> keys, const Extent &extent, std::vector<uint64_t> &cells,
             std::vector<uint32_t> &missing) {
    cells.resize(extent.n);
    uint64_t *next = cells.data();
    const auto write = [&](auto short_of) {
        for (uint32_t i = 0; i < keys.size(); ++i)
            if (keys[i] == no_key)
                missing.push_back(i);
            else
                *next++ = short_of(keys[i]) << 32 | i;
    };
    const auto shared_bits = static_cast<unsigned>(std::countl_zero(extent.varying));
    const unsigned below = shared_bits >= 32 ? 0 : 32 - shared_bits; // of the prefix that all keys share
    const bool fits = (extent.varying & ((uint64_t{1} << below) - 1)) == 0;
    const double low = number_of(extent.least), range = number_of(extent.most) - low;
    if (fits || !std::isfinite(range) || range < 1e-290) {
        write([&](uint64_t key) { return (key >> below) & 0xffffffffU; });
        return fits;
    }
    constexpr double largest = 4294967295.0;
    const double scale = largest / range;
    write([&](uint64_t key) {
        return static_cast<uint64_t>(std::min((number_of(key) - low) * scale, largest));
    });
    return false;
}

} // namespace

void read_keys(std::span<const Column> columns, std::span<const uint32_t> rows, SortScratch &scratch) {
    scratch.keys.resize(std::max(scratch.keys.size(), columns.size()));
    reserve_large(scratch.cells, rows.size());
    reserve_large(scratch.spare, rows.size());
    for (size_t j = 0; j < columns.size(); ++j)
        reserve_large(scratch.keys[j], rows.size());
    std::vector<uint64_t *> keys;
    for (size_t j = 0; j < columns.size(); ++j) {
        scratch.keys[j].resize(rows.size());
        keys.push_back(scratch.keys[j].data());
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        if (i + rows_ahead < rows.size())
            columns.front().prefetch(rows[i + rows_ahead]);
        for (size_t j = 0; j < columns.size(); ++j)
            keys[j][i] = key_of(columns[j], rows[i]);
    }
}

SortedCells sort_keys(size_t column, SortScratch &scratch) {
    const std::span<const uint64_t> keys(scratch.keys[column]);
    auto &cells = scratch.cells;
    scratch.missing.clear();
    const Extent extent(keys);
    const bool all_told = shorten(keys, extent, cells, scratch.missing);
    if (cells.empty())
        return {{}, scratch.missing};
    sort_by_upper_bits(cells, scratch.spare);
    const size_t n = cells.size();
    for (size_t k = 0; k < n;) {
        const uint64_t upper = cells[k] >> 32;
        size_t end = k + 1;
        while (end < n && cells[end] >> 32 == upper)
            ++end;
        if (end - k == 1)
            cells[k] = (cells[k] & position_bits) | start_bit;
        else
            settle(keys, !all_told, std::span(cells).subspan(k, end - k));
        k = end;
    }
    return {cells, scratch.missing};
}

SortedCells sort_cells(const Column &column, std::span<const uint32_t> rows, SortScratch &scratch) {
    read_keys({&column, 1}, rows, scratch);
    return sort_keys(0, scratch);
}

} // namespace deciduous
