#include "sorting.hpp"

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

/// Cells of a column lie far apart in memory if a table is kept row by row: they are asked for early.
constexpr uint32_t cells_ahead = 32;

/// Cells as keys, whatever their type.
class Keys {
public:
    Keys(const Column &column, std::span<const uint32_t> rows) : column_(column), rows_(rows) {}
    bool missing(size_t position) const {
        return column_.type == CellType::number ? std::isnan(column_.number(rows_[position]))
                                                : column_.code(rows_[position]) < 0;
    }
    uint64_t operator()(size_t position) const {
        return column_.type == CellType::number ? key_of(column_.number(rows_[position]))
                                                : static_cast<uint64_t>(column_.code(rows_[position]));
    }

private:
    const Column &column_;
    std::span<const uint32_t> rows_;
};

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

/// Puts keys into 32 bits that keep their order: exactly where the bits that vary fit, else in proportion to
/// the numbers they stand for, so that few different ones fall together. Returns whether none do.
bool shorten(std::span<uint64_t> keys, uint64_t varying) {
    const auto shared_bits = static_cast<unsigned>(std::countl_zero(varying));
    const unsigned below = shared_bits >= 32 ? 0 : 32 - shared_bits; // of the prefix that all keys share
    const bool fits = (varying & ((uint64_t{1} << below) - 1)) == 0;
    const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
    const double low = number_of(*least), range = number_of(*most) - low;
    if (fits || !std::isfinite(range) || range < 1e-290) {
        for (uint64_t &key : keys)
            key = (key >> below) & 0xffffffffU;
        return fits;
    }
    constexpr double largest = 4294967295.0;
    const double scale = largest / range;
    for (uint64_t &key : keys)
        key = static_cast<uint64_t>(std::min((number_of(key) - low) * scale, largest));
    return false;
}

} // namespace

SortedCells sort_cells(const Column &column, std::span<const uint32_t> rows, SortScratch &scratch) {
    const Keys key_at(column, rows);
    auto &cells = scratch.cells, &full = scratch.spare, &keys = scratch.keys;
    for (auto *memory : {&cells, &full, &keys})
        memory->resize(rows.size());
    scratch.missing.clear();
    uint64_t varying = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < rows.size(); ++i) {
        if (i + cells_ahead < rows.size())
            column.prefetch(rows[i + cells_ahead]);
        if (key_at.missing(i)) {
            scratch.missing.push_back(i);
            continue;
        }
        keys[i] = full[n] = key_at(i); // a table that is kept row by row is slow to read again
        cells[n] = i;
        varying |= full[n] ^ full[0];
        ++n;
    }
    cells.resize(n);
    if (cells.empty())
        return {{}, scratch.missing};
    const bool all_told = shorten(std::span(full).first(n), varying);
    for (size_t k = 0; k < n; ++k)
        cells[k] |= full[k] << 32;
    sort_by_upper_bits(cells, full);
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

} // namespace deciduous
