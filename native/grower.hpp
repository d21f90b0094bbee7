// How a whole tree is grown. Large nodes are grown level by level, each search and division shared out among
// the threads. A small node is a task of one thread: all that lies below it is grown while its rows are in
// the cache.
#pragma once

#include "coded.hpp"
#include "growth.hpp"
#include "pages.hpp"
#include "rows_state.hpp"
#include "tiny.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace deciduous {

/// Has the first thread look now and then whether the work is to end.
class Watch {
public:
    Watch(const Poll &poll, std::size_t thread) : poll_(poll), looks_(thread == 0 && poll) {}
    void look() {
        if (!looks_ || ++calls_ % 64 != 0 || Clock::now() - last_ < std::chrono::milliseconds(50))
            return;
        poll_();
        last_ = Clock::now();
    }

private:
    using Clock = std::chrono::steady_clock;
    const Poll &poll_;
    bool looks_;
    std::size_t calls_ = 0;
    Clock::time_point last_ = Clock::now();
};

class Rows::Grower {
public:
    Grower(Rows &rows, const Rule &rule, const Growth &growth)
        : rows_(rows), s_(*rows.state_), rule_(rule), growth_(growth), workers_(s_.n_threads),
          nurseries_(s_.n_threads + 1), records_(growth.recorded_nodes > 0 && growth.recorded_cells >= 0) {
        rule_.ratio = growth.contest && (growth.contest->ratio || growth.contest->least_information > 0.0);
        // Room for a full tree of not too many rows: arrays that grow are copied, page by page.
        const std::size_t most =
            std::min(2 * static_cast<std::size_t>(s_.n), std::size_t{1} << 19) / s_.n_threads;
        for (Nursery &nursery : nurseries_) {
            reserve_large(nursery.nodes, most, Room::perhaps);
            reserve_large(nursery.splits, most / 2, Room::perhaps);
            reserve_large(nursery.branch_weight, most, Room::perhaps);
            if (s_.has_classes())
                reserve_large(nursery.classes, std::min(most * s_.width, std::size_t{1} << 22),
                              Room::perhaps);
        }
    }

    GrownTree grow();

private:
    /// The rows of a node that is grown by one thread: the cells of twenty columns then fit into the cache of
    /// a core.
    static constexpr std::int64_t small_rows = 4096;
    static constexpr std::int64_t none = -1;

    struct Node {
        std::int64_t rows = 0, first_child = none, split = none;
        double weight = 0.0, value = 0.0, impurity = 0.0, centre = 0.0, scale = 1.0; // of the scanned numbers
        std::int32_t record = -1;                                                    // of its search
        std::int32_t moved_to_thread = -1; // a small node, which goes on as `first_child` there
        Reason reason = Reason::split;
    };

    struct Split {
        std::int32_t column = 0, missing_branch = -1, n_branches = 2;
        SplitKind kind = SplitKind::leaf;
        bool exact = true;
        double gain = 0.0, threshold = 0.0;
        std::int64_t index = 0; // of the known records, the first on the right
        std::int64_t branches = 0, categories = 0,
                     n_categories = 0; // where they begin in the nursery's arrays
    };

    /// Nodes and splits in the order in which one thread made them.
    struct alignas(64) Nursery { // a line of the cache belongs to one thread
        std::vector<Node> nodes;
        std::vector<double> classes; // a line a node
        std::vector<Split> splits;
        std::vector<double> branch_weight;
        std::vector<std::int32_t> category_branch;
        std::vector<std::vector<Found>> found; // by record
        std::vector<std::vector<Description>> descriptions;
    };

    /// A node that may be split: its number in its nursery, and its rows.
    struct Open {
        std::int64_t node = 0;
        Segment segment;
        std::int64_t depth = 0;
    };

    /// A node of coded columns, with its tables.
    struct CodedOpen {
        Open open;
        CodedTables tables;
    };

    /// A node of up to 64 rows.
    struct TinyOpen {
        Open open;
        TinyNode rows;
    };

    /// What is worked out of the branches of a node before their entries are copied.
    struct Sieve : Records {
        std::vector<std::size_t> branches; // that may yet turn out to be leaves
        std::vector<std::uint8_t> is_cut;  // by branch: a threshold divides it, though none can pay
        std::vector<double> weights;       // of a column: by branch and category, then of the missing cells
        // Of a column of numbers, by known entry of a branch, in order: its weight, the weight of the entries
        // with a missing cell before it, and its value, as a number in order; `first`: where each branch
        // begins. The records have the class and this place.
        std::vector<double> weight, missing_before;
        std::vector<std::int64_t> value, missing_values, first, end;
        std::vector<double> missing; // class weights of the entries with a missing cell
        double missing_weight = 0.0;
        std::vector<double> none, known, all; // class weights in a branch
        RoughCuts rough;
    };

    using Division = State::Division;
    /// The memory in which one thread grows nodes.
    struct alignas(64) Worker {
        Division division;
        Summaries summaries;
        NodeSums sums;
        std::vector<Found> found;
        std::vector<Description> descriptions;
        std::vector<std::pair<double, std::size_t>> ranked; // columns, by what they may gain
        std::vector<Open> open, children;
        std::vector<std::int64_t> column; // of each split found, in tiny and coded nodes
        std::vector<CodedCut> cut;
        std::vector<CodedOpen> coded_open;
        std::vector<CodedTables> spare; // memory for tables
        CodedScratch coded;
        TinyRows tiny;
        std::vector<TinyOpen> tiny_open;
        std::vector<std::uint8_t> kept;
        std::unique_ptr<State> parts; // of rows in parts: those of the small nodes that it grows
        std::vector<double> shares;
        Sieve sieve;
    };
    std::size_t n_columns() const { return s_.asked.size(); }
    Nursery &top() { return nurseries_.back(); }
    bool records() const { return records_.load(std::memory_order_relaxed); }
    void count_for_record(std::int64_t nodes, std::int64_t cells);
    void drop_record_in_vain(Nursery &nursery) const;
    double unit_of(const Node &node) const {
        return s_.about == About::mean ? node.scale * node.scale : node.scale;
    }
    double band_of(const Node &node) const {
        const bool fixed = growth_.contest && growth_.contest->band >= 0.0;
        return fixed ? growth_.contest->band : growth_.tie * node.impurity;
    }
    /// The rows that a thread divides nodes in.
    State &rows_in(std::size_t thread) { return s_.in_parts ? *workers_[thread].parts : s_; }

