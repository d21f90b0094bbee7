// Nodes of up to 64 rows, with all their ordered columns in a few cache lines: most nodes of a full tree are
// that small, and a search or division costs them less than finding their records. Rows have a number of one
// byte, and sets of them are the bits of a word.
#pragma once

#include "records.hpp"
#include "scan.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// A node inside: its rows as bits, and the range of every column's order where they lie.
struct TinyNode {
    std::uint64_t rows = 0;
    std::size_t begin = 0, size = 0;
};

/// The best cut of a column: before record `index` of the node.
struct TinyCut {
    double gain = -HUGE_VAL;
    std::size_t index = 0;
};

/// The rows of such a node. Where all weights are 1, no cell is missing, and a column is searched by gini,
/// entropy or squared error, it finds the cuts that `ThresholdSearch` finds.
class TinyRows {
public:
    static constexpr std::size_t most_rows = 64, most_classes = 32;

    /// Takes the rows of a node without their columns. `classes` or `numbers`: of each row; the other is
    /// null.
    void take(std::size_t n_columns, std::size_t size, const std::int32_t *classes, const double *numbers);

    /// Takes the order of a column from the sorted records of the node.
    template <typename R>
    void take_column(std::size_t column, const R *records, const Packing<R> &packing) {
        std::uint64_t starts = 0;
        std::uint8_t *const order = order_of(column);
        for (std::size_t i = 0; i < size_; ++i) {
            order[i] = static_cast<std::uint8_t>(packing.row(records[i]));
            starts |= std::uint64_t{Packing<R>::start(records[i])} << i;
        }
        starts_[column] = starts;
    }

    /// Prepares for the search of a node of classes, or of numbers.
    void set_counts(std::span<const double> counts);
    void set_numbers(const TinyNode &node, double centre, double scale);

    /// The best cut of a column with at least so many rows on both sides. Cuts that gain no more than `bar`
    /// need not be told apart: then, and where there is no cut, the gain is -inf.
    TinyCut best(std::size_t column, const TinyNode &node, const Rule &rule, const WholeNumbers &whole,
                 std::size_t least, double band, double bar);

    /// The rows before record `index` of a column.
    std::uint64_t rows_before(std::size_t column, const TinyNode &node, std::size_t index) const;

    /// Brings the rows on the left to the front of every column's order.
    void divide(const TinyNode &node, std::uint64_t left);

    std::size_t row_at(std::size_t column, std::size_t position) const {
        return order_[column * most_rows + position];
    }
    std::int32_t class_of(std::size_t row) const { return static_cast<std::int32_t>(classes_[row]); }

    /// Copies the numbers of some rows, in order; returns how many.
    std::size_t numbers_of(std::uint64_t rows, double *into) const {
        std::size_t n = 0;
        for (; rows; rows &= rows - 1)
            into[n++] = numbers_[static_cast<std::size_t>(std::countr_zero(rows))];
        return n;
    }

private:
    std::uint8_t *order_of(std::size_t column) { return order_.data() + column * most_rows; }
    template <typename Make>
    TinyCut search(const std::uint8_t *order, std::uint64_t cuts, std::size_t size, double band, double bar,
                   Make make);

    std::size_t n_columns_ = 0, size_ = 0;
    std::vector<std::uint8_t> order_;   // `most_rows` a column
    std::vector<std::uint64_t> starts_; // of each column: the records that start a value
    std::array<std::uint32_t, most_rows> classes_{};
    std::array<double, most_rows> numbers_{}, deviation_{}, scores_{};
    std::vector<std::uint32_t> left_, all_;
    double mean_ = 0.0;
};

} // namespace deciduous
