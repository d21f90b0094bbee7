// Large nodes are grown level by level, each search and division shared out among the threads. A small node
// is a task of one thread: all that lies below it is grown while its rows are in the cache.
#include "growth.hpp"

#include "accumulators.hpp"
#include "coded.hpp"
#include "rows_state.hpp"
#include "tiny.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

/// The rows of a node that is grown by one thread: the cells of twenty columns then fit into the cache of a
/// core.
constexpr int64_t small_rows = 4096;

constexpr int64_t none = -1;

struct Node {
    int64_t rows = 0, first_child = none, split = none, record = none;
    int64_t moved_nursery = none, moved_node = none; // where a small node is grown on
    double weight = 0.0, value = 0.0, impurity = 0.0, centre = 0.0, scale = 1.0; // of the scanned numbers
    Reason reason = Reason::split;
};

struct Split {
    int32_t column = 0, missing_branch = -1, n_branches = 2;
    SplitKind kind = SplitKind::leaf;
    bool exact = true;
    double gain = 0.0, threshold = 0.0;
    int64_t branches = 0, categories = 0, n_categories = 0; // where they begin in the nursery's arrays
};

/// Nodes and splits in the order in which one thread made them.
struct Nursery {
    std::vector<Node> nodes;
    std::vector<double> classes; // a line a node
    std::vector<Split> splits;
    std::vector<double> branch_weight;
    std::vector<int32_t> category_branch;
    std::vector<std::vector<Found>> found; // by record
    std::vector<std::vector<Description>> descriptions;
};

/// A node that may be split: its number in its nursery, and its rows.
struct Open {
    int64_t node = 0;
    Segment segment;
    int64_t depth = 0;
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

/// Has the first thread look now and then whether the work is to end.
class Watch {
public:
    Watch(const Poll &poll, size_t thread) : poll_(poll), looks_(thread == 0 && poll) {}
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
    size_t calls_ = 0;
    Clock::time_point last_ = Clock::now();
};

/// The impurity of class weights, as measures.py has it.
double impurity_of(Measure measure, std::span<const double> weights, double total) {
    if (!(total > 0.0))
        return 0.0;
    double impurity = measure == Measure::misclassification ? 1.0 : 0.0;
    for (const double w : weights) {
        const double p = w / total;
        if (measure == Measure::gini)
            impurity += p * (1.0 - p);
        else if (measure == Measure::entropy)
            impurity -= x_log_x(p) / std::log(2.0);
        else
            impurity = std::min(impurity, 1.0 - p);
    }
    return std::max(impurity, 0.0);
}

/// The first branch whose weight is the largest, up to rounding (missing/shares.py).
int32_t heaviest(std::span<const double> weights, double tie) {
    const double most = *std::max_element(weights.begin(), weights.end());
    const auto is_heaviest = [&](double w) { return w >= most * (1.0 - tie); };
    return static_cast<int32_t>(std::find_if(weights.begin(), weights.end(), is_heaviest) - weights.begin());
}

} // namespace

class Rows::Grower {
public:
    Grower(Rows &rows, const Rule &rule, const Growth &growth)
        : rows_(rows), s_(*rows.state_), rule_(rule), growth_(growth), workers_(s_.n_threads),
          nurseries_(s_.n_threads + 1) {}

    GrownTree grow();

private:
    using Division = State::Division;
    /// The memory in which one thread grows nodes.
    struct Worker {
        Division division;
        Summaries summaries;
        NodeSums sums;
        std::vector<Found> found;
        std::vector<Description> descriptions;
        std::vector<Open> open, children;
        std::vector<int64_t> column; // of each split found, in tiny and coded nodes
        std::vector<CodedCut> cut;
        std::vector<CodedOpen> coded_open;
        std::vector<CodedTables> spare; // memory for tables
        CodedScratch coded;
        TinyRows tiny;
        std::vector<TinyOpen> tiny_open;
        std::vector<uint8_t> kept;
    };
    size_t n_columns() const { return s_.asked.size(); }
    Nursery &top() { return nurseries_.back(); }
    bool records() const { return n_nodes_ <= growth_.recorded_nodes && n_cells_ <= growth_.recorded_cells; }
    double unit_of(const Node &node) const {
        return s_.about == About::mean ? node.scale * node.scale : node.scale;
    }
    double band_of(const Node &node) const { return growth_.tie * node.impurity; }

