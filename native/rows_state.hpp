// What `Rows` holds: the arrays of the training rows, by position and sorted by feature.
#pragma once

#include "absolute.hpp"
#include "bins.hpp"
#include "categories.hpp"
#include "cuts.hpp"
#include "fractional.hpp"
#include "lines.hpp"
#include "partition.hpp"
#include "records.hpp"
#include "rows.hpp"
#include "sorting.hpp"
#include "thresholds.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace deciduous {

/// The rows of some nodes together.
std::int64_t n_rows_of(std::span<const Segment> nodes);

/// Runs of neighbouring nodes, [first, last), with enough rows for a task of a thread each.
std::vector<std::pair<std::size_t, std::size_t>> runs_of(std::span<const Segment> nodes);

struct Rows::State {
    struct Ordered : Records {
        std::int32_t feature = 0;
        bool has_missing = false;
        bool may_be_close = true; // neighbouring values that conventions do not divide
        Bins bins;                // empty: every value has its own
    };
    struct Nominal {
        std::int32_t feature = 0;
        std::vector<std::int32_t> codes; // by position
    };
    /// A column that may be asked for: which of the ordered or of the nominal ones it is.
    struct Asked {
        bool is_nominal = false;
        std::size_t at = 0;
    };
    /// Nodes that are being divided: where their branches begin in the list of all branches, and the rows of
    /// each branch.
    struct Division {
        std::vector<Segment> nodes;
        std::vector<std::int64_t> first_branch, branch_rows;
    };
    /// The memory of one thread.
    struct alignas(64) Scratch : Records {
        std::vector<std::int32_t> codes;
        std::vector<double> numbers, weights;
        std::vector<std::size_t> next;
        Weighed set;
        std::vector<std::pair<std::uint64_t, std::size_t>> looks;
        SearchScratch search;
        CutScratch cuts;
        CategoryLines lines;
        CategorySearch categories;
        AbsoluteSearch absolute;
        std::vector<std::int32_t> line_of_row, branch_of_line;
        explicit Scratch(std::size_t width) : search(width) {}
    };

    std::vector<Column> columns;
    std::vector<std::int32_t> n_categories;
    std::int32_t n_classes = 0;
    std::size_t width = 0; // of a line of sums
    About about = About::mean;
    std::size_t n_threads = 1, max_bins = 0;
    std::int64_t n = 0;
    Poll poll;
    bool is_wide = false;
    Packing<std::uint32_t> narrow_packing;
    Packing<std::uint64_t> wide_packing;
    WholeNumbers whole{0};
    std::size_t positions = 0; // that nodes may take
    // By position: the rows of a node lie together, in the order of `take_rows`; of rows in parts, those with
    // a known cell before those with a missing one.
    std::vector<std::uint32_t> original;
    std::vector<std::int32_t> classes;
    std::vector<double> numbers, weights, deviation;
    std::vector<float> rough_deviation; // in single precision, but about the median
    std::vector<Ordered> ordered;
    bool is_sorted = false;
    std::vector<Nominal> nominal;
    std::vector<Asked> asked;
    std::vector<Scratch> scratch; // of each thread
    // Between `divide` and `keep`.
    Division divided;
    std::vector<std::int32_t> branch; // by position
    std::vector<std::uint32_t> place; // by position
    // Of rows in parts: of each branch its share of the missing cells and its entries with a known one, of
    // each divided node those with a missing one; of a division in two, by position, the place in either
    // branch.
    bool in_parts = false;
    std::vector<double> shares;
    std::vector<std::int64_t> known_rows, missing_rows;
    std::vector<std::array<std::uint32_t, 2>> places;
    Blocks blocks;
    // Of the nodes that were last searched.
    NodeSums node_sums;
    // About the median, of rows in parts: by position the rank of each number in its node, and the numbers
    // and weights of each node, increasing. Whole rows lie in this order themselves.
    std::vector<std::uint32_t> ranks;
    std::vector<double> in_order, weights_in_order;
    std::vector<Description> described; // on request, of every (node, column)

    bool has_classes() const { return n_classes > 0; }
    template <typename R>
    const Packing<R> &packing() const {
        if constexpr (sizeof(R) == 4)
            return narrow_packing;
        else
            return wide_packing;
    }
    bool is_missing(std::int32_t feature, std::uint32_t row) const {
        const Column &column = columns[static_cast<std::size_t>(feature)];
        return column.type == CellType::number ? std::isnan(column.number(row)) : column.code(row) < 0;
    }
    double value(std::int32_t feature, std::uint32_t row) const {
        const Column &column = columns[static_cast<std::size_t>(feature)];
        return column.type == CellType::number ? column.number(row) : static_cast<double>(column.code(row));
    }

