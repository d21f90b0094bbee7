// Bringing the nodes that the threads grew to the order of the levels.
#include "grower.hpp"

#include <iterator>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint64_t;
using std::uint8_t;

void Rows::Grower::write(GrownTree &tree, const Nursery &nursery, const Node &node) const {
    tree.rows.push_back(node.rows);
    tree.weight.push_back(node.weight);
    tree.reason.push_back(static_cast<uint8_t>(node.reason));
    if (s_.has_classes()) {
        const auto at = static_cast<size_t>(&node - nursery.nodes.data());
        const auto line = std::span(nursery.classes).subspan(at * s_.width, s_.width);
        tree.classes.insert(tree.classes.end(), line.begin(), line.end());
        return;
    }
    tree.value.push_back(node.value);
    tree.impurity.push_back(node.impurity);
    tree.centre.push_back(node.centre);
    tree.scale.push_back(node.scale);
}

/// What the split of a node gains. The ways of searching classes differ in its last bits, and which of them
/// finds a split while searches are recorded is a matter of time: where a record is thrown away, it is worked
/// out anew.
double Rows::Grower::gain_of(const Nursery &nursery, const Node &node, bool recorded) const {
    const Split &split = nursery.splits[static_cast<size_t>(node.split)];
    if (recorded || !s_.has_classes() || !(tiny_ || coded_))
        return split.gain;
    double below = 0.0;
    for (int32_t b = 0; b < split.n_branches; ++b) {
        const Node &child = nursery.nodes[static_cast<size_t>(node.first_child + b)];
        below += child.weight * child.impurity;
    }
    return node.impurity - below / node.weight;
}

void Rows::Grower::write_split(GrownTree &tree, const Nursery &nursery, const Split &split,
                               double gain) const {
    tree.column.push_back(split.column);
    tree.kind.push_back(static_cast<uint8_t>(split.kind));
    tree.exact.push_back(split.exact);
    tree.gain.push_back(gain);
    tree.threshold.push_back(split.threshold);
    tree.missing_branch.push_back(split.missing_branch);
    const auto weight = nursery.branch_weight.begin() + split.branches;
    tree.branch_weight.insert(tree.branch_weight.end(), weight, weight + split.n_branches);
    tree.branch_start.push_back(std::ssize(tree.branch_weight));
    const auto branch = nursery.category_branch.begin() + split.categories;
    tree.category_branch.insert(tree.category_branch.end(), branch, branch + split.n_categories);
    tree.category_start.push_back(std::ssize(tree.category_branch));
}

/// Brings what was found to the order of (column, node).
void Rows::Grower::write_record(GrownTree &tree, std::span<const std::pair<size_t, int64_t>> searched) {
    for (size_t j = 0; j < n_columns(); ++j)
        for (const auto &[nursery, record] : searched) {
            tree.found.push_back(nurseries_[nursery].found[static_cast<size_t>(record)][j]);
            tree.descriptions.push_back(
                std::move(nurseries_[nursery].descriptions[static_cast<size_t>(record)][j]));
        }
}

/// Makes room for all nodes at once: arrays that grow by themselves would take up to twice as much.
void Rows::Grower::make_room(GrownTree &tree) const {
    size_t n_nodes = 0, n_splits = 0;
    for (const Nursery &nursery : nurseries_) {
        n_nodes += nursery.nodes.size(); // small nodes are in two of them
        n_splits += nursery.splits.size();
    }
    reserve_large(tree.rows, n_nodes);
    reserve_large(tree.parent, n_nodes);
    reserve_large(tree.reason, n_nodes);
    reserve_large(tree.weight, n_nodes);
    reserve_large(tree.classes, s_.has_classes() ? n_nodes * s_.width : 0);
    for (auto *values : {&tree.value, &tree.impurity, &tree.centre, &tree.scale})
        reserve_large(*values, s_.has_classes() ? 0 : n_nodes);
    reserve_large(tree.first_child, n_splits);
    reserve_large(tree.column, n_splits);
    reserve_large(tree.kind, n_splits);
    reserve_large(tree.exact, n_splits);
    reserve_large(tree.gain, n_splits);
    reserve_large(tree.threshold, n_splits);
    reserve_large(tree.missing_branch, n_splits);
    reserve_large(tree.branch_weight, n_nodes);
    reserve_large(tree.branch_start, n_splits + 1);
    reserve_large(tree.category_start, n_splits + 1);
}

/// Nodes of a level lie far apart in memory: they are asked for this many nodes early.
constexpr size_t nodes_ahead = 8;

/// Collects the nodes level by level; the rows are needed no longer.
GrownTree Rows::Grower::in_order() {
    s_.release();
    codes_ = {};
    struct Next {
        size_t nursery;
        int64_t node, parent;
    };
    GrownTree tree;
    make_room(tree);
    tree.branch_start.push_back(0);
    tree.category_start.push_back(0);
    tree.recorded = records();
    std::vector<Next> level{{workers_.size(), 0, none}}, below;
    std::vector<std::pair<size_t, int64_t>> searched;
    int64_t n_children = 1; // nodes that have their number already
    while (!level.empty()) {
        below.clear();
        for (size_t i = 0; i < level.size(); ++i) {
            if (i + nodes_ahead < level.size()) {
                const Next &later = level[i + nodes_ahead];
                __builtin_prefetch(&nurseries_[later.nursery].nodes[static_cast<size_t>(later.node)]);
            }
            Next next = level[i];
            const Node *node = &nurseries_[next.nursery].nodes[static_cast<size_t>(next.node)];
            if (node->moved_to_thread >= 0) {
                next.nursery = static_cast<size_t>(node->moved_to_thread);
                node = &nurseries_[next.nursery].nodes[static_cast<size_t>(node->first_child)];
            }
            const Nursery &nursery = nurseries_[next.nursery];
            const int64_t number = std::ssize(tree.rows);
            tree.parent.push_back(next.parent);
            write(tree, nursery, *node);
            if (node->record >= 0) {
                searched.emplace_back(next.nursery, node->record);
                tree.searched.push_back(number);
            }
            if (node->split == none)
                continue;
            const Split &split = nursery.splits[static_cast<size_t>(node->split)];
            write_split(tree, nursery, split, gain_of(nursery, *node, tree.recorded));
            tree.first_child.push_back(n_children);
            n_children += split.n_branches;
            for (int32_t b = 0; b < split.n_branches; ++b)
                below.push_back({next.nursery, node->first_child + b, number});
        }
        level.swap(below);
    }
    if (tree.recorded)
        write_record(tree, searched);
    return tree;
}

} // namespace deciduous
