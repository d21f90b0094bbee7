// What is checked of training rows and questions before they are searched or divided.
#pragma once

#include "arrays.hpp"
#include "question.hpp"
#include "rows.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>

/// Rows increase within the table, and those that take part have a class.
inline void check_rows(std::span<const std::int64_t> rows, const deciduous::Rows::Target &target,
                       std::size_t n_total) {
    std::int64_t before = -1;
    for (const std::int64_t row : rows) {
        if (row <= before || static_cast<std::size_t>(row) >= n_total)
            throw std::invalid_argument("rows must increase within the table");
        before = row;
        if (!target.classes.empty()) {
            const std::int32_t code = target.classes[static_cast<std::size_t>(row)];
            if (code < 0 || code >= target.n_classes)
                throw std::invalid_argument("a row that takes part has no class");
        }
    }
}

/// Columns of categories hold codes of them.
inline void check_codes(std::span<const deciduous::Column> columns,
                        std::span<const std::int32_t> n_categories, std::size_t n_total) {
    for (std::size_t f = 0; f < n_categories.size(); ++f) {
        const deciduous::Column &column = columns[f];
        if (n_categories[f] <= 0 || column.type == deciduous::CellType::absent)
            continue;
        if (column.type != deciduous::CellType::code)
            refuse_column(f, "has categories, but does not hold int32 codes");
        for (std::size_t row = 0; row < n_total; ++row)
            if (column.code(static_cast<std::int64_t>(row)) >= n_categories[f])
                refuse_column(f, "holds a code beyond its categories");
    }
}

/// A question is of a known kind, and asks a column that can answer it.
inline void check_question(std::span<const deciduous::Column> columns, std::int32_t feature,
                           std::uint8_t kind, std::int32_t branches, std::int32_t missing) {
    if (feature < 0 || static_cast<std::size_t>(feature) >= columns.size() ||
        columns[static_cast<std::size_t>(feature)].type == deciduous::CellType::absent)
        throw std::invalid_argument("a question asks for a column that is not there");
    if (!deciduous::is_question(static_cast<deciduous::SplitKind>(kind)) || branches < 2 || missing < 0 ||
        missing >= branches)
        throw std::invalid_argument("a question has an unknown kind, or branches that are not there");
    const deciduous::Column &column = columns[static_cast<std::size_t>(feature)];
    if (deciduous::test_of(static_cast<deciduous::SplitKind>(kind), column.type) ==
            deciduous::Test::category &&
        column.type != deciduous::CellType::code)
        throw std::invalid_argument("a question about categories asks for a column of numbers");
}

/// The shares of the missing cells of a node with so many branches.
inline std::span<const double> checked_shares(std::span<const double> shares, std::size_t first,
                                              std::int32_t branches) {
    const auto n = static_cast<std::size_t>(branches);
    if (first + n > shares.size())
        throw std::invalid_argument("a branch has no share of the missing cells");
    const auto of_node = shares.subspan(first, n);
    for (const double share : of_node)
        if (!(share >= 0.0 && share <= 1.0))
            throw std::invalid_argument("a share must lie between 0 and 1");
    return of_node;
}