    void plant();
    void grow_level();
    void grow_below(const Open &root, size_t thread);
    void grow_node(const Open &node, size_t thread);
    void search(const Open &open, size_t thread);
    bool is_for_tiny() const;
    bool take_codes();
    void grow_coded();
    void grow_coded_below(const Open &root, size_t thread);
    void grow_coded_node(CodedOpen coded, Nursery &nursery, size_t thread, int64_t rows_of_a_task);
    int64_t search_coded(const CodedOpen &coded, Nursery &nursery, Worker &worker);
    Description describe_coded(size_t column, const CodedCut &cut, const Node &node,
                               const CodedTables &tables, std::span<const double> totals) const;
    void open_coded(CodedOpen &parent, int64_t left_rows, Worker &worker, int64_t rows_of_a_task);
    bool is_tiny(int64_t rows) const {
        return tiny_ && rows <= static_cast<int64_t>(TinyRows::most_rows) && !records();
    }
    int64_t least_rows() const;
    void continue_in(size_t thread, Open &root);
    std::span<const double> totals_of(const Nursery &nursery, int64_t node) const {
        if (!s_.has_classes())
            return {};
        return std::span(nursery.classes).subspan(static_cast<size_t>(node) * s_.width, s_.width);
    }
    void grow_tiny(const Open &root, size_t thread);
    void grow_tiny_node(const TinyOpen &tiny, int64_t start, size_t thread);
    int64_t search_tiny(const TinyOpen &tiny, Worker &worker, Nursery &nursery);
    void summarise_tiny(const TinyNode &node, uint64_t left, std::span<const double> totals, Worker &worker,
                        State::Scratch &memory);
    int64_t choose(const Node &node, std::span<const Found> found, size_t n, size_t stride,
                   Reason &reason) const;
    void take_split(Nursery &nursery, int64_t node, size_t column, const Found &found, double threshold,
                    std::span<const double> weights, std::span<const int32_t> category_branch);
    void take_split(Nursery &nursery, int64_t node, size_t column, const Found &found,
                    const Description &description) {
        take_split(nursery, node, column, found, description.threshold(), description.weights,
                   description.category_branch);
    }
    Question question_of(const Nursery &nursery, const Split &split) const;
    void add_children(const Open &parent, Nursery &nursery, const Summaries &summaries,
                      std::span<const int64_t> rows, size_t first, size_t n, std::vector<Open> &open,
                      std::vector<uint8_t> &kept);
    void stop(Node &node, int64_t depth, bool pure) const;
    void record(Nursery &nursery, int64_t node, std::vector<Found> found,
                std::vector<Description> descriptions);
    GrownTree in_order();
    void write(GrownTree &tree, const Nursery &nursery, const Node &node) const;
    void write_split(GrownTree &tree, const Nursery &nursery, const Split &split) const;
    void write_record(GrownTree &tree, std::span<const std::pair<size_t, int64_t>> searched);

    Rows &rows_;
    State &s_;
    Rule rule_;
    const Growth &growth_;
    double total_weight_ = 0.0;
    std::vector<Worker> workers_;
    std::vector<Nursery> nurseries_; // one a thread, then that of the large nodes
    std::vector<Open> level_, small_;
    std::atomic<int64_t> n_nodes_{0}, n_cells_{0};
    bool tiny_ = false,
         coded_ = false; // whether tiny nodes, and columns of few values, are grown in their own way
    CodedColumns codes_;
};

// --- what becomes of a node ------------------------------------------------------------------------------

/// Says why a new node is a leaf before any split is looked for, if it is one: the twin of grow/stopping.py.
void Rows::Grower::stop(Node &node, int64_t depth, bool pure) const {
    if (node.rows == 0)
        node.reason = Reason::empty;
    else if (pure)
        node.reason = Reason::pure;
    else if (depth >= growth_.max_depth)
        node.reason = Reason::max_depth;
    else if (node.rows < growth_.min_samples_split)
        node.reason = Reason::min_samples_split;
}

/// The winner of n splits, or none: the twin of search/choose.py, and of the bar that grow/grower.py sets
/// after it.
int64_t Rows::Grower::choose(const Node &node, std::span<const Found> found, size_t n, size_t stride,
                             Reason &reason) const {
    const double band = band_of(node), unit = unit_of(node);
    const double least = (growth_.min_gain > 0.0 ? growth_.min_gain / unit : 0.0) - band;
    const auto competes = [&](const Found &f) {
        return f.kind != SplitKind::leaf && f.gain >= least && (growth_.zero_gain || f.gain > band);
    };
    double best = -HUGE_VAL;
    bool any = false;
    for (size_t j = 0; j < n; ++j) {
        const Found &f = found[j * stride];
        any |= f.kind != SplitKind::leaf;
        if (competes(f))
            best = std::max(best, f.gain);
    }
    for (size_t j = 0; j < n && best > -HUGE_VAL; ++j) {
        const Found &f = found[j * stride];
        if (!competes(f) || f.gain < best - band)
            continue;
        const double bar = growth_.min_impurity_decrease, gain = f.gain * unit,
                     decrease = (std::abs(gain) <= band * unit ? 0.0 : gain) * node.weight;
        if (bar > 0.0 && decrease / total_weight_ < bar - growth_.tie * std::max(node.impurity * unit, bar)) {
            reason = Reason::min_impurity_decrease;
            return none;
        }
        return static_cast<int64_t>(j);
    }
    reason = any ? Reason::no_gain : Reason::no_candidate;
    return none;
}

/// Writes down the split of a node.
void Rows::Grower::take_split(Nursery &nursery, int64_t node, size_t column, const Found &found,
                              double threshold, std::span<const double> weights,
                              std::span<const int32_t> category_branch) {
    Split split;
    split.column = static_cast<int32_t>(column);
    split.kind = found.kind;
    split.exact = found.exact;
    split.gain = found.gain;
    split.missing_branch = found.missing_branch;
    split.n_branches = static_cast<int32_t>(weights.size());
    split.threshold = found.kind == SplitKind::threshold ? threshold : std::nan("");
    split.branches = std::ssize(nursery.branch_weight);
    split.categories = std::ssize(nursery.category_branch);
    split.n_categories = std::ssize(category_branch);
    nursery.branch_weight.insert(nursery.branch_weight.end(), weights.begin(), weights.end());
    nursery.category_branch.insert(nursery.category_branch.end(), category_branch.begin(),
                                   category_branch.end());
    nursery.nodes[static_cast<size_t>(node)].split = std::ssize(nursery.splits);
    nursery.splits.push_back(split);
}

