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

/// A row in the order of a column; equal cells have equal ranks.
struct RankedRow {
    std::uint32_t rank = 0, row = 0;
};

/// The rank of missing cells, which come last.
constexpr std::uint32_t missing_rank = UINT32_MAX;

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
        std::vector<std::int32_t> codes; // by row, of categories; negative: missing
        std::vector<double> numbers;     // by row, of ordered cells; NaN: missing
        std::vector<RankedRow> order;    // of the rows that take part

        bool is_nominal() const { return n_categories > 0; }
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