    /// Shares tasks out; starting a thread costs as much as work on some ten thousand cells.
    template <typename Work>
    void share(std::size_t n_tasks, std::int64_t cells, Work work) {
        share_out(n_tasks, cells < 50'000 ? 1 : n_threads, work, poll);
    }

    void take_rows(const Target &target, std::span<const std::int64_t> rows);
    void add_feature(std::int32_t feature);
    void order_by(std::span<const double> target);
    void sort_features();
    void release();
    template <typename R>
    void sort_feature(Ordered &feature, std::size_t key, SortScratch &memory); // of those just read
    void branches_of(const Segment &node, const Question &question);
    template <typename R>
    void branches_by_order(const Segment &node, const Question &question);
    template <typename R>
    std::size_t n_known_of(Ordered &feature, const Segment &node);
    void summarise_node(Division &division, std::size_t node, Scratch &memory, Summaries &summaries);
    void make_room(Division &division, Summaries &summaries) const;
    Summaries summarise();
    std::size_t n_arrays() const { return ordered.size() + nominal.size() + 1; }
    void move_array(std::size_t array, const Division &division, std::size_t node,
                    std::span<const std::uint8_t> kept, Scratch &memory);
    void set_classes(std::size_t branch, Summaries &summaries) const;
    void set_numbers(std::size_t branch, const Centred &found, Summaries &summaries) const;
    // fractional.cpp: rows in parts
    void summarise_parts(std::size_t node, Scratch &memory, Summaries &summaries);
    void place_in_two(std::size_t node);
    void sum_parts(std::size_t node, Summaries &summaries);
    void centre_parts(std::size_t node, Scratch &memory, Summaries &summaries);
    void divide_in_parts(const Question &question, Scratch &memory, Summaries &summaries);
    // fractional_blocks.cpp: where rows in parts lie
    struct Arrays;
    std::vector<Segment> lay_out(std::span<const std::uint8_t> kept, std::int64_t end,
                                 std::vector<std::int64_t> &homes) const;
    std::vector<Segment> keep_parts(std::span<const std::uint8_t> kept);
    void make_room(Block &block, std::size_t size, bool weighed) const;
    void copy_array(std::size_t array, std::size_t node, std::span<const std::int64_t> home, const Arrays &to,
                    Scratch &memory) const;
    template <typename R, typename Homes>
    void copy_records(const std::vector<R> &records, std::size_t node, const Homes &homes,
                      std::vector<R> &to) const;
    void exchange(Block &block);
    void fit_positions();
    void fit_to(std::size_t size);
    void put_aside();
    void enter(Block &&next, std::int64_t waiting);
    void take_back(std::int64_t block);
    void let_go(std::int64_t block, std::int64_t n_nodes);
    std::unique_ptr<State> without_rows() const;
    void take_node(const State &from, const Segment &node);
    std::vector<Segment> stack_parts(std::span<const std::uint8_t> kept, Scratch &memory);
    template <typename R>
    void partition(std::vector<R> &records, const Division &division, std::size_t node,
                   std::span<const std::uint8_t> kept, Scratch &memory) const;
    template <typename R>
    void partition_many(R *begin, const Division &division, std::size_t node,
                        std::span<const std::uint8_t> kept, Scratch &memory) const;
    template <typename T>
    void gather(std::vector<T> &values, const Division &division, std::size_t node,
                std::span<const std::uint8_t> kept, std::vector<T> &spare,
                std::vector<std::size_t> &next) const;
    std::size_t set_next(const Division &division, std::size_t node, std::span<const std::uint8_t> kept,
                         std::vector<std::size_t> &next) const;
    void prepare(const Batch &batch);
    void centre_node(const Batch &batch, std::size_t node, NodeSums &into);
    void rank(const Segment &node);
    template <typename R>
    double value_of(const Ordered &feature, const Segment &node, R record) const {
        const auto row = static_cast<std::size_t>(packing<R>().row(record));
        return value(feature.feature, original[static_cast<std::size_t>(node.start) + row]);
    }
    template <typename R>
    bool are_close(const Ordered &feature, const Segment &node, R below, R above, double gap) const {
        return feature.bins.high_of(value_of(feature, node, below)) + gap >=
               feature.bins.low_of(value_of(feature, node, above));
    }
    template <typename R>
    std::span<const R> divisible(Ordered &feature, const Segment &node, std::span<const R> known, double gap,
                                 Scratch &memory) const;
    template <typename R>
    Terms terms_of(const Ordered &feature, const Batch &batch, std::size_t node, const Rule &rule,
                   std::span<const R> known) const;
    template <typename R, typename Visit>
    void search(Ordered &feature, const Batch &batch, std::size_t node, const Rule &rule, Scratch &memory,
                Visit visit);
    template <typename Visit>
    void search_any(Ordered &feature, const Batch &batch, std::size_t node, const Rule &rule, Scratch &memory,
                    Visit visit) {
        if (is_wide)
            search<std::uint64_t>(feature, batch, node, rule, memory, visit);
        else
            search<std::uint32_t>(feature, batch, node, rule, memory, visit);
    }
    template <typename Search, typename R>
    Description describe_cut(Search &search, std::span<const R> records, const Ordered &feature,
                             const Segment &node, const BestCut &cut, double drawn, bool tables) const;
    CategorySplit search_categories(const Nominal &feature, const Batch &batch, std::size_t node,
                                    const Rule &rule, Scratch &memory);
    NodeTarget target_of(const Batch &batch, std::size_t node) const;
    void look_up_logarithms(const Rule &rule);
    CategorySplit search_absolute(std::span<const std::int32_t> codes, const NodeTarget &target,
                                  const Rule &rule, const Drawing *drawing, Scratch &memory) const;
    Description describe_categories(const Nominal &feature, const CategorySplit &split,
                                    const CategoryLines &lines, bool tables) const;
    void tabulate_medians(std::int32_t counted, Description &description, Scratch &memory) const;
    template <typename Look>
    void look_in_order(std::uint64_t node_key, std::int64_t looks, Scratch &memory, Look look) const;
    void find_division(const Nominal &feature, const Batch &batch, std::size_t node, const Rule &rule,
                       Scratch &memory, Found &found, Description *description, bool tables);
    double bound(const Batch &batch, std::size_t node, std::size_t column, const Rule &rule, Scratch &memory);
    void find(const Batch &batch, std::size_t node, std::size_t column, const Rule &rule, Scratch &memory,
              Found &found, Description *description, bool tables);
};

} // namespace deciduous