Question Rows::Grower::question_of(const Nursery &nursery, const Split &split) const {
    const State::Asked &asked = s_.asked[static_cast<size_t>(split.column)];
    Question question;
    question.feature = asked.is_nominal ? s_.nominal[asked.at].feature : s_.ordered[asked.at].feature;
    question.kind = split.kind;
    question.threshold = split.threshold;
    question.n_branches = split.n_branches;
    const auto weights =
        std::span(nursery.branch_weight)
            .subspan(static_cast<size_t>(split.branches), static_cast<size_t>(split.n_branches));
    question.missing_branch =
        split.missing_branch >= 0 ? split.missing_branch : heaviest(weights, growth_.tie);
    question.branch_of_code =
        std::span(nursery.category_branch)
            .subspan(static_cast<size_t>(split.categories), static_cast<size_t>(split.n_categories));
    return question;
}

/// Adds the branches of a node, n of those summarised from `first` on, to a nursery; those that are to be
/// searched are opened, without their rows.
void Rows::Grower::add_children(const Open &parent, Nursery &nursery, const Summaries &summaries,
                                std::span<const int64_t> rows, size_t first, size_t n,
                                std::vector<Open> &open, std::vector<uint8_t> &kept) {
    for (size_t b = first; b < first + n; ++b) {
        Node node;
        node.rows = rows[b];
        node.weight = summaries.weight[b];
        if (s_.has_classes()) {
            const auto line = std::span(summaries.classes).subspan(b * s_.width, s_.width);
            node.impurity = impurity_of(rule_.measure, line, node.weight);
            nursery.classes.insert(nursery.classes.end(), line.begin(), line.end());
        } else {
            node.value = summaries.value[b];
            node.impurity = summaries.impurity[b];
            node.centre = summaries.centre[b];
            node.scale = summaries.scale[b];
        }
        stop(node, parent.depth, summaries.pure[b] != 0);
        kept.push_back(node.reason == Reason::split);
        if (node.reason == Reason::split)
            open.push_back({std::ssize(nursery.nodes), {}, parent.depth});
        nursery.nodes.push_back(node);
    }
    n_nodes_ += static_cast<int64_t>(n);
}

void Rows::Grower::record(Nursery &nursery, int64_t node, std::vector<Found> found,
                          std::vector<Description> descriptions) {
    int64_t cells = 0;
    for (const Description &d : descriptions)
        cells += std::ssize(d.lines);
    n_cells_ += cells;
    nursery.nodes[static_cast<size_t>(node)].record = std::ssize(nursery.found);
    nursery.found.push_back(std::move(found));
    nursery.descriptions.push_back(std::move(descriptions));
}

// --- large nodes -----------------------------------------------------------------------------------------

/// Adds the root.
void Rows::Grower::plant() {
    const Summaries summaries = rows_.root();
    std::vector<uint8_t> kept;
    add_children({}, top(), summaries, summaries.rows, 0, 1, level_, kept);
    if (!level_.empty())
        level_.front().segment = {0, s_.n};
    total_weight_ = top().nodes.front().weight;
    rule_.min_weight = growth_.min_weight_fraction * total_weight_;
    s_.look_up_logarithms(rule_);
}

/// Splits the large nodes of the level; the small ones are laid aside.
void Rows::Grower::grow_level() {
    const auto is_large = [](const Open &open) { return open.segment.size > small_rows; };
    const auto middle = std::stable_partition(level_.begin(), level_.end(), is_large);
    small_.insert(small_.end(), middle, level_.end());
    level_.erase(middle, level_.end());
    if (level_.empty())
        return;
    const size_t n = level_.size();
    std::vector<Segment> segments;
    std::vector<double> weight, centre, scale, band, classes;
    for (const Open &open : level_) {
        const Node &node = top().nodes[static_cast<size_t>(open.node)];
        segments.push_back(open.segment);
        weight.push_back(node.weight);
        centre.push_back(node.centre);
        scale.push_back(node.scale);
        band.push_back(band_of(node));
        if (s_.has_classes()) {
            const auto line = top().classes.begin() + open.node * static_cast<int64_t>(s_.width);
            classes.insert(classes.end(), line, line + static_cast<int64_t>(s_.width));
        }
    }
    const Batch batch{segments, weight, centre, scale, band, classes, {}, {}, {}};
    const bool recording = records();
    const std::vector<Found> found = rows_.best_splits(batch, rule_, recording);
    std::vector<std::pair<size_t, size_t>> chosen;
    std::vector<Open> parents;
    for (size_t k = 0; k < n; ++k) {
        Node &node = top().nodes[static_cast<size_t>(level_[k].node)];
        const int64_t column = choose(node, std::span(found).subspan(k), n_columns(), n, node.reason);
        if (column == none)
            continue;
        chosen.emplace_back(k, static_cast<size_t>(column));
        parents.push_back(level_[k]);
    }
    const std::vector<Description> descriptions = rows_.describe(batch, rule_, chosen, found);
    if (recording) {
        std::vector<Description> all = rows_.take_descriptions();
        for (size_t k = 0; k < n; ++k) {
            std::vector<Found> of_node;
            std::vector<Description> described;
            for (size_t j = 0; j < n_columns(); ++j) {
                of_node.push_back(found[j * n + k]);
                described.push_back(std::move(all[j * n + k]));
            }
            record(top(), level_[k].node, std::move(of_node), std::move(described));
        }
    }
    std::vector<Segment> divided;
    for (size_t i = 0; i < parents.size(); ++i) {
        const auto [k, column] = chosen[i];
        take_split(top(), parents[i].node, column, found[column * n + k], descriptions[i]);
        divided.push_back(parents[i].segment);
    }
    std::vector<Question> questions;
    for (const Open &parent : parents)
        questions.push_back(question_of(
            top(), top().splits[static_cast<size_t>(top().nodes[static_cast<size_t>(parent.node)].split)]));
    const Summaries summaries = rows_.divide(divided, questions);
    level_.clear();
    std::vector<uint8_t> kept;
    size_t first = 0;
    for (size_t i = 0; i < parents.size(); ++i) {
        const auto branches = static_cast<size_t>(questions[i].n_branches);
        Open parent = parents[i];
        ++parent.depth;
        top().nodes[static_cast<size_t>(parent.node)].first_child = std::ssize(top().nodes);
        add_children(parent, top(), summaries, summaries.rows, first, branches, level_, kept);
        first += branches;
    }
    const std::vector<Segment> places = rows_.keep(kept);
    for (size_t k = 0; k < level_.size(); ++k)
        level_[k].segment = places[k];
}

