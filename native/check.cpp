// What a tree from outside must be before rows may be sent down it.
#include "route.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;

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
    if (!is_question(kind))
        refuse(node,
               "it has children but its kind is " + std::to_string(tree.kind[node]) + "; allowed are 1 .. 6");
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

} // namespace deciduous
