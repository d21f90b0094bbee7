#include "surrogate_growth.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;

/// What all growers of a tree go by.
struct Rules {
    SurrogateRows &rows;
    const Costing &costing;
    const SurrogateGrowth &growth;
    double alpha;   // the least drop of risk
    double overall; // the value of the root
};

/// Grows a tree, or what lies below one of its nodes.
class Grower {
public:
    /// `root`: what is known of the first node, which is not yet split.
    Grower(const Rules &rules, SurrogateCrew crew, GrownNode root)
        : records(rules.growth.recorded_nodes > 0), rules_(rules), crew_(std::move(crew)) {
        nodes.push_back(std::move(root));
    }

    /// Splits nodes of more than so many rows, level by level; returns the others that are open, by their
    /// size.
    std::vector<size_t> grow_large(size_t most);
    /// Splits all that is below, one node after the other.
    void grow_depth_first();

    std::vector<GrownNode> nodes;
    bool records; // whether the nodes keep what was found in them

private:
    bool is_open(size_t number) const { return nodes[number].reason == Reason::split; }
    void split(std::span<const size_t> numbers);
    void search(std::span<const size_t> numbers);
    void record(std::span<const size_t> numbers);
    int64_t choose(const FirstSplit *found, GrownNode &node) const;
    void divide(std::span<const size_t> numbers, std::span<const SurrogateNode> ranges);
    void add_children(size_t number, NodeOfRows first, NodeOfRows second);
    void drop_records(size_t number);
    void look();

    const Rules &rules_;
    SurrogateCrew crew_;
    FirstSplit *found_in(size_t i) { return found_.data() + i * rules_.rows.n_asked(); }

    std::vector<FirstSplit> found_; // in the nodes that are split now
    int64_t n_records_ = 0;
    std::chrono::steady_clock::time_point polled_ = std::chrono::steady_clock::now();
};

/// Adds a node; says why it is a leaf before any split is looked for, if it is one: see grow/stopping.py.
GrownNode begun(NodeOfRows own, int64_t depth, double limit, double alpha, const SurrogateGrowth &growth) {
    GrownNode node;
    node.depth = depth;
    node.limit = limit;
    node.complexity = alpha;
    node.subtree_risk = own.rows.risk;
    if (own.rows.size == 0)
        node.reason = Reason::empty;
    else if (own.pure)
        node.reason = Reason::pure;
    else if (depth >= growth.max_depth)
        node.reason = Reason::max_depth;
    else if (static_cast<int64_t>(own.rows.size) < growth.min_samples_split)
        node.reason = Reason::min_samples_split;
    else if (std::min(own.rows.risk, limit) <= alpha)
        node.reason = Reason::complexity;
    node.own = std::move(own);
    return node;
}

std::vector<size_t> Grower::grow_large(size_t most) {
    std::vector<size_t> small, level{0};
    while (!level.empty()) {
        std::vector<size_t> large;
        for (const size_t number : level)
            if (is_open(number))
                (nodes[number].own.rows.size > most ? large : small).push_back(number);
        const size_t begin = nodes.size();
        split(large);
        level.resize(nodes.size() - begin);
        std::iota(level.begin(), level.end(), begin);
    }
    std::stable_sort(small.begin(), small.end(),
                     [&](size_t a, size_t b) { return nodes[a].own.rows.size > nodes[b].own.rows.size; });
    return small;
}

void Grower::grow_depth_first() {
    std::vector<std::pair<size_t, bool>> steps{{0, false}}; // a node, and whether what is below it is done
    while (!steps.empty()) {
        const auto [number, done] = steps.back();
        steps.pop_back();
        if (done) {
            if (!settle(nodes, number, rules_.alpha))
                drop_records(number);
            continue;
        }
        if (!is_open(number))
            continue;
        look();
        split({&number, 1});
        if (nodes[number].first_child < 0)
            continue;
        steps.emplace_back(number, true);
        for (const int which : {1, 0})
            steps.emplace_back(child_of(nodes[number], which), false);
    }
}

