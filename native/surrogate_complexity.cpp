// What splits are worth: the twin of prune/complexity.py.
#include "surrogate_growth.hpp"

#include <algorithm>

namespace deciduous {

using std::int64_t;
using std::size_t;

namespace {

/// Sets the limit of the left child, or of the right one once the left is done.
void hand_down(std::vector<GrownNode> &nodes, size_t number, int which, double alpha) {
    const GrownNode &node = nodes[number], &left = nodes[child_of(node, 0)];
    double most = node.own.rows.risk;
    if (which == 1)
        most = std::max((most - left.subtree_risk) / static_cast<double>(left.subtree_splits + 1),
                        most - left.own.rows.risk);
    nodes[child_of(node, which)].limit = std::min(most, node.limit) - alpha;
}

void make_leaf(GrownNode &node) {
    node.reason = Reason::complexity;
    node.column = node.first_child = -1;
    node.split = {};
    node.surrogates = {};
    node.found.clear();
}

} // namespace

/// Of the children, the weaker one may count as a leaf.
bool settle(std::vector<GrownNode> &nodes, size_t number, double alpha) {
    GrownNode &node = nodes[number];
    const GrownNode *const pair[] = {&nodes[child_of(node, 0)], &nodes[child_of(node, 1)]};
    double risk[] = {pair[0]->subtree_risk, pair[1]->subtree_risk};
    int64_t splits[] = {pair[0]->subtree_splits, pair[1]->subtree_splits};
    const auto per_split = [&] {
        return (node.own.rows.risk - risk[0] - risk[1]) / static_cast<double>(splits[0] + splits[1] + 1);
    };
    const int weaker = pair[1]->complexity > pair[0]->complexity ? 0 : 1;
    node.complexity = per_split();
    for (const int which : {weaker, 1 - weaker}) {
        if (node.complexity <= pair[which]->complexity)
            break;
        risk[which] = pair[which]->own.rows.risk;
        splits[which] = 0;
        node.complexity = per_split();
    }
    const bool worthy = node.complexity > alpha;
    node.subtree_risk = worthy ? risk[0] + risk[1] : node.own.rows.risk;
    node.subtree_splits = worthy ? splits[0] + splits[1] + 1 : 0;
    return worthy;
}

void keep_worthy(std::vector<GrownNode> &nodes, double alpha) {
    for (GrownNode &node : nodes) {
        node.complexity = alpha;
        node.subtree_risk = node.own.rows.risk;
        node.subtree_splits = 0;
    }
    struct Step {
        size_t node;
        int done; // how many of its children are
    };
    std::vector<Step> steps{{0, 0}};
    while (!steps.empty()) {
        const auto [number, done] = steps.back();
        steps.pop_back();
        GrownNode &node = nodes[number];
        const bool searched = node.reason == Reason::split || node.reason == Reason::no_candidate;
        if (done == 0 && searched && std::min(node.own.rows.risk, node.limit) <= alpha)
            make_leaf(node);
        if (node.first_child < 0)
            continue;
        if (done == 2) {
            if (!settle(nodes, number, alpha))
                make_leaf(node);
            continue;
        }
        hand_down(nodes, number, done, alpha);
        steps.push_back({number, done + 1});
        steps.push_back({child_of(node, done), 0});
    }
}

} // namespace deciduous
