#include "route.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;

// What a step answers instead of a child: the row ends here, or its weight is shared out.
constexpr int32_t stop = -1;
constexpr int32_t spread = -2;

/// One node, packed for the walk so that a step touches one cache line.
struct Step {
    union {
        double threshold;
        const int32_t *branch_of_code;
    };
    int32_t n_codes;
    int32_t first_child;
    int32_t feature;
    int32_t on_missing; // the child of missing cells, or stop, or spread
    int32_t on_unseen;
    Test test;
    bool leaf;
};

int32_t child_of_missing(const Tree &tree, std::size_t node) {
    int32_t answer = stop;
    for (int32_t branch = 0; branch < tree.n_branches[node]; ++branch) {
        const int32_t child = tree.first_child[node] + branch;
        const double share = tree.share[static_cast<std::size_t>(child)];
        if (!(share > 0.0))
            continue;
        if (answer != stop || share != 1.0)
            return spread;
        answer = child;
    }
    return answer;
}

Step split_step(const Tree &tree, std::size_t node, bool unseen_as_missing, std::span<const Column> columns) {
    Step step{};
    const auto kind = static_cast<SplitKind>(tree.kind[node]);
    step.feature = tree.feature[node];
    step.test = test_of(kind, columns[static_cast<std::size_t>(step.feature)].type);
    step.first_child = tree.first_child[node];
    step.on_missing = child_of_missing(tree, node);
    step.on_unseen = unseen_as_missing ? step.on_missing : stop;
    if (step.test == Test::category) {
        const int64_t start = tree.category_start[node];
        step.branch_of_code = tree.category_branch.data() + start;
        step.n_codes = static_cast<int32_t>(tree.category_start[node + 1] - start);
    } else {
        step.threshold = tree.threshold[node];
    }
    if (step.test == Test::code_missing && !unseen_as_missing)
        step.on_unseen = step.first_child; // an unseen category is known not to be missing
    return step;
}

/// A leaf asks any column of numbers, as most splits do, and leads to itself whatever the answer: whether a
/// row is in a leaf yet would be a branch that the processor could not predict.
Step leaf_step(std::span<const Column> columns) {
    Step step{};
    step.leaf = true;
    step.threshold = std::numeric_limits<double>::infinity();
    const auto numbers = std::find_if(columns.begin(), columns.end(),
                                      [](const Column &column) { return column.type == CellType::number; });
    if (numbers != columns.end()) {
        step.test = Test::number;
        step.feature = static_cast<int32_t>(numbers - columns.begin());
    }
    return step;
}

std::vector<Step> pack(const Tree &tree, bool unseen_as_missing, std::span<const Column> columns) {
    std::vector<Step> steps(tree.first_child.size(), leaf_step(columns));
    for (std::size_t node = 0; node < steps.size(); ++node)
        if (tree.first_child[node] < 0)
            steps[node].first_child = steps[node].on_missing = static_cast<int32_t>(node);
        else
            steps[node] = split_step(tree, node, unseen_as_missing, columns);
    return steps;
}

/// The child a row goes to, or stop, or spread; a leaf answers itself.
int32_t next(const Step &step, const Column *columns, int64_t row) {
    const bool by_category = step.test == Test::category;
    const int32_t branch = branch_of(step.test, step.threshold, by_category ? step.branch_of_code : nullptr,
                                     step.n_codes, columns[step.feature], row);
    if (branch >= 0)
        return step.first_child + branch;
    return branch == missing_cell ? step.on_missing : step.on_unseen;
}

/// Where undivided rows end: in a node that stops them, or one that must share out their weight.
struct Ends {
    std::vector<int32_t> nodes;
    bool all_stop = true;
};

/// Rows go down in blocks, a level at a time: their steps are independent, so the processor overlaps them.
Ends walk(std::span<const Step> steps, const Column *columns, int64_t n_rows) {
    constexpr int64_t block = 256;
    Ends ends{.nodes = std::vector<int32_t>(static_cast<std::size_t>(n_rows))};
    std::array<int64_t, block> walking;
    for (int64_t first = 0; first < n_rows; first += block) {
        std::size_t n_walking = static_cast<std::size_t>(std::min(block, n_rows - first));
        std::iota(walking.begin(), walking.end(), first);
        while (n_walking > 0) {
            std::size_t n_kept = 0;
            for (std::size_t i = 0; i < n_walking; ++i) {
                const int64_t row = walking[i];
                int32_t &node = ends.nodes[static_cast<std::size_t>(row)];
                const Step &step = steps[static_cast<std::size_t>(node)];
                const int32_t child = next(step, columns, row);
                if (child < 0) [[unlikely]] {
                    ends.all_stop &= child == stop;
                    continue;
                }
                node = child;
                walking[n_kept] = row;
                n_kept += !step.leaf;
            }
            n_walking = n_kept;
        }
    }
    return ends;
}

struct Part {
    int32_t node;
    double weight;
};

