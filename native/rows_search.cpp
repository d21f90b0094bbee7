// The searching half of Rows: the best split of every column in every node of a batch.
#include "draw.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;

/// Whether the fast scan does not know what is asked for.
static bool by_profiles(const Rule &rule, int32_t feature) {
    const bool constrained = !rule.signs.empty() && rule.signs[static_cast<size_t>(feature)] != 0;
    return rule.measure > Measure::squared_error || rule.random || constrained;
}

/// What is a column's own in a node.
template <typename R>
Terms Rows::State::terms_of(const Ordered &feature, const Batch &batch, size_t node, const Rule &rule,
                            std::span<const R> known) const {
    Terms terms;
    if (!rule.signs.empty()) {
        terms.sign = rule.signs[static_cast<size_t>(feature.feature)];
        terms.low = batch.low[node];
        terms.high = batch.high[node];
    }
    if (!rule.random || known.empty())
        return terms;
    const auto cell = [&](R record) { return value_of(feature, batch.nodes[node], record); };
    const double low = cell(known.front()), high = cell(known.back());
    if (low == high)
        return terms;
    const uint64_t key = column_key(batch.key[node], feature.feature);
    terms.threshold = drawn_threshold(low, high, key);
    terms.missing_left = coin(draw(key, OfColumn::missing_side));
    const auto left = [&](R record) { return cell(record) <= terms.threshold; };
    terms.drawn = std::partition_point(known.begin(), known.end(), left) - known.begin();
    return terms;
}

/// What the searches must know of a node.
NodeTarget Rows::State::target_of(const Batch &batch, size_t node) const {
    const int64_t start = batch.nodes[node].start;
    const auto part = [&](const auto &values) { return values.empty() ? nullptr : values.data() + start; };
    const std::span<const double> totals =
        has_classes() ? batch.classes : std::span<const double>(batch.sums->moments);
    return {totals.subspan(node * width, width),
            batch.weight[node],
            batch.band[node],
            batch.bar,
            part(weights),
            part(deviation),
            part(rough_deviation),
            part(ranks),
            part(ranks.empty() ? deviation : in_order),
            part(ranks.empty() ? weights : weights_in_order),
            about == About::median ? batch.sums->errors[node] : 0.0};
}

/// Returns records between which only values start that conventions divide: farther apart than the gap.
template <typename R>
std::span<const R> Rows::State::divisible(Ordered &feature, const Segment &node, std::span<const R> known,
                                          double gap, Scratch &memory) const {
    if (gap <= 0.0 || !feature.may_be_close)
        return known;
    auto &records = memory.template records<R>();
    records.assign(known.begin(), known.end());
    records.resize(known.size() + record_padding);
    bool any = false;
    for (size_t i = 1; i < known.size(); ++i)
        if (Packing<R>::start(known[i]) && are_close(feature, node, known[i - 1], known[i], gap)) {
            records[i] &= static_cast<R>(~(R{1} << Packing<R>::top));
            any = true;
        }
    if (blocks.current == 0 && node.size == n) // the root: no two rows of a smaller node are closer
        feature.may_be_close = any;
    return std::span<const R>(records).first(known.size());
}

/// Calls `visit` with the threshold search of one feature in one node.
template <typename R, typename Visit>
void Rows::State::search(Ordered &feature, const Batch &batch, size_t node, const Rule &rule, Scratch &memory,
                         Visit visit) {
    const Segment &segment = batch.nodes[node];
    const std::span<const R> records(feature.template records<R>().data() + segment.start,
                                     static_cast<size_t>(segment.size));
    const size_t n_known = n_known_of<R>(feature, segment);
    const NodeTarget target = target_of(batch, node);
    const auto known = records.first(n_known), missing = records.subspan(n_known);
    if (by_profiles(rule, feature.feature)) {
        const auto terms = terms_of<R>(feature, batch, node, rule, known);
        CutSearch<R> found(known, missing, packing<R>(), target, terms, rule, memory.cuts);
        visit(found, known, terms.threshold);
    } else {
        const auto cuts = divisible(feature, segment, known, rule.conventions.gap, memory);
        ThresholdSearch<R> found(cuts, missing, packing<R>(), target, rule, whole, memory.search);
        visit(found, known, Terms{}.threshold);
    }
}

