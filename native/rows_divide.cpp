// Which branch each row of a node takes, and what the branches come to.
#include "rows_state.hpp"

#include <algorithm>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

/// Cells of a node lie far apart in memory: they are asked for this many rows early.
constexpr int64_t cells_ahead = 16;

/// Works out the branch of every row of a node with the routine of the walk down a tree.
void Rows::State::branches_of(const Segment &node, const Question &question) {
    if (question.index >= 0) {
        is_wide ? branches_by_order<uint64_t>(node, question) : branches_by_order<uint32_t>(node, question);
        return;
    }
    const Column &column = columns[static_cast<size_t>(question.feature)];
    const Test test = test_of(question.kind, column.type);
    const std::span<const int32_t> codes = question.branch_of_code;
    const auto ask = [&](const Column &cells, int64_t row) {
        const int32_t answer =
            branch_of(test, question.threshold, codes.data(), static_cast<int32_t>(codes.size()), cells, row);
        return answer < 0 ? question.missing_branch : answer;
    };
    const int64_t end = node.start + node.size;
    const auto of_question = [&](const Nominal &feature) { return feature.feature == question.feature; };
    const auto kept = std::find_if(nominal.begin(), nominal.end(), of_question);
    if (kept != nominal.end()) { // its codes lie by position
        const Column by_position{column.type, kept->codes.data(), 1};
        for (int64_t i = node.start; i < end; ++i)
            branch[static_cast<size_t>(i)] = ask(by_position, i);
        return;
    }
    for (int64_t i = node.start; i < end; ++i) {
        if (i + cells_ahead < end)
            column.prefetch(original[static_cast<size_t>(i + cells_ahead)]);
        branch[static_cast<size_t>(i)] = ask(column, original[static_cast<size_t>(i)]);
    }
}

/// The records of a node whose cell is known: they come first.
template <typename R>
size_t Rows::State::n_known_of(Ordered &feature, const Segment &node) {
    if (!feature.has_missing)
        return static_cast<size_t>(node.size);
    const R *const records = feature.template records<R>().data() + node.start;
    const auto known = [&](const R &record) {
        const auto row = static_cast<size_t>(node.start) + packing<R>().row(record);
        return !is_missing(feature.feature, original[row]);
    };
    return static_cast<size_t>(std::partition_point(records, records + node.size, known) - records);
}
template size_t Rows::State::n_known_of<uint32_t>(Ordered &, const Segment &);
template size_t Rows::State::n_known_of<uint64_t>(Ordered &, const Segment &);

/// The branches of a threshold that was just found, from the sorted records that it lies between: no cell is
/// read. The threshold tells the two neighbouring values apart (`Description::threshold`), so that the walk
/// down the tree finds the same branches.
template <typename R>
void Rows::State::branches_by_order(const Segment &node, const Question &question) {
    const auto of_question = [&](const Ordered &feature) { return feature.feature == question.feature; };
    Ordered &feature = *std::find_if(ordered.begin(), ordered.end(), of_question);
    const R *const records = feature.template records<R>().data() + node.start;
    int32_t *const branches = branch.data() + node.start;
    const auto known = static_cast<int64_t>(n_known_of<R>(feature, node));
    for (int64_t i = 0; i < known; ++i)
        branches[packing<R>().row(records[i])] = i >= question.index;
    for (int64_t i = known; i < node.size; ++i)
        branches[packing<R>().row(records[i])] = question.missing_branch;
}

