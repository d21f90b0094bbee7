// Growing a node and all that lies below it on one thread, column by column.
#include "grower.hpp"

#include <algorithm>
#include <iterator>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

/// Puts the columns in the order in which they are searched, with what they may gain: at best those first
/// that spare the others their search.
void Rows::Grower::rank_columns(const Batch &batch, bool by_gain_alone, size_t thread) {
    auto &ranked = workers_[thread].ranked;
    ranked.clear();
    for (size_t j = 0; j < n_columns(); ++j)
        ranked.emplace_back(
            by_gain_alone ? rows_in(thread).bound(batch, 0, j, rule_, s_.scratch[thread]) : HUGE_VAL, j);
    if (by_gain_alone)
        std::stable_sort(ranked.begin(), ranked.end(),
                         [](const auto &a, const auto &b) { return a.first > b.first; });
}

/// Searches all columns of one node.
void Rows::Grower::search(const Open &open, size_t thread) {
    Worker &worker = workers_[thread];
    State &s = rows_in(thread);
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
    if (!s.has_classes()) {
        worker.sums.moments.assign(s_.width, 0.0);
        worker.sums.errors.assign(1, 0.0);
        s.centre_node(batch, 0, worker.sums);
    }
    const bool recording = records();
    Rule rule = rule_;
    rule.weighs_losers = recording;
    worker.found.assign(n_columns(), {});
    if (recording) {
        Description nothing;
        nothing.missing.assign(s_.width, 0.0);
        worker.descriptions.assign(n_columns(), nothing);
    }
    const bool by_gain_alone = !recording && !growth_.contest; // then a column that gains less cannot win
    rank_columns(batch, by_gain_alone, thread);
    for (const auto &[bound, j] : worker.ranked) {
        if (bound < batch.bar - band)
            continue;
        s.find(batch, 0, j, rule, memory, worker.found[j], recording ? &worker.descriptions[j] : nullptr,
               recording);
        if (by_gain_alone)
            batch.bar = std::max(batch.bar, worker.found[j].gain);
    }
    Reason reason = Reason::split;
    const int64_t column = choose(node, worker.found, n_columns(), 1, reason);
    nursery.nodes[at].reason = reason;
    if (column != none) {
        const auto j = static_cast<size_t>(column);
        Description described;
        if (!recording)
            s.find(batch, 0, j, rule, memory, worker.found[j], &described, false);
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
    State &s = rows_in(thread);
    State::Scratch &memory = s_.scratch[thread];
    Nursery &nursery = nurseries_[thread];
    search(open, thread);
    Node &node = nursery.nodes[static_cast<size_t>(open.node)];
    if (node.split == none)
        return;
    const Question question =
        question_of(nursery, nursery.splits[static_cast<size_t>(node.split)], worker.shares);
    Division &division = s.in_parts ? s.divided : worker.division;
    division.nodes.assign(1, open.segment);
    division.first_branch.assign({0, question.n_branches});
    if (s.in_parts) {
        s.divide_in_parts(question, memory, worker.summaries);
    } else {
        s.branches_of(open.segment, question);
        s.make_room(division, worker.summaries);
        s.summarise_node(division, 0, memory, worker.summaries);
    }
    const int64_t first_child = node.first_child = std::ssize(nursery.nodes);
    worker.kept.clear();
    worker.children.clear();
    Open parent = open;
    ++parent.depth;
    add_children(parent, nursery, worker.summaries, division.branch_rows, 0,
                 static_cast<size_t>(question.n_branches), worker.children, worker.kept);
    if (sifts(s))
        sift(s, first_child, thread);
    if (worker.children.empty())
        return;
    if (s.in_parts) {
        const std::vector<Segment> places = s.stack_parts(worker.kept, memory);
        for (size_t child = 0; child < places.size(); ++child)
            worker.children[child].segment = places[child];
    } else {
        for (size_t array = 0; array < s.n_arrays(); ++array)
            s.move_array(array, division, 0, worker.kept, memory);
        int64_t start = open.segment.start;
        for (size_t b = 0, child = 0; b < worker.kept.size(); ++b)
            if (worker.kept[b]) {
                worker.children[child++].segment = {start, division.branch_rows[b]};
                start += division.branch_rows[b];
            }
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
    above.moved_to_thread = static_cast<int32_t>(thread);
    root.node = above.first_child = std::ssize(nursery.nodes) - 1;
}

/// Grows all that lies below a node of the nursery of the large ones.
void Rows::Grower::grow_below(const Open &root, size_t thread) {
    Worker &worker = workers_[thread];
    drop_record_in_vain(nurseries_[thread]);
    worker.open.assign(1, root);
    continue_in(thread, worker.open.front());
    if (s_.in_parts) {
        if (!worker.parts)
            worker.parts = s_.without_rows();
        worker.parts->take_node(s_, root.segment);
        worker.open.front().segment.start = 0;
    }
    Watch watch(s_.poll, thread);
    while (!worker.open.empty()) {
        const Open next = worker.open.back();
        worker.open.pop_back();
        grow_node(next, thread);
        watch.look();
    }
}

} // namespace deciduous
