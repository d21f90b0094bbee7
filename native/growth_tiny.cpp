// Growing nodes of up to 64 rows.
#include "accumulators.hpp"
#include "grower.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

/// Whether `TinyRows` knows what is asked for.
bool Rows::Grower::is_for_tiny() const {
    const bool known = std::none_of(s_.ordered.begin(), s_.ordered.end(),
                                    [](const State::Ordered &feature) { return feature.has_missing; });
    const bool measured = rule_.measure == Measure::gini || rule_.measure == Measure::entropy ||
                          rule_.measure == Measure::squared_error || rule_.measure == Measure::absolute_error;
    return known && measured && !growth_.contest && growth_.training_values.empty() && s_.nominal.empty() &&
           s_.weights.empty() && s_.width <= TinyRows::most_classes;
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
    else if (s_.about == About::median)
        worker.tiny.set_numbers_in_order(tiny.rows, node.centre, node.scale);
    else
        worker.tiny.set_numbers(tiny.rows, node.centre, node.scale);
    worker.tiny.rate(tiny.rows, rule_, least, band_of(node));
    worker.found.clear();
    worker.column.clear();
    double best = -HUGE_VAL;
    const auto all_told = [&] { return tiny.rows.size == 2 && !worker.found.empty(); }; // there is one cut
    for (size_t j = 0; j < n_columns() && !all_told(); ++j) {
        if (!worker.tiny.may_win(j))
            continue;
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

} // namespace deciduous