/// Counts the rows of the branches of a divided node, gives every row its place in its branch, and summarises
/// the branches.
void Rows::State::summarise_node(Division &division, size_t node, Scratch &memory, Summaries &summaries) {
    const Segment &segment = division.nodes[node];
    const auto first = static_cast<size_t>(division.first_branch[node]),
               n_branches = static_cast<size_t>(division.first_branch[node + 1]) - first;
    const auto begin = static_cast<size_t>(segment.start), end = begin + static_cast<size_t>(segment.size);
    int64_t *const rows = division.branch_rows.data() + first;
    const uint32_t mark = n_branches == 2 ? second_branch : 0;
    for (size_t i = begin; i < end; ++i) {
        const auto b = static_cast<size_t>(branch[i]);
        place[i] = static_cast<uint32_t>(rows[b]++) | (b == 1 ? mark : 0);
    }
    if (has_classes()) {
        double *const lines = summaries.classes.data() + first * width;
        for (size_t i = begin; i < end; ++i)
            lines[static_cast<size_t>(branch[i]) * width + static_cast<size_t>(classes[i])] +=
                weights.empty() ? 1.0 : weights[i];
        for (size_t b = 0; b < n_branches; ++b)
            set_classes(first + b, summaries);
        return;
    }
    for (size_t b = 0; b < n_branches; ++b) {
        memory.numbers.clear();
        memory.weights.clear();
        for (size_t i = begin; i < end; ++i)
            if (static_cast<size_t>(branch[i]) == b) {
                memory.numbers.push_back(numbers[i]);
                if (!weights.empty())
                    memory.weights.push_back(weights[i]);
            }
        set_numbers(first + b, centred(about, memory.numbers, memory.weights, memory.set), summaries);
    }
}

/// Of class weights that are there.
void Rows::State::set_classes(size_t at, Summaries &summaries) const {
    const auto line = std::span<const double>(summaries.classes).subspan(at * width, width);
    summaries.weight[at] = std::accumulate(line.begin(), line.end(), 0.0);
    summaries.pure[at] = std::count_if(line.begin(), line.end(), [](double w) { return w > 0.0; }) <= 1;
}

void Rows::State::set_numbers(size_t at, const Centred &found, Summaries &summaries) const {
    summaries.weight[at] = found.weight;
    summaries.pure[at] = found.pure;
    summaries.value[at] = found.value;
    summaries.impurity[at] = found.impurity;
    summaries.centre[at] = found.centre;
    summaries.scale[at] = found.scale;
}

/// Makes room for what will be known of the branches.
void Rows::State::make_room(Division &division, Summaries &summaries) const {
    const auto n_branches = static_cast<size_t>(division.first_branch.back());
    division.branch_rows.assign(n_branches, 0);
    summaries.weight.resize(n_branches);
    summaries.pure.resize(n_branches);
    summaries.classes.assign(has_classes() ? n_branches * width : 0, 0.0);
    for (auto *values : {&summaries.value, &summaries.impurity, &summaries.centre, &summaries.scale})
        values->resize(has_classes() ? 0 : n_branches);
}

/// Summarises the branches of the divided nodes.
Summaries Rows::State::summarise() {
    Summaries summaries;
    make_room(divided, summaries);
    known_rows.assign(in_parts ? divided.branch_rows.size() : 0, 0);
    missing_rows.assign(in_parts ? divided.nodes.size() : 0, 0);
    const auto runs = runs_of(divided.nodes);
    share(runs.size(), n_rows_of(divided.nodes), [&](size_t run, size_t thread) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            shares.empty() ? summarise_node(divided, k, scratch[thread], summaries)
                           : summarise_parts(k, scratch[thread], summaries);
    });
    summaries.rows = divided.branch_rows;
    return summaries;
}

Summaries Rows::root() {
    State &s = *state_;
    s.divided.nodes.assign(1, {0, s.n});
    s.divided.first_branch = {0, 1};
    std::fill(s.branch.begin(), s.branch.end(), 0);
    return s.summarise();
}

Summaries Rows::divide(std::span<const Segment> nodes, std::span<const Question> questions) {
    State &s = *state_;
    s.divided.nodes.assign(nodes.begin(), nodes.end());
    auto &first_branch = s.divided.first_branch;
    first_branch.assign(1, 0);
    for (const Question &question : questions)
        first_branch.push_back(first_branch.back() + question.n_branches);
    s.shares.clear();
    for (const Question &question : questions)
        s.shares.insert(s.shares.end(), question.shares.begin(), question.shares.end());
    const auto runs = runs_of(nodes);
    s.share(runs.size(), n_rows_of(nodes), [&](size_t run, size_t) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            s.branches_of(nodes[k], questions[k]);
    });
    return s.summarise();
}

} // namespace deciduous