// --- small nodes -----------------------------------------------------------------------------------------

/// Searches all columns of one node.
void Rows::Grower::search(const Open &open, size_t thread) {
    Worker &worker = workers_[thread];
    State::Scratch &memory = s_.scratch[thread];
    Nursery &nursery = nurseries_[thread];
    const auto at = static_cast<size_t>(open.node);
    const Node node = nursery.nodes[at];
    const double band = band_of(node);
    const std::span<const double> classes =
        s_.has_classes() ? std::span<const double>(nursery.classes).subspan(at * s_.width, s_.width)
                         : std::span<const double>();
    const auto one = [](const double &x) { return std::span<const double>(&x, 1); };
    Batch batch{std::span(&open.segment, 1),
                one(node.weight),
                one(node.centre),
                one(node.scale),
                one(band),
                classes,
                {},
                {},
                {},
                &worker.sums};
    if (!s_.has_classes()) {
        worker.sums.moments.assign(s_.width, 0.0);
        worker.sums.errors.assign(1, 0.0);
        s_.centre_node(batch, 0, worker.sums);
    }
    const bool recording = records();
    worker.found.assign(n_columns(), {});
    if (recording) {
        Description nothing;
        nothing.missing.assign(s_.width, 0.0);
        worker.descriptions.assign(n_columns(), nothing);
    }
    for (size_t j = 0; j < n_columns(); ++j)
        s_.find(batch, 0, j, rule_, memory, worker.found[j], recording ? &worker.descriptions[j] : nullptr,
                recording);
    Reason reason = Reason::split;
    const int64_t column = choose(node, worker.found, n_columns(), 1, reason);
    nursery.nodes[at].reason = reason;
    if (column != none) {
        const auto j = static_cast<size_t>(column);
        Description described;
        if (!recording)
            s_.find(batch, 0, j, rule_, memory, worker.found[j], &described, false);
        take_split(nursery, open.node, j, worker.found[j], recording ? worker.descriptions[j] : described);
    }
    if (recording)
        record(nursery, open.node, std::move(worker.found), std::move(worker.descriptions));
}

/// Searches and divides one node, and opens its children.
void Rows::Grower::grow_node(const Open &open, size_t thread) {
    if (is_tiny(open.segment.size)) {
        grow_tiny(open, thread);
        return;
    }
    Worker &worker = workers_[thread];
    State::Scratch &memory = s_.scratch[thread];
    Nursery &nursery = nurseries_[thread];
    search(open, thread);
    Node &node = nursery.nodes[static_cast<size_t>(open.node)];
    if (node.split == none)
        return;
    const Question question = question_of(nursery, nursery.splits[static_cast<size_t>(node.split)]);
    s_.branches_of(open.segment, question);
    Division &division = worker.division;
    division.nodes.assign(1, open.segment);
    division.first_branch.assign({0, question.n_branches});
    s_.make_room(division, worker.summaries);
    s_.summarise_node(division, 0, memory, worker.summaries);
    node.first_child = std::ssize(nursery.nodes);
    worker.kept.clear();
    worker.children.clear();
    Open parent = open;
    ++parent.depth;
    add_children(parent, nursery, worker.summaries, division.branch_rows, 0,
                 static_cast<size_t>(question.n_branches), worker.children, worker.kept);
    if (worker.children.empty())
        return;
    for (size_t array = 0; array < s_.n_arrays(); ++array)
        s_.move_array(array, division, 0, worker.kept, memory);
    int64_t start = open.segment.start;
    for (size_t b = 0, child = 0; b < worker.kept.size(); ++b)
        if (worker.kept[b]) {
            worker.children[child++].segment = {start, division.branch_rows[b]};
            start += division.branch_rows[b];
        }
    worker.open.insert(worker.open.end(), worker.children.begin(), worker.children.end());
}

/// Continues a node of the nursery of the large ones in that of a thread.
void Rows::Grower::continue_in(size_t thread, Open &root) {
    Nursery &nursery = nurseries_[thread];
    Node &above = top().nodes[static_cast<size_t>(root.node)];
    nursery.nodes.push_back(above);
    const auto line = totals_of(top(), root.node);
    nursery.classes.insert(nursery.classes.end(), line.begin(), line.end());
    above.moved_nursery = static_cast<int64_t>(thread);
    root.node = above.moved_node = std::ssize(nursery.nodes) - 1;
}

