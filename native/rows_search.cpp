// The searching half of Rows: the best split of every column in every node of a batch.
#include "draw.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

/// Works out the numbers of a node as they are scanned, and their moments.
void Rows::State::centre_node(const Batch &batch, size_t k, NodeSums &into) {
    double *const moments = into.moments.data() + k * width;
    for (int64_t i = batch.nodes[k].start; i < batch.nodes[k].start + batch.nodes[k].size; ++i) {
        const auto at = static_cast<size_t>(i);
        const double d = (numbers[at] - batch.centre[k]) / batch.scale[k],
                     w = weights.empty() ? 1.0 : weights[at];
        deviation[at] = d;
        moments[0] += w;
        moments[1] += w * d; // the centre is a rounded mean: this is nearly 0, and its digits count
        moments[2] += w * d * d;
    }
    if (about != About::median) {
        const auto begin = deviation.begin() + batch.nodes[k].start;
        std::transform(begin, begin + batch.nodes[k].size, rough_deviation.begin() + batch.nodes[k].start,
                       [](double d) { return static_cast<float>(d); });
        return;
    }
    // The median is the centre, about which the numbers are scanned.
    for (int64_t i = batch.nodes[k].start; i < batch.nodes[k].start + batch.nodes[k].size; ++i) {
        const auto at = static_cast<size_t>(i);
        into.errors[k] += (weights.empty() ? 1.0 : weights[at]) * std::abs(deviation[at]);
    }
    if (in_parts)
        rank(batch.nodes[k]);
}

/// Works out what a search needs of the numbers of the nodes.
void Rows::State::prepare(const Batch &batch) {
    if (has_classes())
        return;
    node_sums.moments.assign(batch.nodes.size() * width, 0.0);
    node_sums.errors.assign(about == About::median ? batch.nodes.size() : 0, 0.0);
    const auto runs = runs_of(batch.nodes);
    share(runs.size(), n_rows_of(batch.nodes), [&](size_t run, size_t) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k)
            centre_node(batch, k, node_sums);
    });
}

/// Works out the ranks of the numbers of a node.
void Rows::State::rank(const Segment &node) {
    const auto begin = static_cast<size_t>(node.start), size = static_cast<size_t>(node.size);
    std::vector<uint32_t> rows(size);
    std::iota(rows.begin(), rows.end(), 0U);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return deviation[begin + a] < deviation[begin + b]; });
    for (size_t i = 0; i < size; ++i) {
        ranks[begin + rows[i]] = static_cast<uint32_t>(i);
        in_order[begin + i] = deviation[begin + rows[i]];
        if (!weights.empty())
            weights_in_order[begin + i] = weights[begin + rows[i]];
    }
}

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

/// Where missing rows were counted, as a branch of the column's split: of all its categories.
int32_t column_branch(const CategorySplit &split, std::span<const int32_t> present, size_t n_categories) {
    if (split.kind != SplitKind::multiway || split.missing_branch < 0)
        return split.missing_branch;
    const auto branch = static_cast<size_t>(split.missing_branch);
    return branch < present.size() ? present[branch] : static_cast<int32_t>(n_categories);
}

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

CategorySplit Rows::State::search_categories(const Nominal &feature, const Batch &batch, size_t node,
                                             const Rule &rule, Scratch &memory) {
    const auto start = static_cast<size_t>(batch.nodes[node].start),
               size = static_cast<size_t>(batch.nodes[node].size);
    const auto part = [&](const auto &values) {
        return values.empty() ? std::span(values) : std::span(values).subspan(start, size);
    };
    memory.lines.count(part(std::as_const(feature.codes)),
                       static_cast<size_t>(n_categories[static_cast<size_t>(feature.feature)]), width,
                       part(std::as_const(classes)), part(std::as_const(deviation)),
                       part(std::as_const(weights)));
    Drawing drawing{memory.lines.present(), n_categories[static_cast<size_t>(feature.feature)], 0};
    if (rule.random)
        drawing.key = column_key(batch.key[node], feature.feature);
    const Drawing *const drawn = rule.random ? &drawing : nullptr;
    if (about == About::median)
        return search_absolute(part(std::as_const(feature.codes)), target_of(batch, node), rule, drawn,
                               memory);
    const bool looks_up = rule.measure == Measure::entropy && weights.empty();
    return memory.categories.best(memory.lines.table(), rule, rule.nominal, batch.band[node],
                                  looks_up ? &whole : nullptr, drawn);
}

