#include "surrogate_growth.hpp"

#include "deviations.hpp"
#include "surrogate_sums.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;

double x_log(double x, double y) {
    return x == 0.0 ? 0.0 : x * std::log(y);
}

/// What nodes come to: the twin of `SurrogateRows._nodes` in grow/surrogate_rows.py.
class Summaries {
public:
    Summaries(const SurrogateRows &rows, const Costing &costing) : rows_(rows), costing_(costing) {}

    NodeOfRows operator()(size_t start, size_t size) {
        NodeOfRows node;
        node.rows.start = start;
        node.rows.size = size;
        const auto own = rows_.rows_of(start, size);
        rows_.table().has_classes() ? add_classes(node, own) : add_numbers(node, own);
        return node;
    }

private:
    void add_classes(NodeOfRows &node, std::span<const uint32_t> own) const {
        const SurrogateTable &table = rows_.table();
        node.classes.resize(table.n_classes);
        for (const uint32_t row : own)
            node.classes[static_cast<size_t>(table.classes[row])] += table.weight[row];
        node.weight = std::accumulate(node.classes.begin(), node.classes.end(), 0.0);
        node.pure =
            std::count_if(node.classes.begin(), node.classes.end(), [](double w) { return w > 0; }) <= 1;
        double least = HUGE_VAL;
        for (size_t answer = 0; answer < table.n_classes; ++answer) {
            double risk = 0.0;
            for (size_t k = 0; k < table.n_classes; ++k)
                risk += node.classes[k] * costing_.factor[k] * costing_.loss[k * table.n_classes + answer];
            least = std::min(least, risk);
        }
        node.rows.risk = least;
    }

    void add_numbers(NodeOfRows &node, std::span<const uint32_t> own) {
        const SurrogateTable &table = rows_.table();
        y_.clear();
        w_.clear(); // empty: all are 1
        for (const uint32_t row : own)
            y_.push_back(table.numbers[row]);
        for (const uint32_t row : own)
            if (!table.unit_weight)
                w_.push_back(table.weight[row]);
        const bool squares = rows_.rater().rating == Rating::squares;
        const Centred found = centred(squares ? About::mean : About::zero, y_, w_, memory_);
        node.weight = found.weight;
        node.value = found.value;
        node.impurity = found.impurity;
        node.pure = found.pure;
        node.rows.centre = found.centre;
        node.rows.scale = found.scale;
        if (!overall_known_) {
            overall_ = found.value;
            overall_known_ = true;
        }
        node.rows.risk = squares ? squared_error(own) : deviance(node);
    }

    double squared_error(std::span<const uint32_t> own) const {
        const double mean = mean_target(rows_.table(), rows_.rater(), own);
        double sum = 0.0;
        for (size_t i = 0; i < y_.size(); ++i)
            sum += (w_.empty() ? 1.0 : w_[i]) * ((y_[i] - mean) * (y_[i] - mean));
        return sum;
    }

    /// The deviance from the shrunk rate.
    double deviance(const NodeOfRows &node) const {
        const double events = node.weight * node.value;
        double answer = node.value;
        if (costing_.shrink > 0.0 && node.weight > 0.0) {
            const double a = 1 / (costing_.shrink * costing_.shrink);
            answer = (events + a) / (node.weight + a / overall_);
        }
        const double ratio = answer > 0 ? node.value / answer : 1.0;
        const double half = node.weight * (node.impurity * node.rows.scale);
        return 2 * (half + x_log(events, ratio) - (events - node.weight * answer));
    }

    const SurrogateRows &rows_;
    const Costing &costing_;
    double overall_ = 0.0; // the rate of the root
    bool overall_known_ = false;
    std::vector<double> y_, w_;
    Weighed memory_;
};

class Grower {
public:
    Grower(SurrogateRows &rows, const Costing &costing, const SurrogateGrowth &growth, const Poll &poll)
        : rows_(rows), summaries_(rows, costing), growth_(growth), poll_(poll) {}

    std::vector<GrownNode> grow();

private:
    struct Step {
        size_t node = 0;
        int done = 0; // how many of its children are
    };

