// The one sort of a feature: rows in increasing order of value, missing ones last.
#pragma once

#include "question.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// Memory that sorts can share.
struct SortScratch {
    std::vector<std::uint64_t> cells, spare;
    std::vector<std::vector<std::uint64_t>> keys; // of neighbouring columns
    std::vector<std::uint32_t> missing;
};

/// What a sort leaves behind: `order` holds positions in `rows`, the known cells first; an element of `start`
/// says that its value differs from the one before.
struct SortedCells {
    std::span<std::uint64_t> order; // the position in the low 32 bits, the start in the highest bit
    std::span<const std::uint32_t> missing;

    static std::uint32_t position(std::uint64_t cell) { return static_cast<std::uint32_t>(cell); }
    static bool start(std::uint64_t cell) { return cell >> 63; }
};

/// Reads some rows of neighbouring columns at once: in a table that is kept row by row their cells lie
/// together. A key, `scratch.keys[column][position]`, is an unsigned number of the order of the cell.
void read_keys(std::span<const Column> columns, std::span<const std::uint32_t> rows, SortScratch &scratch);

/// Sorts what was read of one of the columns, stably. The answer lies in the scratch memory.
SortedCells sort_keys(std::size_t column, SortScratch &scratch);

/// Reads and sorts one column.
SortedCells sort_cells(const Column &column, std::span<const std::uint32_t> rows, SortScratch &scratch);

} // namespace deciduous