// --- one column in one node ------------------------------------------------------------------------------

namespace {

BestCut as_cut(const Found &found) {
    const bool asks = found.kind == SplitKind::missing;
    const Place places[] = {Place::nowhere, Place::left, Place::right, Place::own_branch};
    BestCut cut{found.gain, found.information, found.index, Place::none, found.tried};
    if (found.kind != SplitKind::leaf)
        cut.place = asks ? Place::known_or_not : places[found.missing_branch + 1];
    return cut;
}

Found as_found(const BestCut &cut) {
    Found found;
    if (cut.place == Place::none)
        return found;
    const int32_t branches[] = {-1, -1, 0, 1, 2, 1};
    found.gain = cut.gain;
    found.information = cut.information;
    found.index = cut.index;
    found.kind = cut.place == Place::known_or_not ? SplitKind::missing : SplitKind::threshold;
    found.missing_branch = branches[static_cast<size_t>(cut.place)];
    found.tried = cut.tried;
    return found;
}

} // namespace

template <typename Search, typename R>
Description Rows::State::describe_cut(Search &search, std::span<const R> records, const Ordered &feature,
                                      const Segment &node, const BestCut &cut, double drawn,
                                      bool tables) const {
    Description description;
    const CutSides sides = search.describe(cut);
    if (cut.place != Place::none)
        description.weights = {sides.left, sides.right};
    if (cut.place == Place::own_branch)
        description.weights.push_back(sides.own);
    if (cut.place != Place::none && cut.place != Place::known_or_not) {
        const auto index = static_cast<size_t>(cut.index);
        const bool is_drawn = !std::isnan(drawn);
        const double below = value_of(feature, node, records[index - 1]),
                     above = value_of(feature, node, records[index]);
        description.low = is_drawn ? drawn : feature.bins.high_of(below);
        description.high = is_drawn ? drawn : feature.bins.low_of(above);
    }
    if (tables) {
        description.tried = search.tally();
        description.values = std::count_if(records.begin(), records.end(), Packing<R>::start);
        search.tabulate(cut, description);
    }
    return description;
}

/// What no cut of a column gains more than; infinite where only the search itself can say.
double Rows::State::bound(const Batch &batch, size_t node, size_t column, const Rule &rule, Scratch &memory) {
    double most = HUGE_VAL;
    if (asked[column].is_nominal)
        return most;
    Ordered &feature = ordered[asked[column].at];
    if (by_profiles(rule, feature.feature))
        return most;
    search_any(feature, batch, node, rule, memory, [&](auto &search, auto, double) {
        if constexpr (requires { search.bound(); })
            most = search.bound();
    });
    return most;
}

/// Finds the best split of one column in one node; with `tables`, describes it too.
void Rows::State::find(const Batch &batch, size_t node, size_t column, const Rule &rule, Scratch &memory,
                       Found &found, Description *description, bool tables) {
    if (asked[column].is_nominal) {
        find_division(nominal[asked[column].at], batch, node, rule, memory, found, description, tables);
        return;
    }
    Ordered &feature = ordered[asked[column].at];
    search_any(feature, batch, node, rule, memory, [&](auto &search, auto records, double drawn) {
        const BestCut cut = found.kind == SplitKind::leaf ? search.best() : as_cut(found);
        found = as_found(cut);
        if (description)
            *description = describe_cut(search, records, feature, batch.nodes[node], cut, drawn, tables);
    });
}

/// Looks at so many columns in the random order of a node, and on until one has a split (see
/// search/sample.py).
template <typename Look>
void Rows::State::look_in_order(uint64_t node_key, int64_t looks, Scratch &memory, Look look) const {
    auto &order = memory.looks;
    order.clear();
    for (size_t column = 0; column < asked.size(); ++column) {
        const Asked &which = asked[column];
        const int32_t feature = which.is_nominal ? nominal[which.at].feature : ordered[which.at].feature;
        order.emplace_back(draw(column_key(node_key, feature), OfColumn::order), column);
    }
    std::sort(order.begin(), order.end()); // of equal keys the first column first
    bool found = false;
    for (size_t i = 0; i < order.size() && (static_cast<int64_t>(i) < looks || !found); ++i)
        found = look(order[i].second) || found;
}

