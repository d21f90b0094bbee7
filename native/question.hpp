// One question asked of one cell: the only reader of splits, for growing and for walking down a tree.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace deciduous {

enum class SplitKind : std::uint8_t { leaf, threshold, multiway, subset, one_vs_rest, missing, groups };

/// Whether a question is of one of these kinds.
constexpr bool is_question(SplitKind kind) {
    return SplitKind::leaf < kind && kind <= SplitKind::groups;
}

enum class CellType : std::uint8_t { absent, number, code };

constexpr std::int32_t missing_code = -1; // every other negative code is a category never seen in training

/// One borrowed column of cells; the stride is counted in cells and may be negative.
struct Column {
    CellType type = CellType::absent;
    const void *cells = nullptr;
    std::ptrdiff_t stride = 0;

    double number(std::int64_t row) const { return static_cast<const double *>(cells)[row * stride]; }
    std::int32_t code(std::int64_t row) const {
        return static_cast<const std::int32_t *>(cells)[row * stride];
    }
    /// Has the cell fetched into the cache, where the compiler knows how.
    void prefetch(std::int64_t row) const {
#ifdef __GNUC__
        if (type == CellType::number)
            __builtin_prefetch(static_cast<const double *>(cells) + row * stride);
#else
        (void)row;
#endif
    }
};

/// A kind of split, and the cells that it reads.
enum class Test : std::uint8_t { none, number, code, category, number_missing, code_missing };

inline Test test_of(SplitKind kind, CellType cells) {
    const bool number = cells == CellType::number;
    switch (kind) {
    case SplitKind::threshold:
        return number ? Test::number : Test::code;
    case SplitKind::missing:
        return number ? Test::number_missing : Test::code_missing;
    default:
        return Test::category;
    }
}

// What a cell answers instead of a branch.
constexpr std::int32_t missing_cell = -1;
constexpr std::int32_t unseen_cell = -2;

/// The branch of a number that is put beside a threshold, or missing_cell.
inline std::int32_t branch_of_number(double x, double threshold) {
    return std::isnan(x) ? missing_cell : !(x <= threshold);
}

/// The branch of a cell, or missing_cell, or unseen_cell: a category that the question does not know.
inline std::int32_t branch_of(Test test, double threshold, const std::int32_t *branch_of_code,
                              std::int32_t n_codes, const Column &column, std::int64_t row) {
    switch (test) {
    case Test::none:
        return 0;
    case Test::number:
        return branch_of_number(column.number(row), threshold);
    case Test::number_missing:
        return std::isnan(column.number(row)) ? missing_cell : 0;
    default:
        break;
    }
    const std::int32_t code = column.code(row);
    if (code < 0)
        return code == missing_code ? missing_cell : unseen_cell;
    if (test == Test::code_missing)
        return 0;
    if (test == Test::code)
        return !(code <= threshold);
    const std::int32_t branch = code < n_codes ? branch_of_code[code] : -1;
    return branch < 0 ? unseen_cell : branch;
}

} // namespace deciduous
