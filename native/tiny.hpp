// Nodes of up to 64 rows, with all their ordered columns in a few cache lines: most nodes of a full tree are
// that small, and a search or division costs them less than finding their records. Rows have a number of one
// byte, and sets of them are the bits of a word.
#pragma once

#include "medians.hpp"
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
/// entropy, squared error or absolute error (the rows are then in order of the numbers), it finds the cuts
/// that `ThresholdSearch` and `CutSearch` find.
class TinyRows {
public:
    static constexpr std::size_t most_rows = 64, most_classes = 32;

    /// Takes the rows of a node without their columns: their classes, or their numbers.
    template <typename ClassOf>
    void take_classes(std::size_t n_columns, std::size_t size, ClassOf class_of) {
        make_room(n_columns, size);
        for (std::size_t i = 0; i < size; ++i) {
            classes_[i] = static_cast<std::uint32_t>(class_of(i));
            scanned_[i] = static_cast<float>(classes_[i]);
            ones_[i] = std::uint64_t{1} << 8 * (classes_[i] % rated_classes);
        }
    }
    void take_numbers(std::size_t n_columns, std::span<const double> numbers);

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

    /// Takes the order of a column from the codes of its cells.
    template <typename CodeOf>
    void take_codes(std::size_t column, CodeOf code_of) {
        // Rows of one code are a chain from the first to the last.
        std::array<std::uint64_t, 4> present{}; // codes, as bits
        std::array<std::uint8_t, 256> first;    // of each code that is there
        std::array<std::uint8_t, most_rows> next;
        for (std::size_t i = size_; i-- > 0;) {
            const std::uint8_t code = code_of(i);
            std::uint64_t &word = present[code >> 6];
            const std::uint64_t bit = std::uint64_t{1} << (code & 63);
            next[i] = word & bit ? first[code] : no_row;
            word |= bit;
            first[code] = static_cast<std::uint8_t>(i);
        }
        std::uint64_t starts = 0;
        std::uint8_t *const order = order_of(column);
        std::size_t n = 0;
        for (std::size_t word = 0; word < present.size(); ++word)
            for (std::uint64_t bits = present[word]; bits; bits &= bits - 1) {
                starts |= std::uint64_t{1} << n;
                const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                for (std::uint8_t row = first[code]; row != no_row; row = next[row])
                    order[n++] = row;
            }
        starts_[column] = starts;
    }

    /// Prepares for the search of a node of classes, or of numbers.
    void set_counts(std::span<const double> counts);
    void set_numbers(const TinyNode &node, double centre, double scale);
    void set_numbers_in_order(const TinyNode &node, double median, double scale);

    /// Rates the best cut of every column in single precision, to tell which columns may win by more than
    /// the band; see `may_win`. By squared error, and by gini of up to eight classes; of others, all may.
    void rate(const TinyNode &node, const Rule &rule, std::size_t least, double band);
    bool may_win(std::size_t column) const { return ratings_[column] >= floor_; }

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
    static constexpr std::uint8_t no_row = 0xff;
    static constexpr std::size_t order_padding = 16; // vector loads may read so far
    static constexpr std::size_t rated_classes = 8;  // a byte each
    /// The cuts of a node with at least so many rows on both sides: records that start a value, as bits.
    std::uint64_t cuts_of(std::size_t column, const TinyNode &node, std::size_t least) const {
        if (2 * least > node.size)
            return 0;
        return starts_[column] >> node.begin & ~std::uint64_t{0} << least &
               ~std::uint64_t{0} >> (most_rows - 1 - (node.size - least));
    }
    void make_room(std::size_t n_columns, std::size_t size);
    std::uint8_t *order_of(std::size_t column) { return order_.data() + column * most_rows; }
    TinyCut search_medians(std::span<const std::uint8_t> order, std::uint64_t cuts, const TinyNode &node,
                           double band, double bar);
    TinyCut first_best(double best, std::uint64_t cuts, double band, double bar) const;
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
    // Of the rough pass:
    std::array<float, most_rows> scanned_{}; // numbers less their mean, or the code of one of two classes
    std::array<std::uint64_t, most_rows> ones_{}; // a one in the byte of the row's class
    std::uint64_t counts_ = 0;                    // of the classes, a byte each
    float rough_mean_ = 0.0F;                     // of what is scanned
    double extent_ = 0.0;                         // the sum of its absolute values, or the number of rows
    std::vector<float> ratings_;                  // by column
    double floor_ = 0.0;
};

} // namespace deciduous