    void plant();
    void grow_level();
    void grow_small();
    void grow_below(const Open &root, std::size_t thread);
    void grow_node(const Open &node, std::size_t thread);
    void rank_columns(const Batch &batch, bool by_gain_alone, std::size_t thread);
    void search(const Open &open, std::size_t thread);
    bool is_for_tiny() const;
    bool take_codes();
    void grow_coded();
    void grow_coded_below(const Open &root, std::size_t thread);
    void grow_coded_node(CodedOpen coded, Nursery &nursery, std::size_t thread, std::int64_t rows_of_a_task);
    std::int64_t search_coded(const CodedOpen &coded, Nursery &nursery, Worker &worker);
    Description describe_coded(std::size_t column, const CodedCut &cut, const Node &node,
                               const CodedTables &tables, std::span<const double> totals) const;
    void open_coded(CodedOpen &parent, std::int64_t left_rows, Worker &worker, std::int64_t rows_of_a_task);
    bool is_tiny(std::int64_t rows) const {
        return tiny_ && rows <= static_cast<std::int64_t>(TinyRows::most_rows) && !records();
    }
    std::int64_t least_rows() const;
    void continue_in(std::size_t thread, Open &root);
    std::span<const double> totals_of(const Nursery &nursery, std::int64_t node) const {
        if (!s_.has_classes())
            return {};
        return std::span(nursery.classes).subspan(static_cast<std::size_t>(node) * s_.width, s_.width);
    }
    bool sifts(const State &s) const;
    void sift(const State &s, std::int64_t first_child, std::size_t thread);
    void sift_by_categories(const State &s, const State::Nominal &feature, const Summaries &summaries,
                            Sieve &sieve) const;
    template <typename R>
    void sift_by_numbers(const State &s, const std::vector<R> &records, const State::Ordered &feature,
                         const Summaries &summaries, Sieve &sieve) const;
    template <typename R>
    void list_by_branch(const State &s, const std::vector<R> &records, const State::Ordered &feature,
                        Sieve &sieve) const;
    Range possible_cuts(double share, std::size_t branch, double least, const Sieve &sieve) const;
    std::int64_t sure_cuts(double share, std::size_t branch, double least, const Sieve &sieve) const;
    template <typename R>
    double most_bits(const Packing<R> &packing, double share, std::size_t branch, const Range &possible,
                     Sieve &sieve) const;
    void grow_tiny(const Open &root, std::size_t thread);
    void grow_tiny_node(const TinyOpen &tiny, std::int64_t start, std::size_t thread);
    std::int64_t search_tiny(const TinyOpen &tiny, Worker &worker, Nursery &nursery);
    void summarise_tiny(const TinyNode &node, std::uint64_t left, std::span<const double> totals,
                        Worker &worker, State::Scratch &memory);
    std::int64_t choose(const Node &node, std::span<const Found> found, std::size_t n, std::size_t stride,
                        Reason &reason) const;
    std::int64_t winner(const Node &node, const Rivals &rivals, double least) const;
    double threshold_of(std::size_t column, const Description &description) const;
    void take_split(Nursery &nursery, std::int64_t node, std::size_t column, const Found &found,
                    double threshold, std::span<const double> weights,
                    std::span<const std::int32_t> category_branch);
    void take_split(Nursery &nursery, std::int64_t node, std::size_t column, const Found &found,
                    const Description &description) {
        take_split(nursery, node, column, found, threshold_of(column, description), description.weights,
                   description.category_branch);
    }
    Question question_of(const Nursery &nursery, const Split &split, std::vector<double> &shares) const;
    void add_children(const Open &parent, Nursery &nursery, const Summaries &summaries,
                      std::span<const std::int64_t> rows, std::size_t first, std::size_t n,
                      std::vector<Open> &open, std::vector<std::uint8_t> &kept);
    void stop(Node &node, std::int64_t depth, bool pure, double heaviest) const;
    void record(Nursery &nursery, std::int64_t node, std::vector<Found> found,
                std::vector<Description> descriptions);
    GrownTree in_order();
    void make_room(GrownTree &tree) const;
    void write(GrownTree &tree, const Nursery &nursery, const Node &node) const;
    double gain_of(const Nursery &nursery, const Node &node, bool recorded) const;
    void write_split(GrownTree &tree, const Nursery &nursery, const Split &split, double gain) const;
    void write_record(GrownTree &tree, std::span<const std::pair<std::size_t, std::int64_t>> searched);

    Rows &rows_;
    State &s_;
    Rule rule_;
    const Growth &growth_;
    double total_weight_ = 0.0;
    std::vector<Worker> workers_;
    std::vector<Nursery> nurseries_; // one a thread, then that of the large nodes
    std::vector<Open> level_, small_;
    std::atomic<std::int64_t> n_nodes_{0}, n_cells_{0}; // while searches are recorded
    std::atomic<bool> records_;
    bool tiny_ = false,
         coded_ = false; // whether tiny nodes, and columns of few values, are grown in their own way
    CodedColumns codes_;
};

} // namespace deciduous