void Grower::split(std::span<const size_t> numbers) {
    search(numbers);
    std::vector<TwoWay> questions;
    std::vector<size_t> made; // those that have a split
    std::vector<SurrogateNode> ranges;
    for (size_t i = 0; i < numbers.size(); ++i) {
        const GrownNode &node = nodes[numbers[i]];
        if (node.column < 0)
            continue;
        made.push_back(numbers[i]);
        ranges.push_back(node.own.rows);
        questions.push_back({rules_.rows.table().features[static_cast<size_t>(node.column)].column,
                             node.split.kind, node.split.threshold, node.split.category_branch, found_in(i)});
    }
    std::vector<SurrogatesOfNode> surrogates =
        rules_.rows.surrogates(ranges, questions, rules_.growth.ask, crew_);
    for (size_t i = 0; i < made.size(); ++i)
        nodes[made[i]].surrogates = std::move(surrogates[i]);
    record(numbers);
    divide(made, ranges);
}

/// Finds the best splits of nodes.
void Grower::search(std::span<const size_t> numbers) {
    std::vector<SurrogateNode> ranges;
    for (const size_t number : numbers)
        ranges.push_back(nodes[number].own.rows);
    const SurrogateGrowth &growth = rules_.growth;
    rules_.rows.best_splits(ranges, {growth.min_samples_leaf, growth.costs, !records}, crew_, found_);
    for (size_t i = 0; i < numbers.size(); ++i) {
        GrownNode &node = nodes[numbers[i]];
        node.column = choose(found_in(i), node);
        if (node.column >= 0)
            node.split = found_in(i)[node.column];
        else
            node.reason = Reason::no_candidate;
    }
}

/// Keeps what was found in the nodes, as long as these are few.
void Grower::record(std::span<const size_t> numbers) {
    for (size_t i = 0; i < numbers.size() && records; ++i) {
        const auto from = std::make_move_iterator(found_in(i));
        nodes[numbers[i]].found.assign(from, from + static_cast<std::ptrdiff_t>(rules_.rows.n_asked()));
        if (++n_records_ <= rules_.growth.recorded_nodes)
            continue;
        records = false;
        for (GrownNode &node : nodes)
            node.found = {};
    }
}

/// The first column of the strictly best score, which is the improvement over the cost; -1 if none is more
/// than next to nothing.
int64_t Grower::choose(const FirstSplit *found, GrownNode &node) const {
    const std::vector<double> &costs = rules_.growth.costs;
    double best = 0.0;
    int64_t column = -1;
    for (size_t j = 0; j < costs.size(); ++j) {
        const double score = found[j].improvement / costs[j];
        if (found[j].kind != SplitKind::leaf && score > best) {
            best = score;
            column = static_cast<int64_t>(j);
        }
    }
    node.best_score = std::max(node.best_score, best);
    return best <= rules_.growth.tie * node.best_score ? -1 : column;
}

/// Makes the splits of nodes, which have these ranges; the columns are divided where a child is open.
void Grower::divide(std::span<const size_t> numbers, std::span<const SurrogateNode> ranges) {
    SurrogateRows &rows = rules_.rows;
    size_t n_cells = 0;
    for (const SurrogateNode &range : ranges)
        n_cells += range.size * rows.n_asked();
    std::vector<std::array<size_t, 2>> sizes(numbers.size());
    crew_.each(numbers.size(), n_cells,
               [&](size_t i, SurrogateMemory &memory) { sizes[i] = rows.divide_rows(ranges[i], memory); });
    std::vector<NodeOfRows> children(2 * numbers.size());
    crew_.each(children.size(), n_cells, [&](size_t i, SurrogateMemory &) {
        const auto [first, second] = sizes[i / 2];
        const size_t start = ranges[i / 2].start;
        children[i] = i % 2 == 0 ? summary(rows, rules_.costing, rules_.overall, start, first)
                                 : summary(rows, rules_.costing, rules_.overall, start + first, second);
    });
    std::vector<size_t> open;
    for (size_t i = 0; i < numbers.size(); ++i) {
        add_children(numbers[i], std::move(children[2 * i]), std::move(children[2 * i + 1]));
        if (is_open(nodes.size() - 2) || is_open(nodes.size() - 1))
            open.push_back(i);
    }
    const size_t n = rows.n_divisions();
    crew_.each(open.size() * n, n_cells, [&](size_t task, SurrogateMemory &memory) {
        rows.divide_columns(task % n, ranges[open[task / n]], memory);
    });
}

void Grower::add_children(size_t number, NodeOfRows first, NodeOfRows second) {
    const int64_t depth = nodes[number].depth + 1;
    const double limit = std::min(nodes[number].own.rows.risk, nodes[number].limit) - rules_.alpha;
    nodes[number].first_child = std::ssize(nodes);
    for (NodeOfRows *own : {&first, &second}) {
        nodes.push_back(begun(std::move(*own), depth, limit, rules_.alpha, rules_.growth));
        nodes.back().parent = static_cast<int64_t>(number);
        nodes.back().best_score = nodes[number].best_score;
    }
}

