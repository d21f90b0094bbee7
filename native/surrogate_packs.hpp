// Contingency tables of all columns of a pack, in one pass over the rows of a node: what one column waits
// for, the others have time for.
#pragma once

#include "surrogate_rows.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// The lines of a table: of each field one for missing cells, then one a category.
struct PackLines {
    std::array<std::size_t, SurrogateTable::Pack::most_fields> first{};
    std::size_t n = 0;

    PackLines(const SurrogateTable &table, std::size_t pack);
};

/// The cells of a pack in one node, and what is known of its rows.
struct PackRows {
    const SurrogateTable::Pack &pack;
    const PackLines &lines;
    std::span<const std::uint64_t> cells;
    const SurrogateTarget &target;
    std::size_t start = 0;

    /// Counts rows of two classes: two numbers a line.
    void count_classes(std::vector<std::uint32_t> &counts) const;
    /// Counts rows, and adds up the weight of each class.
    void add_classes(std::vector<std::uint32_t> &counts, std::vector<double> &sums) const;
    /// Counts rows, and adds up moments about a mean a field: the last three of `number_line` numbers a line,
    /// the very last of which may be left out.
    static constexpr std::size_t number_line = 4;
    template <bool squares>
    void add(const double *means, std::vector<std::uint32_t> &counts, std::vector<double> &sums) const;
    /// The mean number of the rows whose cell is known, a field each; 0 if there are none.
    std::array<double, SurrogateTable::Pack::most_fields> means_of_known() const;
    /// Counts rows that go nowhere, to branch 0 and to branch 1: four numbers a line, the last one unused.
    /// Adds up what they weigh, unless all weigh 1.
    void count_branches(const std::int8_t *branch, std::vector<std::uint32_t> &counts,
                        std::vector<double> &weights) const;
};

} // namespace deciduous
