// The rows of an ordered column, a bit a row: words of 64 in which they are counted.
#pragma once

#include "surrogate_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

constexpr std::size_t word_rows = 64;

/// Which rows are flagged so; a word of zeros comes last.
void start_bits(std::span<const OrderedRow> rows, std::vector<std::uint64_t> &starts);
void second_class_bits(std::span<const OrderedRow> rows, std::vector<std::uint64_t> &second);

/// Which rows go to the first branch, and which to the second; `branch` is by position, and readable some
/// bytes further.
void branch_bits(std::span<const OrderedRow> rows, const std::int8_t *branch,
                 std::vector<std::uint64_t> &first, std::vector<std::uint64_t> &second);

/// The bits from .. to-1 of a word that begins at a row.
inline std::uint64_t between(std::size_t word, std::size_t from, std::size_t to) {
    const std::size_t begin = word * word_rows;
    if (to <= begin || from >= begin + word_rows || from >= to)
        return 0;
    const std::uint64_t low = from > begin ? ~std::uint64_t{0} << (from - begin) : ~std::uint64_t{0};
    const std::uint64_t high = to - begin >= word_rows ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << (to - begin));
    return low & high;
}

/// Of the rows of a word, those behind which a cut from .. to-1 lies: the row that follows starts a value.
inline std::uint64_t cuts_of(std::span<const std::uint64_t> starts, std::size_t word, std::size_t from,
                             std::size_t to) {
    return (starts[word] >> 1 | starts[word + 1] << (word_rows - 1)) & between(word, from, to);
}

/// The bits up to one, and with it.
inline std::uint64_t up_to(unsigned bit) {
    return ~std::uint64_t{0} >> (word_rows - 1 - bit);
}

} // namespace deciduous