/// Grows all that lies below a node of the nursery of the large ones.
void Rows::Grower::grow_below(const Open &root, size_t thread) {
    Worker &worker = workers_[thread];
    worker.open.assign(1, root);
    continue_in(thread, worker.open.front());
    Watch watch(s_.poll, thread);
    while (!worker.open.empty()) {
        const Open next = worker.open.back();
        worker.open.pop_back();
        grow_node(next, thread);
        watch.look();
    }
}

// --- columns of few values -------------------------------------------------------------------------------

/// Codes the columns, if all of them have few values, and classes of whole rows are counted.
bool Rows::Grower::take_codes() {
    constexpr int64_t few_rows = 2000,
                      most_rows = int64_t{1} << 26; // codes pay; products of counts are exact
    const bool counted = s_.has_classes() && s_.weights.empty() && s_.nominal.empty() &&
                         s_.width <= TinyRows::most_classes &&
                         (rule_.measure == Measure::gini || rule_.measure == Measure::entropy);
    if (!counted || s_.is_sorted || s_.n < few_rows || s_.n > most_rows || s_.ordered.empty())
        return false;
    std::vector<Column> columns;
    for (const State::Ordered &feature : s_.ordered)
        columns.push_back(s_.columns[static_cast<size_t>(feature.feature)]);
    return codes_.take(columns, s_.original, s_.classes, s_.width, s_.max_bins, s_.n_threads, s_.poll);
}

/// Grows large nodes on one thread, and lays aside what lies below the others for a task each.
void Rows::Grower::grow_coded() {
    const int64_t rows_of_a_task =
        s_.n_threads > 1 ? std::max(small_rows, s_.n / (8 * static_cast<int64_t>(s_.n_threads))) : s_.n;
    Worker &worker = workers_.front();
    std::swap(small_, level_);
    if (!small_.empty() && s_.n > rows_of_a_task) {
        worker.coded_open.push_back({small_.front(), codes_.no_counts()});
        codes_.count(0, static_cast<size_t>(s_.n), worker.coded_open.front().tables);
        small_.clear();
    }
    Watch watch(s_.poll, 0);
    while (!worker.coded_open.empty()) {
        CodedOpen next = std::move(worker.coded_open.back());
        worker.coded_open.pop_back();
        grow_coded_node(std::move(next), top(), 0, rows_of_a_task);
        watch.look();
    }
}

/// Grows all that lies below a node of the nursery of the large ones.
void Rows::Grower::grow_coded_below(const Open &root, size_t thread) {
    Worker &worker = workers_[thread];
    worker.coded_open.push_back({root, codes_.no_counts()});
    CodedOpen &first = worker.coded_open.front();
    continue_in(thread, first.open);
    codes_.count(static_cast<size_t>(root.segment.start),
                 static_cast<size_t>(root.segment.start + root.segment.size), first.tables);
    Watch watch(s_.poll, thread);
    while (!worker.coded_open.empty()) {
        CodedOpen next = std::move(worker.coded_open.back());
        worker.coded_open.pop_back();
        if (is_tiny(next.open.segment.size))
            grow_tiny(next.open, thread);
        else
            grow_coded_node(std::move(next), nurseries_[thread], thread, 0);
        watch.look();
    }
}

/// The winner among the splits that are found in a node, or none.
int64_t Rows::Grower::search_coded(const CodedOpen &coded, Nursery &nursery, Worker &worker) {
    Node &node = nursery.nodes[static_cast<size_t>(coded.open.node)];
    const auto totals = totals_of(nursery, coded.open.node);
    const bool recording = records();
    std::vector<Description> descriptions;
    worker.found.clear();
    worker.column.clear();
    worker.cut.clear();
    double best = -HUGE_VAL;
    for (size_t j = 0; j < n_columns(); ++j) {
        const CodedCut cut = codes_.best(j, coded.tables, totals, rule_, s_.whole, least_rows(),
                                         band_of(node), recording ? -HUGE_VAL : best, worker.coded);
        if (recording)
            descriptions.push_back(describe_coded(j, cut, node, coded.tables, totals));
        else if (!(cut.gain > best))
            continue;
        best = std::max(best, cut.gain);
        Found &found = worker.found.emplace_back();
        found.gain = cut.gain;
        found.kind = cut.rows > 0 ? SplitKind::threshold : SplitKind::leaf;
        worker.column.push_back(static_cast<int64_t>(j));
        worker.cut.push_back(cut);
    }
    const int64_t won = choose(node, worker.found, worker.found.size(), 1, node.reason);
    if (recording)
        record(nursery, coded.open.node, worker.found, std::move(descriptions));
    return won;
}

Description Rows::Grower::describe_coded(size_t column, const CodedCut &cut, const Node &node,
                                         const CodedTables &tables, std::span<const double> totals) const {
    Description description;
    description.missing.assign(s_.width, 0.0);
    description.tried = cut.tried;
    description.values = cut.values;
    if (cut.rows == 0)
        return description;
    description.low = codes_.high(column, cut.code);
    description.high = codes_.low(column, cut.next);
    description.weights = {static_cast<double>(cut.rows), static_cast<double>(node.rows - cut.rows)};
    description.lines.assign(2 * s_.width, 0.0);
    codes_.sum_to(column, cut.code, tables, std::span(description.lines).first(s_.width));
    for (size_t c = 0; c < s_.width; ++c)
        description.lines[s_.width + c] = totals[c] - description.lines[c];
    return description;
}

