// One column of categories in one node: its best division, described.
#include "draw.hpp"
#include "rows_state.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;

namespace {

/// Where missing rows were counted, as a branch of the column's split: of all its categories.
int32_t column_branch(const CategorySplit &split, std::span<const int32_t> present, size_t n_categories) {
    if (split.kind != SplitKind::multiway || split.missing_branch < 0)
        return split.missing_branch;
    const auto branch = static_cast<size_t>(split.missing_branch);
    return branch < present.size() ? present[branch] : static_cast<int32_t>(n_categories);
}

} // namespace

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

/// Finds the best division of the categories of one column in one node, and describes it where that is asked.
void Rows::State::find_division(const Nominal &feature, const Batch &batch, size_t node, const Rule &rule,
                                Scratch &memory, Found &found, Description *description, bool tables) {
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
}

} // namespace deciduous