/// Of the lines that were counted.
CategorySplit Rows::State::search_absolute(std::span<const int32_t> codes, const NodeTarget &target,
                                           const Rule &rule, const Drawing *drawing, Scratch &memory) const {
    memory.line_of_row.clear();
    for (const int32_t code : codes)
        memory.line_of_row.push_back(code < 0 ? -1 : memory.lines.line_of(code));
    return memory.absolute.best(memory.lines.table(), memory.line_of_row, target, rule, drawing);
}

/// Brings what was found among the categories of the node to those of the column.
Description Rows::State::describe_categories(const Nominal &feature, const CategorySplit &split,
                                             const CategoryLines &lines, bool tables) const {
    Description description;
    const auto all = static_cast<size_t>(n_categories[static_cast<size_t>(feature.feature)]);
    const auto present = lines.present();
    const CategoryTable table = lines.table();
    description.tried = split.tried;
    description.values = static_cast<int64_t>(present.size());
    if (split.kind == SplitKind::multiway) {
        description.weights.assign(all + split.weights.size() - present.size(), 0.0);
        for (size_t k = 0; k < split.weights.size(); ++k)
            description.weights[k < present.size() ? static_cast<size_t>(present[k]) : all] =
                split.weights[k];
        description.category_branch.resize(all);
        std::iota(description.category_branch.begin(), description.category_branch.end(), 0);
    } else if (split.kind != SplitKind::leaf) {
        description.weights.assign(split.weights.begin(), split.weights.end());
        if (!split.category_branch.empty())
            description.category_branch.assign(all, split.kind == SplitKind::one_vs_rest ? 1 : -1);
        for (size_t k = 0; k < split.category_branch.size(); ++k)
            description.category_branch[static_cast<size_t>(present[k])] = split.category_branch[k];
    }
    if (!tables)
        return description;
    description.missing.assign(table.missing.begin(), table.missing.end());
    description.missing_rows = table.missing_count;
    description.lines.assign(description.weights.size() * width, 0.0);
    const auto add = [&](size_t line, std::span<const double> sums) {
        for (size_t i = 0; i < width; ++i)
            description.lines[line * width + i] += sums[i];
    };
    const bool asks = split.kind == SplitKind::missing;
    for (size_t k = 0; k < present.size() && split.kind != SplitKind::leaf; ++k)
        add(asks ? 0 : static_cast<size_t>(description.category_branch[static_cast<size_t>(present[k])]),
            table.line(k));
    const int32_t counted = column_branch(split, present, all);
    if (counted >= 0)
        add(static_cast<size_t>(counted), table.missing);
    return description;
}

/// Writes (weight, median, mean absolute deviation) in place of sums, of the node last searched.
void Rows::State::tabulate_medians(int32_t counted, Description &description, Scratch &memory) const {
    auto &branch_of_line = memory.branch_of_line;
    branch_of_line.clear();
    for (const int32_t code : memory.lines.present())
        branch_of_line.push_back(
            description.category_branch.empty() ? 0 : description.category_branch[static_cast<size_t>(code)]);
    branch_of_line.push_back(counted);
    memory.absolute.tabulate(branch_of_line, description.lines);
    std::fill(branch_of_line.begin(), branch_of_line.end(), -1);
    branch_of_line.back() = 0;
    memory.absolute.tabulate(branch_of_line, description.missing);
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
        const Nominal &feature = nominal[asked[column].at];
        const CategorySplit split = search_categories(feature, batch, node, rule, memory);
        const auto all = static_cast<size_t>(n_categories[static_cast<size_t>(feature.feature)]);
        found = {split.gain,
                 split.split_information,
                 0,
                 split.kind,
                 column_branch(split, memory.lines.present(), all),
                 split.exact,
                 split.tried};
        if (description)
            *description = describe_categories(feature, split, memory.lines, tables);
        if (description && tables && about == About::median)
            tabulate_medians(found.missing_branch, *description, memory);
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