/// Searches and divides a node, and opens its children.
void Rows::Grower::grow_coded_node(CodedOpen coded, Nursery &nursery, size_t thread, int64_t rows_of_a_task) {
    Worker &worker = workers_[thread];
    const int64_t won = search_coded(coded, nursery, worker);
    worker.kept.clear();
    worker.children.clear();
    if (won != none) {
        const auto at = static_cast<size_t>(coded.open.node), w = static_cast<size_t>(won);
        const auto column = static_cast<size_t>(worker.column[w]);
        const CodedCut cut = worker.cut[w];
        const Description described =
            describe_coded(column, cut, nursery.nodes[at], coded.tables, totals_of(nursery, coded.open.node));
        take_split(nursery, coded.open.node, column, worker.found[w], described);
        worker.summaries.weight = described.weights;
        worker.summaries.classes = described.lines;
        worker.summaries.pure.resize(2);
        for (size_t b = 0; b < 2; ++b) {
            const auto line = std::span(described.lines).subspan(b * s_.width, s_.width);
            worker.summaries.pure[b] = *std::max_element(line.begin(), line.end()) == described.weights[b];
        }
        const int64_t rows[] = {cut.rows, coded.open.segment.size - cut.rows};
        nursery.nodes[at].first_child = std::ssize(nursery.nodes);
        Open parent = coded.open;
        ++parent.depth;
        add_children(parent, nursery, worker.summaries, rows, 0, 2, worker.children, worker.kept);
        if (!worker.children.empty()) {
            const auto begin = static_cast<size_t>(coded.open.segment.start);
            codes_.divide(begin, begin + static_cast<size_t>(coded.open.segment.size), column, cut.code,
                          worker.coded);
            open_coded(coded, cut.rows, worker, rows_of_a_task);
        }
    }
    if (!coded.tables.empty())
        worker.spare.push_back(std::move(coded.tables));
}

/// Opens the children that are kept: those of up to so many rows for a task of their own. The larger child
/// takes over the tables, less the rows of the smaller one.
void Rows::Grower::open_coded(CodedOpen &parent, int64_t left_rows, Worker &worker, int64_t rows_of_a_task) {
    const Segment all = parent.open.segment;
    std::array<CodedOpen, 2> child;
    std::array<bool, 2> needs_tables{};
    child[0].open.segment = {all.start, left_rows};
    child[1].open.segment = {all.start + left_rows, all.size - left_rows};
    for (size_t b = 0, k = 0; b < 2; ++b) {
        const Segment segment = child[b].open.segment;
        if (worker.kept[b])
            child[b].open = worker.children[k++];
        child[b].open.segment = segment;
        needs_tables[b] = worker.kept[b] && segment.size > rows_of_a_task && !is_tiny(segment.size);
    }
    const size_t larger = child[1].open.segment.size > child[0].open.segment.size, smaller = 1 - larger;
    const Segment few = child[smaller].open.segment;
    const auto begin = static_cast<size_t>(few.start), end = begin + static_cast<size_t>(few.size);
    if (needs_tables[smaller]) {
        CodedTables &tables = child[smaller].tables;
        if (!worker.spare.empty()) {
            tables = std::move(worker.spare.back());
            worker.spare.pop_back();
        }
        tables.assign(parent.tables.size(), 0);
        codes_.count(begin, end, tables);
        if (needs_tables[larger])
            std::transform(parent.tables.begin(), parent.tables.end(), tables.begin(), parent.tables.begin(),
                           std::minus<>());
    } else if (needs_tables[larger]) {
        codes_.discount(begin, end, parent.tables);
    }
    if (needs_tables[larger])
        child[larger].tables = std::move(parent.tables);
    for (const size_t b : {larger, smaller}) // the smaller one is next, so that few tables wait
        if (worker.kept[b] && child[b].open.segment.size <= rows_of_a_task)
            small_.push_back(child[b].open);
        else if (worker.kept[b])
            worker.coded_open.push_back(std::move(child[b]));
}

// --- tiny nodes ------------------------------------------------------------------------------------------

/// Whether `TinyRows` knows what is asked for.
bool Rows::Grower::is_for_tiny() const {
    const bool known = std::none_of(s_.ordered.begin(), s_.ordered.end(),
                                    [](const State::Ordered &feature) { return feature.has_missing; });
    const bool measured = rule_.measure == Measure::gini || rule_.measure == Measure::entropy ||
                          rule_.measure == Measure::squared_error;
    return known && measured && s_.nominal.empty() && s_.weights.empty() &&
           s_.width <= TinyRows::most_classes;
}

/// Grows all that lies below a node of at most 64 rows.
void Rows::Grower::grow_tiny(const Open &root, size_t thread) {
    Worker &worker = workers_[thread];
    const auto start = static_cast<size_t>(root.segment.start), size = static_cast<size_t>(root.segment.size);
    const auto class_of = [&](size_t i) {
        return coded_ ? codes_.class_of(start + i) : s_.classes[start + i];
    };
    if (s_.has_classes())
        worker.tiny.take_classes(n_columns(), size, class_of);
    else
        worker.tiny.take_numbers(n_columns(), std::span(s_.numbers).subspan(start, size));
    for (size_t j = 0; j < n_columns(); ++j)
        if (coded_)
            worker.tiny.take_codes(j, [&](size_t i) { return codes_.code(start + i, j); });
        else if (s_.is_wide)
            worker.tiny.take_column(j, s_.ordered[j].wide.data() + start, s_.wide_packing);
        else
            worker.tiny.take_column(j, s_.ordered[j].narrow.data() + start, s_.narrow_packing);
    worker.tiny_open.assign(1, {root, {~uint64_t{0} >> (TinyRows::most_rows - size), 0, size}});
    while (!worker.tiny_open.empty()) {
        const TinyOpen next = worker.tiny_open.back();
        worker.tiny_open.pop_back();
        grow_tiny_node(next, root.segment.start, thread);
    }
}

