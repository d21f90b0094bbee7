// Growing nodes whose columns have few values.
#include "grower.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

/// Codes the columns, if all of them have few values, and classes of whole rows are counted.
bool Rows::Grower::take_codes() {
    constexpr int64_t few_rows = 2000,
                      most_rows = int64_t{1} << 26; // codes pay; products of counts are exact
    const bool counted = s_.has_classes() && s_.weights.empty() && s_.nominal.empty() &&
                         s_.width <= TinyRows::most_classes && !growth_.contest &&
                         growth_.training_values.empty() &&
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
        s_.n_threads > 1 ? std::max(small_rows, s_.n / (4 * static_cast<int64_t>(s_.n_threads))) : s_.n;
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
    drop_record_in_vain(nurseries_[thread]);
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
    codes_.rate(coded.tables, totals, rule_, least_rows(), band_of(node), worker.coded);
    double best = -HUGE_VAL;
    for (size_t j = 0; j < n_columns(); ++j) {
        if (!recording && !worker.coded.may_win(j))
            continue;
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

} // namespace deciduous
