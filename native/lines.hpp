// The contingency table of a column of categories in one node, with lines for the categories that are there:
// of ten thousand categories, a node of ten rows has at most ten.
#pragma once

#include "categories.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

class CategoryLines {
public:
    /// Sums up a node. `codes` (negative: missing) and the rest are by row; `classes` is empty for numbers,
    /// `numbers` are those that are scanned, `weights` is empty if all are 1.
    void count(std::span<const std::int32_t> codes, std::size_t n_categories, std::size_t width,
               std::span<const std::int32_t> classes, std::span<const double> numbers,
               std::span<const double> weights);

    /// Borrowed; category k of this table is category present()[k] of the column.
    CategoryTable table() const;
    std::span<const std::int32_t> present() const { return present_; }

    /// The line of a category that is present.
    std::int32_t line_of(std::int32_t code) const { return line_of_[static_cast<std::size_t>(code)]; }

private:
    void forget(std::size_t n_categories);
    void list_present(std::span<const std::int32_t> codes);
    void count_few(std::span<const std::int32_t> codes, std::size_t n_categories,
                   std::span<const std::int32_t> classes, std::span<const double> weights);

    std::size_t width_ = 0;
    std::vector<std::int32_t> present_;
    std::vector<std::int32_t> line_of_; // of a category; -1: absent
    std::vector<double> sums_, missing_;
    std::vector<std::int64_t> counts_;
    std::int64_t missing_count_ = 0;
};

} // namespace deciduous