/// Forgets what was found in a node whose split is not worth it, and below it: those are the last nodes.
void Grower::drop_records(size_t number) {
    const auto drop = [&](GrownNode &node) {
        n_records_ -= !node.found.empty();
        node.found = {};
    };
    drop(nodes[number]);
    for (auto i = static_cast<size_t>(nodes[number].first_child); i < nodes.size(); ++i)
        drop(nodes[i]);
}

/// Has whoever called see now and then whether the work is to end.
void Grower::look() {
    const auto now = std::chrono::steady_clock::now();
    if (crew_.poll() && now - polled_ > std::chrono::milliseconds(50)) {
        crew_.poll()();
        polled_ = now;
    }
}

/// Puts what grew below one of the nodes in its place.
void graft(std::vector<GrownNode> &nodes, size_t number, std::vector<GrownNode> &&below) {
    const int64_t shift = std::ssize(nodes) - 1; // of all but the first, which takes the place of the node
    below[0].parent = nodes[number].parent;
    for (GrownNode &node : below)
        if (node.first_child >= 0)
            node.first_child += shift;
    nodes[number] = std::move(below[0]);
    for (size_t i = 1; i < below.size(); ++i) {
        const int64_t parent = below[i].parent;
        below[i].parent = parent == 0 ? static_cast<int64_t>(number) : parent + shift;
        nodes.push_back(std::move(below[i]));
    }
}

/// The nodes that are left, level by level.
std::vector<GrownNode> by_level(std::vector<GrownNode> &&nodes) {
    std::vector<size_t> order{0};
    for (size_t i = 0; i < order.size(); ++i)
        if (const int64_t first = nodes[order[i]].first_child; first >= 0)
            for (const int64_t b : {0, 1})
                order.push_back(static_cast<size_t>(first + b));
    std::vector<int64_t> number(nodes.size());
    for (size_t i = 0; i < order.size(); ++i)
        number[order[i]] = static_cast<int64_t>(i);
    std::vector<GrownNode> tree;
    tree.reserve(order.size());
    for (const size_t i : order) {
        GrownNode &node = tree.emplace_back(std::move(nodes[i]));
        if (node.parent >= 0)
            node.parent = number[static_cast<size_t>(node.parent)];
        if (node.first_child >= 0)
            node.first_child = number[static_cast<size_t>(node.first_child)];
        if (node.parent >= 0) // capped by that of the parent
            node.complexity = std::min(node.complexity, tree[static_cast<size_t>(node.parent)].complexity);
    }
    return tree;
}

/// Nodes of fewer rows than this part of all are grown by one thread: there are enough of them to share out.
constexpr size_t part_of_rows = 16;

} // namespace

std::vector<GrownNode> grow(SurrogateRows &rows, const Costing &costing, const SurrogateGrowth &growth) {
    const SurrogateCrew &crew = rows.crew();
    NodeOfRows root = summary(rows, costing, {}, 0, rows.n_rows());
    const double risk = root.rows.risk, alpha = growth.alpha >= 0 ? growth.alpha : growth.cp * risk;
    const Rules rules{rows, costing, growth, alpha, root.value};
    Grower top(rules, crew, begun(std::move(root), 0, risk, alpha, growth));
    const std::vector<size_t> small = top.grow_large(std::max(
        rows.n_rows() / part_of_rows, SurrogateCrew::few_cells / std::max(rows.n_asked(), size_t{1})));
    std::vector<std::vector<GrownNode>> below(small.size());
    std::vector<std::uint8_t> recorded(small.size());
    share_out(
        small.size(), crew.n_threads(),
        [&](size_t task, size_t thread) {
            Grower grower(rules, crew.alone(thread), std::move(top.nodes[small[task]]));
            grower.grow_depth_first();
            below[task] = std::move(grower.nodes);
            recorded[task] = grower.records;
        },
        crew.poll());
    for (size_t i = 0; i < small.size(); ++i)
        graft(top.nodes, small[i], std::move(below[i]));
    keep_worthy(top.nodes, alpha);
    std::vector<GrownNode> tree = by_level(std::move(top.nodes));
    const bool records = top.records && std::count(recorded.begin(), recorded.end(), 0) == 0 &&
                         std::ssize(tree) <= growth.recorded_nodes;
    for (GrownNode &node : tree)
        if (!records)
            node.found.clear();
    return tree;
}

} // namespace deciduous