    void plant();
    GrownNode &add(NodeOfRows own, int64_t parent, int64_t depth);
    bool split(size_t node);
    int64_t choose(const std::vector<FirstSplit> &found, GrownNode &node) const;
    size_t child(size_t node, int which) const;
    void hand_down(size_t node, int which);
    void settle(size_t node);
    void look();
    std::vector<GrownNode> by_level();

    SurrogateRows &rows_;
    Summaries summaries_;
    const SurrogateGrowth &growth_;
    const Poll &poll_;
    std::vector<GrownNode> nodes_; // what is below a node comes after it
    double alpha_ = 0.0;
    bool records_ = true;
    std::chrono::steady_clock::time_point polled_ = std::chrono::steady_clock::now();
};

std::vector<GrownNode> Grower::grow() {
    plant();
    std::vector<Step> steps{{0, 0}};
    while (!steps.empty()) {
        const auto [node, done] = steps.back();
        steps.pop_back();
        if (done == 0 && !split(node))
            continue;
        if (done == 2) {
            settle(node);
            continue;
        }
        hand_down(node, done);
        steps.push_back({node, done + 1});
        steps.push_back({child(node, done), 0});
    }
    return by_level();
}

void Grower::plant() {
    NodeOfRows root = summaries_(0, rows_.n_rows());
    alpha_ = growth_.alpha >= 0 ? growth_.alpha : growth_.cp * root.rows.risk;
    const double limit = root.rows.risk;
    add(std::move(root), -1, 0).limit = limit;
    nodes_[0].divided = true;
}

/// Adds a node; says why it is a leaf before any split is looked for, if it is one: see grow/stopping.py.
GrownNode &Grower::add(NodeOfRows own, int64_t parent, int64_t depth) {
    GrownNode &node = nodes_.emplace_back();
    node.parent = parent;
    node.depth = depth;
    node.complexity = alpha_;
    node.subtree_risk = own.rows.risk;
    if (own.rows.size == 0)
        node.reason = Reason::empty;
    else if (own.pure)
        node.reason = Reason::pure;
    else if (depth >= growth_.max_depth)
        node.reason = Reason::max_depth;
    else if (static_cast<int64_t>(own.rows.size) < growth_.min_samples_split)
        node.reason = Reason::min_samples_split;
    node.own = std::move(own);
    return node;
}

/// The child that has the smaller target, or the other one.
size_t Grower::child(size_t node, int which) const {
    const GrownNode &parent = nodes_[node];
    return static_cast<size_t>(parent.first_child + (parent.surrogates.left ^ which));
}

/// Looks for the split of a node, and makes it; whether there is one.
bool Grower::split(size_t number) {
    GrownNode &node = nodes_[number];
    if (node.reason != Reason::split)
        return false;
    if (std::min(node.own.rows.risk, node.limit) <= alpha_) {
        node.reason = Reason::complexity;
        return false;
    }
    look();
    if (!node.divided) { // with its neighbour, which has the rest of the same range
        const auto parent = static_cast<size_t>(node.parent);
        rows_.divide_columns({&nodes_[parent].own.rows, 1});
        for (const int which : {0, 1})
            nodes_[child(parent, which)].divided = true;
    }
    std::vector<FirstSplit> found = rows_.best_splits({&node.own.rows, 1}, growth_.min_samples_leaf);
    const int64_t column = choose(found, node);
    if (column >= 0) {
        node.column = column;
        node.split = found[static_cast<size_t>(column)];
        const TwoWay question{rows_.table().features[static_cast<size_t>(column)].column, node.split.kind,
                              node.split.threshold, node.split.category_branch};
        node.surrogates = std::move(rows_.surrogates({&node.own.rows, 1}, {&question, 1}, growth_.ask)[0]);
    } else {
        node.reason = Reason::no_candidate;
    }
    records_ &= std::ssize(nodes_) <= growth_.recorded_nodes;
    if (records_)
        node.found = std::move(found);
    if (column < 0)
        return false;
    const auto [first, second] = rows_.divide_rows(node.own.rows);
    const size_t start = node.own.rows.start;
    const int64_t depth = node.depth + 1;
    const double best_score = node.best_score;
    node.first_child = std::ssize(nodes_);
    for (const auto &[begin, size] : {std::pair{start, first}, std::pair{start + first, second}})
        add(summaries_(begin, size), static_cast<int64_t>(number), depth).best_score = best_score;
    return true;
}