/// Follows one row from `node`, sharing out its weight; leaves its parts in `landed` in order of node.
void spread_row(const Tree &tree, std::span<const Step> steps, const Column *columns, int64_t row,
                int32_t node, std::vector<Part> &open, std::vector<Part> &landed) {
    landed.clear();
    open.assign(1, {node, 1.0});
    while (!open.empty()) {
        const Part part = open.back();
        open.pop_back();
        const auto at = static_cast<std::size_t>(part.node);
        const int32_t child = next(steps[at], columns, row);
        if (child == stop || child == part.node) {
            landed.push_back(part);
        } else if (child != spread) {
            open.push_back({child, part.weight});
        } else {
            for (int32_t branch = 0; branch < tree.n_branches[at]; ++branch) {
                const int32_t to = steps[at].first_child + branch;
                const double share = tree.share[static_cast<std::size_t>(to)];
                if (share > 0.0)
                    open.push_back({to, part.weight * share});
            }
        }
    }
    std::sort(landed.begin(), landed.end(), [](const Part &a, const Part &b) { return a.node < b.node; });
}

/// The entries of rows of which some must still be spread from where the walk left them.
Entries spread_all(const Tree &tree, std::span<const Step> steps, const Column *columns,
                   std::span<const int32_t> nodes) {
    Entries entries;
    std::vector<Part> open, landed; // outside the loop to keep their memory
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto row = static_cast<int64_t>(i);
        spread_row(tree, steps, columns, row, nodes[i], open, landed);
        for (const Part &part : landed) {
            entries.rows.push_back(row);
            entries.nodes.push_back(part.node);
            entries.weights.push_back(part.weight);
        }
    }
    return entries;
}

[[noreturn]] void refuse(std::size_t node, const std::string &why) {
    throw std::invalid_argument("node " + std::to_string(node) + ": " + why);
}

void check_children(const Tree &tree, std::size_t node, std::vector<bool> &has_parent) {
    const int64_t first = tree.first_child[node], end = first + tree.n_branches[node];
    const auto n_nodes = static_cast<int64_t>(has_parent.size());
    if (first <= static_cast<int64_t>(node) || end <= first || end > n_nodes)
        refuse(node, "its children are " + std::to_string(first) + " .. " + std::to_string(end - 1) +
                         "; they must come after it and before " + std::to_string(n_nodes));
    for (auto child = static_cast<std::size_t>(first); child < static_cast<std::size_t>(end); ++child) {
        if (has_parent[child])
            refuse(node, "its child " + std::to_string(child) + " already has another parent");
        has_parent[child] = true;
    }
}

void check_categories(const Tree &tree, std::size_t node) {
    const auto start = static_cast<std::size_t>(tree.category_start[node]);
    const auto end = static_cast<std::size_t>(tree.category_start[node + 1]);
    if (end - start > std::numeric_limits<int32_t>::max())
        refuse(node, "it has more categories than codes can tell apart");
    for (const int32_t branch : tree.category_branch.subspan(start, end - start))
        if (branch < -1 || branch >= tree.n_branches[node])
            refuse(node, "a category goes to branch " + std::to_string(branch) + "; allowed are -1 .. " +
                             std::to_string(tree.n_branches[node] - 1));
}

void check_split(const Tree &tree, std::size_t node, std::span<const Column> columns) {
    const auto kind = static_cast<SplitKind>(tree.kind[node]);
    const int32_t feature = tree.feature[node];
    if (kind == SplitKind::leaf || kind > SplitKind::missing)
        refuse(node,
               "it has children but its kind is " + std::to_string(tree.kind[node]) + "; allowed are 1 .. 5");
    if (feature < 0 || static_cast<std::size_t>(feature) >= columns.size())
        refuse(node, "it splits feature " + std::to_string(feature) + " of " +
                         std::to_string(columns.size()) + " columns");
    const CellType cells = columns[static_cast<std::size_t>(feature)].type;
    if (cells == CellType::absent)
        refuse(node, "it splits feature " + std::to_string(feature) + ", whose column is None");
    if (kind == SplitKind::threshold && tree.n_branches[node] < 2)
        refuse(node, "a threshold needs two branches, not one");
    if (test_of(kind, cells) != Test::category)
        return;
    if (cells != CellType::code)
        refuse(node, "it splits categories but the column of feature " + std::to_string(feature) +
                         " holds numbers; it must hold int32 codes");
    check_categories(tree, node);
}

} // namespace

void check(const Tree &tree, std::span<const Column> columns) {
    const std::size_t n_nodes = tree.first_child.size();
    if (n_nodes == 0)
        throw std::invalid_argument("a tree has at least one node, its root");
    const auto &starts = tree.category_start;
    if (starts.front() < 0 || static_cast<std::size_t>(starts.back()) > tree.category_branch.size() ||
        !std::is_sorted(starts.begin(), starts.end()))
        throw std::invalid_argument("category_start must rise from 0 or more to at most the length of "
                                    "category_branch");
    std::vector<bool> has_parent(n_nodes);
    for (std::size_t node = 0; node < n_nodes; ++node)
        if (tree.first_child[node] >= 0) {
            check_children(tree, node, has_parent);
            check_split(tree, node, columns);
        }
}

Entries route(const Tree &tree, bool unseen_as_missing, std::span<const Column> columns, int64_t n_rows) {
    const std::vector<Step> steps = pack(tree, unseen_as_missing, columns);
    Ends ends = walk(steps, columns.data(), n_rows);
    if (!ends.all_stop)
        return spread_all(tree, steps, columns.data(), ends.nodes);
    Entries entries;
    entries.nodes = std::move(ends.nodes);
    entries.rows.resize(entries.nodes.size());
    std::iota(entries.rows.begin(), entries.rows.end(), int64_t{0});
    entries.weights.assign(entries.nodes.size(), 1.0);
    return entries;
}

} // namespace deciduous
