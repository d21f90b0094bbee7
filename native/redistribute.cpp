#include "redistribute.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;

struct Entry {
    int64_t row;
    double weight;
};

struct Open {
    int32_t node;
    std::vector<Entry> entries;
};

[[noreturn]] void refuse(int32_t node, const char *why) {
    throw std::invalid_argument("node " + std::to_string(node) + ": " + why);
}

/// The question of one node, and where its answers lead.
struct Question {
    Test test;
    double threshold;
    const int32_t *branch_of_code;
    int32_t n_codes;
    const Column *column;
    int32_t first_child;
    std::size_t n_branches;
};

Question question_of(const Rearranged &from, int32_t node, std::span<const Column> columns) {
    const Tree &tree = from.tree;
    const auto at = static_cast<std::size_t>(node);
    const int32_t first = tree.first_child[at], n = tree.n_branches[at], stored = from.question[at];
    if (first <= node || n < 1 || first > static_cast<int64_t>(tree.first_child.size()) - n)
        refuse(node, "its children must come after it, within the tree");
    if (stored < 0 || static_cast<std::size_t>(stored) >= tree.kind.size())
        refuse(node, "its question is not there");
    const auto asked = static_cast<std::size_t>(stored);
    const auto kind = static_cast<SplitKind>(tree.kind[asked]);
    const int32_t feature = tree.feature[asked];
    if (kind == SplitKind::leaf || kind > SplitKind::missing)
        refuse(node, "it has children, but its question is of no kind");
    if (feature < 0 || static_cast<std::size_t>(feature) >= columns.size() ||
        columns[static_cast<std::size_t>(feature)].type == CellType::absent)
        refuse(node, "it asks for a column that is not there");
    const Column &column = columns[static_cast<std::size_t>(feature)];
    Question question{test_of(kind, column.type), tree.threshold[asked], nullptr, 0, &column, first,
                      static_cast<std::size_t>(n)};
    if (question.test == Test::category) {
        const int64_t start = tree.category_start[asked], end = tree.category_start[asked + 1];
        if (column.type != CellType::code || start < 0 || end < start ||
            end > static_cast<int64_t>(tree.category_branch.size()))
            refuse(node, "its categories are not there");
        question.branch_of_code = tree.category_branch.data() + start;
        question.n_codes = static_cast<int32_t>(end - start);
    }
    return question;
}

/// Divides entries among the branches of a question, in their order.
class Divider {
public:
    Divider(const Rearranged &from, bool by_known, std::span<const Column> columns)
        : from(from), by_known(by_known), columns(columns) {}

    /// Appends the children of a node, the last one first, so that the first one is taken off first.
    void divide(const Open &node, std::vector<Open> &open) {
        const Question question = question_of(from, node.node, columns);
        ask(question, node);
        share_out(question);
        const std::size_t below = open.size();
        for (std::size_t branch = question.n_branches; branch-- > 0;) {
            const bool takes_missing = shares[branch] > 0;
            open.push_back({question.first_child + static_cast<int32_t>(branch), {}});
            open.back().entries.reserve(counts[branch] + (takes_missing ? n_missing : 0));
        }
        send(node, open.data() + below, question.n_branches);
    }

private:
    /// Finds the branch of every entry, and counts and weighs those of each.
    void ask(const Question &question, const Open &node) {
        sums.assign(question.n_branches, 0.0);
        counts.assign(question.n_branches, 0);
        n_missing = 0;
        branches.resize(node.entries.size());
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const Entry &entry = node.entries[i];
            const int32_t branch = branch_of(question.test, question.threshold, question.branch_of_code,
                                             question.n_codes, *question.column, entry.row);
            branches[i] = branch;
            if (branch < 0) {
                ++n_missing;
                continue;
            }
            const auto at = static_cast<std::size_t>(branch);
            if (at >= question.n_branches)
                refuse(node.node, "an answer leads to a branch that is not there");
            sums[at] += entry.weight;
            ++counts[at];
        }
    }

    void share_out(const Question &question) {
        shares.resize(question.n_branches);
        if (!by_known) {
            const auto first = from.tree.share.begin() + question.first_child;
            std::copy_n(first, question.n_branches, shares.begin());
            return;
        }
        double total = 0.0;
        for (const double sum : sums)
            total += sum;
        for (std::size_t branch = 0; branch < shares.size(); ++branch)
            shares[branch] = total > 0 ? sums[branch] / total : 1.0 / static_cast<double>(shares.size());
    }

    /// `last`: the children, the last branch first.
    void send(const Open &node, Open *last, std::size_t n) const {
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const Entry &entry = node.entries[i];
            if (branches[i] >= 0) {
                last[n - 1 - static_cast<std::size_t>(branches[i])].entries.push_back(entry);
                continue;
            }
            for (std::size_t branch = 0; branch < n; ++branch)
                if (shares[branch] > 0)
                    last[n - 1 - branch].entries.push_back({entry.row, shares[branch] * entry.weight});
        }
    }

    const Rearranged &from;
    bool by_known;
    std::span<const Column> columns;
    std::vector<int32_t> branches;
    std::vector<double> sums, shares;
    std::vector<std::size_t> counts;
    std::size_t n_missing = 0;
};

} // namespace

Redistributed redistribute(int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, int64_t n_rows, std::span<const int64_t> rows,
                           std::span<const double> weights) {
    if (start < 0 || static_cast<std::size_t>(start) >= rearranged.tree.first_child.size())
        refuse(start, "it is not there");
    std::vector<Open> open(1);
    open[0].node = start;
    open[0].entries.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || rows[i] >= n_rows)
            throw std::invalid_argument("row " + std::to_string(rows[i]) + " is not there");
        open[0].entries.push_back({rows[i], weights[i]});
    }
    Redistributed sent;
    Divider divider(rearranged, by_known, columns);
    while (!open.empty()) {
        const Open node = std::move(open.back());
        open.pop_back();
        sent.nodes.push_back(node.node);
        sent.counts.push_back(static_cast<int64_t>(node.entries.size()));
        if (rearranged.tree.first_child[static_cast<std::size_t>(node.node)] >= 0) {
            divider.divide(node, open);
            continue;
        }
        for (const Entry &entry : node.entries) {
            sent.rows.push_back(entry.row);
            sent.weights.push_back(entry.weight);
        }
    }
    return sent;
}

} // namespace deciduous