/// The least number of rows of unit weight on both sides of a cut.
int64_t Rows::Grower::least_rows() const {
    const double weight = std::max(rule_.min_weight, rule_.min_cases) * (1.0 - rule_.slack);
    return std::max({int64_t{1}, rule_.min_rows, rows_of(weight)});
}

/// The winner among the splits that are found in a tiny node, or none.
int64_t Rows::Grower::search_tiny(const TinyOpen &tiny, Worker &worker, Nursery &nursery) {
    const auto at = static_cast<size_t>(tiny.open.node);
    Node &node = nursery.nodes[at];
    const auto least = static_cast<size_t>(std::min(least_rows(), static_cast<int64_t>(TinyRows::most_rows)));
    if (s_.has_classes())
        worker.tiny.set_counts(std::span(nursery.classes).subspan(at * s_.width, s_.width));
    else
        worker.tiny.set_numbers(tiny.rows, node.centre, node.scale);
    worker.found.clear();
    worker.column.clear();
    double best = -HUGE_VAL;
    for (size_t j = 0; j < n_columns(); ++j) {
        const TinyCut cut = worker.tiny.best(j, tiny.rows, rule_, s_.whole, least, band_of(node), best);
        if (!(cut.gain > best))
            continue;
        best = cut.gain;
        Found &found = worker.found.emplace_back();
        found.gain = cut.gain;
        found.index = static_cast<int64_t>(cut.index);
        found.kind = SplitKind::threshold;
        worker.column.push_back(static_cast<int64_t>(j));
    }
    return choose(node, worker.found, worker.found.size(), 1, node.reason);
}

/// Summarises the two branches of a tiny node.
void Rows::Grower::summarise_tiny(const TinyNode &node, uint64_t left, std::span<const double> totals,
                                  Worker &worker, State::Scratch &memory) {
    Summaries &summaries = worker.summaries;
    worker.division.nodes.assign(1, {});
    worker.division.first_branch.assign({0, 2});
    s_.make_room(worker.division, summaries);
    const uint64_t sides[] = {left, node.rows & ~left};
    if (s_.has_classes()) {
        double *const lines = summaries.classes.data();
        for (uint64_t rows = left; rows; rows &= rows - 1)
            lines[worker.tiny.class_of(static_cast<size_t>(std::countr_zero(rows)))] += 1.0;
        for (size_t c = 0; c < s_.width; ++c)
            lines[s_.width + c] = totals[c] - lines[c];
    }
    for (size_t b = 0; b < 2; ++b) {
        const auto rows = static_cast<size_t>(std::popcount(sides[b]));
        worker.division.branch_rows[b] = static_cast<int64_t>(rows);
        summaries.weight[b] = static_cast<double>(rows);
        if (s_.has_classes()) {
            const auto line = std::span(summaries.classes).subspan(b * s_.width, s_.width);
            summaries.pure[b] = *std::max_element(line.begin(), line.end()) == summaries.weight[b];
            continue;
        }
        memory.numbers.resize(std::max(memory.numbers.size(), TinyRows::most_rows));
        worker.tiny.numbers_of(sides[b], memory.numbers.data());
        const Centred found = centred(s_.about, std::span(memory.numbers).first(rows), {}, memory.set);
        summaries.pure[b] = found.pure;
        summaries.value[b] = found.value;
        summaries.impurity[b] = found.impurity;
        summaries.centre[b] = found.centre;
        summaries.scale[b] = found.scale;
    }
}

/// Searches and divides a tiny node, whose rows begin at `start`, and opens its children.
void Rows::Grower::grow_tiny_node(const TinyOpen &tiny, int64_t start, size_t thread) {
    Worker &worker = workers_[thread];
    Nursery &nursery = nurseries_[thread];
    const int64_t won = search_tiny(tiny, worker, nursery);
    if (won == none)
        return;
    const Found &found = worker.found[static_cast<size_t>(won)];
    const auto column = static_cast<size_t>(worker.column[static_cast<size_t>(won)]),
               index = static_cast<size_t>(found.index), size = tiny.rows.size;
    const auto position = [&](size_t i) {
        return static_cast<size_t>(start) + worker.tiny.row_at(column, tiny.rows.begin + i);
    };
    Description described;
    if (coded_) {
        described.low = codes_.high(column, codes_.code(position(index - 1), column));
        described.high = codes_.low(column, codes_.code(position(index), column));
    } else {
        const State::Ordered &feature = s_.ordered[column];
        const auto value_at = [&](size_t i) { return s_.value(feature.feature, s_.original[position(i)]); };
        described.low = feature.bins.high_of(value_at(index - 1));
        described.high = feature.bins.low_of(value_at(index));
    }
    const double weights[] = {static_cast<double>(index), static_cast<double>(size - index)};
    take_split(nursery, tiny.open.node, column, found, described.threshold(), weights, {});
    const uint64_t left = worker.tiny.rows_before(column, tiny.rows, index);
    const auto at = static_cast<size_t>(tiny.open.node);
    summarise_tiny(tiny.rows, left, totals_of(nursery, tiny.open.node), worker, s_.scratch[thread]);
    nursery.nodes[at].first_child = std::ssize(nursery.nodes);
    worker.kept.clear();
    worker.children.clear();
    Open parent = tiny.open;
    ++parent.depth;
    add_children(parent, nursery, worker.summaries, worker.division.branch_rows, 0, 2, worker.children,
                 worker.kept);
    if (worker.children.empty())
        return;
    worker.tiny.divide(tiny.rows, left);
    const TinyNode sides[] = {{left, tiny.rows.begin, index},
                              {tiny.rows.rows & ~left, tiny.rows.begin + index, size - index}};
    for (size_t b = 0, child = 0; b < 2; ++b)
        if (worker.kept[b])
            worker.tiny_open.push_back({worker.children[child++], sides[b]});
}

