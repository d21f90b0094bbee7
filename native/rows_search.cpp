// The searching half of Rows: the best split of every column in every node of a batch.
#include "rows_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

/// Works out the numbers of the nodes as they are scanned, and their moments.
void Rows::State::centre(const Batch &batch) {
    if (has_classes())
        return;
    moments.assign(batch.nodes.size() * width, 0.0);
    const auto runs = runs_of(batch.nodes);
    share(runs.size(), n_rows_of(batch.nodes), [&](size_t run, size_t) {
        for (size_t k = runs[run].first; k < runs[run].second; ++k) {
            double *const sums = moments.data() + k * width;
            for (int64_t i = batch.nodes[k].start; i < batch.nodes[k].start + batch.nodes[k].size; ++i) {
                const auto at = static_cast<size_t>(i);
                const double d = (numbers[at] - batch.centre[k]) / batch.scale[k],
                             w = weights.empty() ? 1.0 : weights[at];
                deviation[at] = d;
                sums[0] += w;
                sums[1] += w * d; // the centre is a rounded mean: this is nearly 0, and its digits count
                sums[2] += w * d * d;
            }
        }
    });
}

/// Calls `visit` with the threshold search of one feature in one node.
template <typename R, typename Visit>
void Rows::State::search(Ordered &feature, const Batch &batch, size_t node, const Rule &rule, Scratch &memory,
                         Visit visit) {
    const Segment &segment = batch.nodes[node];
    const std::span<const R> records(feature.template records<R>().data() + segment.start,
                                     static_cast<size_t>(segment.size));
    const uint32_t *const rows = original.data() + segment.start;
    size_t n_known = records.size();
    if (feature.has_missing) {
        const auto known = [&](const R &record) {
            return !is_missing(feature.feature, rows[packing<R>().row(record)]);
        };
        n_known = static_cast<size_t>(std::partition_point(records.begin(), records.end(), known) -
                                      records.begin());
    }
    const std::span<const double> totals = has_classes() ? batch.classes : std::span<const double>(moments);
    const NodeTarget target{totals.subspan(node * width, width), batch.weight[node], batch.band[node],
                            weights.empty() ? nullptr : weights.data() + segment.start,
                            has_classes() ? nullptr : deviation.data() + segment.start};
    ThresholdSearch<R> found(records.first(n_known), records.subspan(n_known), packing<R>(), target, rule,
                             whole, memory.search);
    visit(found, records);
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
    BestCut cut{found.gain, found.information, found.index, Place::none};
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
    return found;
}

} // namespace

template <typename R>
Description Rows::State::describe_cut(ThresholdSearch<R> &search, std::span<const R> records,
                                      const Ordered &feature, const Segment &node, const BestCut &cut,
                                      bool tables) const {
    Description description;
    const CutSides sides = search.describe(cut);
    if (cut.place != Place::none)
        description.weights = {sides.left, sides.right};
    if (cut.place == Place::own_branch)
        description.weights.push_back(sides.own);
    if (cut.place != Place::none && cut.place != Place::known_or_not) {
        const auto index = static_cast<size_t>(cut.index);
        const auto cell = [&](size_t k) {
            const auto row = static_cast<size_t>(packing<R>().row(records[k]));
            return value(feature.feature, original[static_cast<size_t>(node.start) + row]);
        };
        description.low = feature.bins.high_of(cell(index - 1));
        description.high = feature.bins.low_of(cell(index));
    }
    if (tables) {
        const Tally tally = search.tally();
        description.tried = tally.tried;
        description.values = tally.values;
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
    const bool looks_up = rule.measure == Measure::entropy && weights.empty();
    return memory.categories.best(memory.lines.table(), rule, rule.nominal, batch.band[node],
                                  looks_up ? &whole : nullptr);
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
                 split.exact};
        if (description)
            *description = describe_categories(feature, split, memory.lines, tables);
        return;
    }
    Ordered &feature = ordered[asked[column].at];
    search_any(feature, batch, node, rule, memory, [&](auto &search, auto records) {
        const BestCut cut = found.kind == SplitKind::leaf ? search.best() : as_cut(found);
        found = as_found(cut);
        if (description)
            *description = describe_cut(search, records, feature, batch.nodes[node], cut, tables);
    });
}

// --- batches ---------------------------------------------------------------------------------------------

std::vector<Found> Rows::best_splits(const Batch &batch, const Rule &rule, bool tables) {
    State &s = *state_;
    s.centre(batch);
    const bool looks_up = rule.measure == Measure::entropy && s.weights.empty();
    if (looks_up && s.whole.n_log_n.size() <= static_cast<size_t>(s.n))
        s.whole = WholeNumbers(static_cast<size_t>(s.n));
    const size_t n_columns = s.asked.size();
    std::vector<Found> found(batch.nodes.size() * n_columns);
    s.described.clear();
    s.described.resize(tables ? found.size() : 0);
    const auto runs = runs_of(batch.nodes);
    const auto work = [&](size_t task, size_t thread) {
        const size_t column = task / runs.size();
        for (size_t k = runs[task % runs.size()].first; k < runs[task % runs.size()].second; ++k) {
            const size_t at = k * n_columns + column;
            s.find(batch, k, column, rule, s.scratch[thread], found[at], tables ? &s.described[at] : nullptr,
                   true);
        }
    };
    s.share(runs.size() * n_columns, n_rows_of(batch.nodes) * static_cast<int64_t>(n_columns), work);
    return found;
}

std::vector<Description> Rows::describe(const Batch &batch, const Rule &rule,
                                        std::span<const std::pair<size_t, size_t>> chosen,
                                        std::span<const Found> found) {
    State &s = *state_;
    std::vector<Description> descriptions(chosen.size());
    int64_t cells = 0;
    for (const auto &[node, column] : chosen)
        cells += batch.nodes[node].size;
    s.share(chosen.size(), cells, [&](size_t i, size_t thread) {
        const auto [node, column] = chosen[i];
        Found known = found[node * s.asked.size() + column];
        if (s.described.empty())
            s.find(batch, node, column, rule, s.scratch[thread], known, &descriptions[i], false);
        else
            descriptions[i] = s.described[node * s.asked.size() + column];
    });
    return descriptions;
}

std::vector<Description> Rows::take_descriptions() {
    return std::exchange(state_->described, {});
}

} // namespace deciduous