// --- batches ---------------------------------------------------------------------------------------------

void Rows::State::look_up_logarithms(const Rule &rule) {
    const bool looks_up = rule.measure == Measure::entropy && weights.empty();
    if (looks_up && whole.n_log_n.size() <= static_cast<size_t>(n))
        whole = WholeNumbers(static_cast<size_t>(n));
}

/// Brings a number that several threads raise up to a value.
static void raise(std::atomic<double> &number, double value) {
    double known = number;
    while (known < value && !number.compare_exchange_weak(known, value)) {
    }
}

std::vector<Found> Rows::best_splits(const Batch &nodes, const Rule &asked, bool tables) {
    State &s = *state_;
    Batch batch = nodes;
    Rule rule = asked;
    rule.weighs_losers = tables;
    batch.sums = &s.node_sums;
    s.sort_features();
    s.prepare(batch);
    s.look_up_logarithms(rule);
    const size_t n_columns = s.asked.size();
    std::vector<Found> found(batch.nodes.size() * n_columns);
    s.described.clear();
    Description nothing;
    nothing.missing.assign(s.width, 0.0);
    s.described.resize(tables ? found.size() : 0, nothing);
    const auto runs = runs_of(batch.nodes);
    // What the best column of each node gains so far. Which columns are spared for it is a matter of time,
    // but never one that may win.
    std::vector<std::atomic<double>> bars(batch.only_winners ? batch.nodes.size() : 0);
    for (auto &bar : bars)
        bar = -HUGE_VAL;
    const auto look = [&](size_t k, size_t column, size_t thread) {
        const size_t at = column * batch.nodes.size() + k;
        Batch of_column = batch;
        if (batch.only_winners)
            of_column.bar = bars[k];
        s.find(of_column, k, column, rule, s.scratch[thread], found[at], tables ? &s.described[at] : nullptr,
               true);
        if (batch.only_winners)
            raise(bars[k], found[at].gain);
        return found[at].kind != SplitKind::leaf;
    };
    const int64_t cells = n_rows_of(batch.nodes) * static_cast<int64_t>(n_columns);
    if (rule.looks > 0) {
        s.share(runs.size(), cells, [&](size_t run, size_t thread) {
            for (size_t k = runs[run].first; k < runs[run].second; ++k)
                s.look_in_order(batch.key[k], rule.looks, s.scratch[thread],
                                [&](size_t column) { return look(k, column, thread); });
        });
        return found;
    }
    s.share(runs.size() * n_columns, cells, [&](size_t task, size_t thread) {
        for (size_t k = runs[task % runs.size()].first; k < runs[task % runs.size()].second; ++k)
            look(k, task / runs.size(), thread);
    });
    return found;
}

std::vector<Description> Rows::describe(const Batch &nodes, const Rule &rule,
                                        std::span<const std::pair<size_t, size_t>> chosen,
                                        std::span<const Found> found) {
    State &s = *state_;
    Batch batch = nodes;
    batch.sums = &s.node_sums;
    std::vector<Description> descriptions(chosen.size());
    int64_t cells = 0;
    for (const auto &[node, column] : chosen)
        cells += batch.nodes[node].size;
    s.share(chosen.size(), cells, [&](size_t i, size_t thread) {
        const auto [node, column] = chosen[i];
        Found known = found[column * batch.nodes.size() + node];
        if (s.described.empty())
            s.find(batch, node, column, rule, s.scratch[thread], known, &descriptions[i], false);
        else
            descriptions[i] = s.described[column * batch.nodes.size() + node];
    });
    return descriptions;
}

std::vector<Description> Rows::take_descriptions() {
    return std::exchange(state_->described, {});
}

} // namespace deciduous
