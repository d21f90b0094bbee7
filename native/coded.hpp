// Columns of few distinct values: a cell is a code of one byte, and the codes of a row lie together. No
// column is sorted: a node is searched in its contingency tables, the larger child's being its parent's less
// those of the smaller one. Counts are whole numbers, so that nothing is lost.
#pragma once

#include "bins.hpp"
#include "question.hpp"
#include "scan.hpp"
#include "threads.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// Counts by (column, code, class).
using CodedTables = std::vector<std::uint32_t>;

/// The best cut of a column: behind a code. `values`, `tried`: how many codes are there, and how many cuts
/// are allowed.
struct CodedCut {
    double gain = -HUGE_VAL;
    std::int64_t rows = 0;           // on the left side
    std::uint8_t code = 0, next = 0; // the neighbouring codes that are there
    std::int64_t values = 0, tried = 0;
};

/// Memory of one thread.
struct CodedScratch {
    std::vector<double> rows, squares, scores;
    std::vector<std::uint8_t> code, aside;
    std::vector<float> ratings; // by column
    double floor = 0.0;         // columns of a lower rating cannot win
    bool may_win(std::size_t column) const { return ratings[column] >= floor; }
};

class CodedColumns {
public:
    static constexpr std::size_t most_values = 256;

    /// Codes the cells of some rows; false if a column has a missing cell, or too many values and no bins for
    /// them.
    bool take(std::span<const Column> columns, std::span<const std::uint32_t> rows,
              std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t max_bins,
              std::size_t n_threads, const Poll &poll);

    std::size_t n_columns() const { return low_.size(); }
    CodedTables no_counts() const { return CodedTables(first_.back() * n_classes_ + padding); }

    /// Adds the rows in a range to tables, or takes them away.
    void count(std::size_t begin, std::size_t end, CodedTables &tables) const;
    void discount(std::size_t begin, std::size_t end, CodedTables &tables) const;

    /// Rates the best cut of every column in single precision, to tell which columns may win by more than
    /// the band: `CodedScratch::may_win`. Two classes by gini; of others, all may.
    void rate(const CodedTables &tables, std::span<const double> all, const Rule &rule, std::int64_t least,
              double band, CodedScratch &scratch) const;

    /// The best cut of a column with at least `least` rows on both sides; `all`: the class counts of the
    /// node. If none gains more than `bar`, the gain is -inf.
    CodedCut best(std::size_t column, const CodedTables &tables, std::span<const double> all,
                  const Rule &rule, const WholeNumbers &whole, std::int64_t least, double band, double bar,
                  CodedScratch &scratch) const;

    /// Adds the class counts of the codes up to one.
    void sum_to(std::size_t column, std::uint8_t code, const CodedTables &tables,
                std::span<double> sums) const;

    /// Brings the rows up to a code to the front of a range, both sides in order.
    void divide(std::size_t begin, std::size_t end, std::size_t column, std::uint8_t code,
                CodedScratch &scratch);

    std::uint8_t code(std::size_t row, std::size_t column) const { return lines_[row * stride_ + column]; }
    std::int32_t class_of(std::size_t row) const { return code(row, n_columns()); }
    double low(std::size_t column, std::uint8_t code) const { return low_[column][code]; }
    double high(std::size_t column, std::uint8_t code) const { return high_[column][code]; }

private:
    static constexpr std::size_t padding = 16; // vector loads may read so far
    std::vector<std::vector<double>> code_whole_numbers(std::span<const Column> columns,
                                                        std::span<const std::uint32_t> rows,
                                                        std::size_t first, std::size_t end);
    bool code_group(std::span<const Column> columns, std::span<const std::uint32_t> rows, std::size_t first,
                    std::size_t end, std::size_t max_bins, SortScratch &memory);
    bool code_by_bins(const Column &column, std::span<const std::uint32_t> rows, std::size_t at,
                      std::size_t max_bins, SortScratch &memory);
    template <int step>
    void add(std::size_t begin, std::size_t end, CodedTables &tables) const;
    template <typename Term>
    void sum_terms(std::size_t column, const CodedTables &tables, std::size_t c, std::size_t n_cuts,
                   Term term, CodedScratch &scratch) const;
    void rate_gini(std::size_t column, const CodedTables &tables, std::span<const double> all,
                   std::size_t first, std::size_t last, CodedScratch &scratch) const;
    void rate_entropy(std::size_t column, const CodedTables &tables, std::span<const double> all,
                      const WholeNumbers &whole, std::size_t first, std::size_t last,
                      CodedScratch &scratch) const;

    // A line a row, the rows of a node together: its codes, its class, and room up to whole words.
    std::vector<std::uint8_t> lines_;
    std::size_t stride_ = 0, n_classes_ = 0;
    std::vector<std::size_t> first_;              // of each column: its first line in the tables
    std::vector<std::vector<double>> low_, high_; // of each column and code: the least and greatest value
};

} // namespace deciduous