/// The first column of the strictly best score, which is the improvement over the cost; -1 if none is more
/// than next to nothing.
int64_t Grower::choose(const std::vector<FirstSplit> &found, GrownNode &node) const {
    double best = 0.0;
    int64_t column = -1;
    for (size_t j = 0; j < found.size(); ++j) {
        const double score = found[j].improvement / growth_.costs[j];
        if (found[j].kind != SplitKind::leaf && score > best) {
            best = score;
            column = static_cast<int64_t>(j);
        }
    }
    node.best_score = std::max(node.best_score, best);
    return best <= growth_.tie * node.best_score ? -1 : column;
}

// --- what splits are worth: the twin of prune/complexity.py ----------------------------------------------

/// Sets the limit of the left child, or of the right one once the left is done.
void Grower::hand_down(size_t number, int which) {
    const GrownNode &node = nodes_[number], &left = nodes_[child(number, 0)];
    double most = node.own.rows.risk;
    if (which == 1)
        most = std::max((most - left.subtree_risk) / static_cast<double>(left.subtree_splits + 1),
                        most - left.own.rows.risk);
    nodes_[child(number, which)].limit = std::min(most, node.limit) - alpha_;
}

/// Finds the complexity of a node whose children are done: of these, the weaker one may count as a leaf.
void Grower::settle(size_t number) {
    GrownNode &node = nodes_[number];
    GrownNode *const pair[] = {&nodes_[child(number, 0)], &nodes_[child(number, 1)]};
    double risk[] = {pair[0]->subtree_risk, pair[1]->subtree_risk};
    int64_t splits[] = {pair[0]->subtree_splits, pair[1]->subtree_splits};
    const auto per_split = [&] {
        return (node.own.rows.risk - risk[0] - risk[1]) / static_cast<double>(splits[0] + splits[1] + 1);
    };
    const int weaker = pair[1]->complexity > pair[0]->complexity ? 0 : 1;
    node.complexity = per_split();
    for (const int which : {weaker, 1 - weaker}) {
        if (node.complexity <= pair[which]->complexity)
            break;
        risk[which] = pair[which]->own.rows.risk;
        splits[which] = 0;
        node.complexity = per_split();
    }
    if (node.complexity > alpha_) {
        node.subtree_risk = risk[0] + risk[1];
        node.subtree_splits = splits[0] + splits[1] + 1;
        return;
    }
    node.reason = Reason::complexity;
    node.column = -1;
    node.split = {};
    node.surrogates = {};
    node.found.clear();
    nodes_.resize(static_cast<size_t>(std::exchange(node.first_child, -1)));
}

/// Has whoever called see now and then whether the work is to end.
void Grower::look() {
    const auto now = std::chrono::steady_clock::now();
    if (poll_ && now - polled_ > std::chrono::milliseconds(50)) {
        poll_();
        polled_ = now;
    }
}

std::vector<GrownNode> Grower::by_level() {
    std::vector<size_t> order{0};
    for (size_t i = 0; i < order.size(); ++i)
        if (const int64_t first = nodes_[order[i]].first_child; first >= 0)
            for (const int64_t b : {0, 1})
                order.push_back(static_cast<size_t>(first + b));
    std::vector<int64_t> number(nodes_.size());
    for (size_t i = 0; i < order.size(); ++i)
        number[order[i]] = static_cast<int64_t>(i);
    std::vector<GrownNode> tree;
    tree.reserve(order.size());
    for (const size_t i : order) {
        GrownNode &node = tree.emplace_back(std::move(nodes_[i]));
        if (node.parent >= 0)
            node.parent = number[static_cast<size_t>(node.parent)];
        if (node.first_child >= 0)
            node.first_child = number[static_cast<size_t>(node.first_child)];
        if (node.parent >= 0) // capped by that of the parent
            node.complexity = std::min(node.complexity, tree[static_cast<size_t>(node.parent)].complexity);
        if (!records_)
            node.found.clear();
    }
    return tree;
}

} // namespace

std::vector<GrownNode> grow(SurrogateRows &rows, const Costing &costing, const SurrogateGrowth &growth,
                            const Poll &poll) {
    return Grower(rows, costing, growth, poll).grow();
}

} // namespace deciduous
