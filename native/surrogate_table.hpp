// What all trees grown on one table under missing="surrogates" share: the cells by row, the target, and the
// order of every ordered column, which is sorted once. A fold of cross-validation takes its order from here.
#pragma once

#include "question.hpp"
#include "threads.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// A row in the order of a column, in 32 bits.
class OrderedRow {
public:
    static constexpr std::uint32_t start_bit = 1U << 31, missing_bit = 1U << 30, most_rows = missing_bit;

    OrderedRow() = default;
    explicit OrderedRow(std::uint32_t bits) : bits_(bits) {}
    OrderedRow(std::uint32_t row, bool starts, bool missing)
        : bits_(row | (starts ? start_bit : 0) | (missing ? missing_bit : 0)) {}

    std::uint32_t row() const { return bits_ & (most_rows - 1); }
    /// Whether its cell is larger than the one before it in the order of its node.
    bool starts() const { return bits_ >= start_bit; }
    /// Missing cells come last.
    bool missing() const { return (bits_ & missing_bit) != 0; }
    std::uint32_t bits() const { return bits_; }

private:
    std::uint32_t bits_ = 0;
};

class SurrogateTable {
public:
    struct Target {
        std::span<const std::int32_t> classes; // empty: numbers
        std::span<const double> numbers;
        std::span<const double> weight, row_weight; // a target's, and a row's without its exposure
        std::size_t n_classes = 0;
    };

    struct Feature {
        std::int32_t column = 0, n_categories = 0;
        bool whole = false;              // places of ordered categories instead of numbers
        std::vector<std::uint8_t> few;   // by row, of up to 255 categories: 1 + code, 0 for a missing cell
        std::vector<std::uint32_t> many; // the same of more
        std::vector<double> numbers;     // by row, of ordered cells; NaN: missing
        std::vector<OrderedRow> order;   // of the rows that take part

        bool is_nominal() const { return n_categories > 0; }
        /// 1 + the code of a row, 0 for a missing cell.
        std::uint32_t code(std::uint32_t row) const { return few.empty() ? many[row] : few[row]; }
        /// Calls work with the array of codes, whatever its type.
        template <typename Work>
        void with_codes(Work work) const {
            few.empty() ? work(many.data()) : work(few.data());
        }
    };

    /// `rows`: those that take part, increasing. `n_categories[f]`: 0 for an ordered feature; absent columns
    /// are passed over.
    SurrogateTable(std::span<const Column> columns, std::span<const std::int32_t> n_categories,
                   const Target &target, std::span<const std::int64_t> rows, std::size_t n_threads,
                   const Poll &poll);

    std::size_t n_rows() const { return weight.size(); }
    bool has_classes() const { return n_classes > 0; }

    std::vector<Feature> features;
    std::vector<std::int32_t> place;     // of a column among the features; -1: not asked for
    std::vector<std::int32_t> classes;   // by row
    std::vector<std::uint8_t> is_second; // by row, if there are two classes: whether it is of the second
    std::vector<double> numbers, weight, row_weight;
    std::size_t n_classes = 0;
    bool unit_weight = true, unit_row_weight = true; // every row that takes part weighs 1
};

} // namespace deciduous