// --- the tree --------------------------------------------------------------------------------------------

void Rows::Grower::write(GrownTree &tree, const Nursery &nursery, const Node &node) const {
    tree.rows.push_back(node.rows);
    tree.weight.push_back(node.weight);
    tree.reason.push_back(static_cast<uint8_t>(node.reason));
    if (s_.has_classes()) {
        const auto at = static_cast<size_t>(&node - nursery.nodes.data());
        const auto line = std::span(nursery.classes).subspan(at * s_.width, s_.width);
        tree.classes.insert(tree.classes.end(), line.begin(), line.end());
        return;
    }
    tree.value.push_back(node.value);
    tree.impurity.push_back(node.impurity);
    tree.centre.push_back(node.centre);
    tree.scale.push_back(node.scale);
}

void Rows::Grower::write_split(GrownTree &tree, const Nursery &nursery, const Split &split) const {
    tree.column.push_back(split.column);
    tree.kind.push_back(static_cast<uint8_t>(split.kind));
    tree.exact.push_back(split.exact);
    tree.gain.push_back(split.gain);
    tree.threshold.push_back(split.threshold);
    tree.missing_branch.push_back(split.missing_branch);
    const auto weight = nursery.branch_weight.begin() + split.branches;
    tree.branch_weight.insert(tree.branch_weight.end(), weight, weight + split.n_branches);
    tree.branch_start.push_back(std::ssize(tree.branch_weight));
    const auto branch = nursery.category_branch.begin() + split.categories;
    tree.category_branch.insert(tree.category_branch.end(), branch, branch + split.n_categories);
    tree.category_start.push_back(std::ssize(tree.category_branch));
}

/// Brings what was found to the order of (column, node).
void Rows::Grower::write_record(GrownTree &tree, std::span<const std::pair<size_t, int64_t>> searched) {
    for (size_t j = 0; j < n_columns(); ++j)
        for (const auto &[nursery, record] : searched) {
            tree.found.push_back(nurseries_[nursery].found[static_cast<size_t>(record)][j]);
            tree.descriptions.push_back(
                std::move(nurseries_[nursery].descriptions[static_cast<size_t>(record)][j]));
        }
}

/// Collects the nodes level by level.
GrownTree Rows::Grower::in_order() {
    struct Next {
        size_t nursery;
        int64_t node, parent;
    };
    GrownTree tree;
    tree.branch_start = tree.category_start = {0};
    tree.recorded = records();
    std::vector<Next> level{{workers_.size(), 0, none}}, below;
    std::vector<std::pair<size_t, int64_t>> searched;
    int64_t n_children = 1; // nodes that have their number already
    while (!level.empty()) {
        below.clear();
        for (Next next : level) {
            const Node *node = &nurseries_[next.nursery].nodes[static_cast<size_t>(next.node)];
            if (node->moved_node != none) {
                next.nursery = static_cast<size_t>(node->moved_nursery);
                node = &nurseries_[next.nursery].nodes[static_cast<size_t>(node->moved_node)];
            }
            const Nursery &nursery = nurseries_[next.nursery];
            const int64_t number = std::ssize(tree.rows);
            tree.parent.push_back(next.parent);
            write(tree, nursery, *node);
            if (node->record != none) {
                searched.emplace_back(next.nursery, node->record);
                tree.searched.push_back(number);
            }
            if (node->split == none)
                continue;
            const Split &split = nursery.splits[static_cast<size_t>(node->split)];
            write_split(tree, nursery, split);
            tree.first_child.push_back(n_children);
            n_children += split.n_branches;
            for (int32_t b = 0; b < split.n_branches; ++b)
                below.push_back({next.nursery, node->first_child + b, number});
        }
        level.swap(below);
    }
    if (tree.recorded)
        write_record(tree, searched);
    return tree;
}

GrownTree Rows::Grower::grow() {
    plant();
    coded_ = take_codes();
    if (!coded_)
        s_.sort_features();
    tiny_ = is_for_tiny();
    if (coded_)
        grow_coded();
    while (!level_.empty())
        grow_level();
    std::stable_sort(small_.begin(), small_.end(),
                     [](const Open &a, const Open &b) { return a.segment.size > b.segment.size; });
    int64_t rows = 0;
    for (const Open &open : small_)
        rows += open.segment.size;
    s_.share(small_.size(), rows * static_cast<int64_t>(n_columns()), [&](size_t i, size_t thread) {
        coded_ ? grow_coded_below(small_[i], thread) : grow_below(small_[i], thread);
    });
    return in_order();
}

GrownTree Rows::grow(const Rule &rule, const Growth &growth) {
    return Grower(*this, rule, growth).grow();
}

} // namespace deciduous
