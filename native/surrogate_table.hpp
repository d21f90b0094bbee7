// What all trees grown on one table under missing="surrogates" share: the cells by row, the target, and the
// order of every ordered column, which is sorted once. A fold of cross-validation takes its order from here.
#pragma once

#include "question.hpp"
#include "surrogate_crew.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace deciduous {

/// A row in the order of a column, in 32 bits.
class OrderedRow {
public:
    static constexpr std::uint32_t start_bit = 1U << 31, missing_bit = 1U << 30, second_bit = 1U << 29,
                                   most_rows = second_bit, row_mask = most_rows - 1;

    OrderedRow() = default;
    explicit OrderedRow(std::uint32_t bits) : bits_(bits) {}

    /// Its number in the table, or its position among the rows of a tree.
    std::uint32_t row() const { return bits_ & row_mask; }
    /// Whether its cell is larger than the one before it in the order of its node.
    bool starts() const { return bits_ >= start_bit; }
    /// Missing cells come last.
    bool missing() const { return (bits_ & missing_bit) != 0; }
    /// Whether it is of the second of two classes.
    bool is_second() const { return (bits_ & second_bit) != 0; }
    std::uint32_t bits() const { return bits_; }
    /// The same with another number.
    OrderedRow as(std::uint32_t row) const { return OrderedRow((bits_ & ~row_mask) | row); }

private:
    std::uint32_t bits_ = 0;
};

/// What is to be predicted of some rows, and what they weigh.
struct SurrogateTarget {
    std::vector<std::int32_t> classes; // empty: numbers
    std::vector<double> numbers;
    std::vector<double> weight, row_weight; // a target's, and a row's without its exposure; empty: all are 1
    std::size_t n_classes = 0;

    bool has_classes() const { return n_classes > 0; }
    double weight_of(std::uint32_t row) const { return weight.empty() ? 1.0 : weight[row]; }
    double row_weight_of(std::uint32_t row) const { return row_weight.empty() ? 1.0 : row_weight[row]; }
};

/// What a tree keeps of its rows while it grows, by position, node by node; and the memory of its threads.
struct SurrogateStore {
    std::vector<std::uint32_t> row; // in the table, increasing in a node
    SurrogateTarget target;
    std::vector<std::vector<std::uint64_t>> packs;
    std::vector<std::vector<OrderedRow>> order; // of each ordered feature; its rows are positions
    std::vector<std::int8_t> branch;            // where a row goes, -1: nowhere
    std::vector<std::int8_t> side;              // by the primary split: 1 left, -1 right, 0 not known
    std::vector<std::uint32_t> moved;           // the position a row has got
    std::vector<SurrogateMemory> memory;
};

class SurrogateTable {
public:
    struct Feature {
        std::int32_t column = 0, n_categories = 0;
        bool whole = false;              // places of ordered categories instead of numbers
        Column cells;                    // numbers, if it is ordered; NaN: missing
        std::vector<double> places;      // of ordered categories, the same
        std::vector<OrderedRow> order;   // of the rows that take part
        bool distinct = false;           // whether no two known cells are equal
        std::size_t pack = 0, field = 0; // where the codes of nominal cells are

        bool is_nominal() const { return n_categories > 0; }
        double number(std::uint32_t row) const { return cells.number(row); }
    };

    /// The codes of some nominal features side by side, a word a row: they are counted together, and divided
    /// at one go. A field holds 1 + the code of a cell, 0 for a missing one.
    struct Pack {
        static constexpr std::size_t most_fields = 6, most_few = 255;

        std::vector<std::size_t> features;
        unsigned bits = 8; // of a field; 32 if there is one of more than 255 categories
        std::vector<std::uint64_t> rows;

        std::uint32_t code(std::uint64_t cells, std::size_t field) const {
            return static_cast<std::uint32_t>(cells >> (bits * field)) & (bits == 8 ? 0xffU : 0xffffffffU);
        }
    };

    /// `columns`: must live as long. `rows`: those that take part, increasing. `n_categories[f]`: 0 for an
    /// ordered feature; absent columns are passed over. Throws std::invalid_argument for a code beyond its
    /// categories.
    SurrogateTable(std::span<const Column> columns, std::span<const std::int32_t> n_categories,
                   SurrogateTarget target, std::size_t n_rows, std::span<const std::int64_t> rows,
                   std::size_t n_threads, const Poll &poll);

    std::size_t n_rows() const { return n_rows_; }

    /// One that another tree has left behind, or an empty one: memory that was used before costs less.
    std::unique_ptr<SurrogateStore> take_store() const;
    void leave(std::unique_ptr<SurrogateStore> store) const;

    std::vector<Feature> features;
    std::vector<Pack> packs;
    std::vector<std::int32_t> place; // of a column among the features; -1: not asked for
    SurrogateTarget target;          // by row

private:
    void share_out_nominal();

    std::size_t n_rows_ = 0;
    mutable std::mutex leaving_;
    mutable std::vector<std::unique_ptr<SurrogateStore>> left_;
};

} // namespace deciduous
