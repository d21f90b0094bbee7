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

/// A node that waits, with its entries; or a leaf, with its class weights alone.
struct Open {
    int32_t node;
    std::vector<Entry> entries;
    std::vector<double> classes;
};

/// The classes of rows, if leaves are to be weighed.
struct Classes {
    std::span<const int32_t> codes;
    std::size_t n = 0;
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
    if (!is_question(kind))
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
    Divider(const Rearranged &tree, bool anew, std::span<const Column> cells, const Classes &weighed)
        : from(tree), by_known(anew), columns(cells), classes(weighed) {}

    /// A node without entries yet, in memory that was used before.
    Open opened(int32_t node) {
        Open open{node, {}, {}};
        if (classes.n && from.tree.first_child[static_cast<std::size_t>(node)] < 0) {
            open.classes.assign(classes.n, 0.0);
        } else if (!spare.empty()) {
            open.entries.swap(spare.back());
            spare.pop_back();
            open.entries.clear();
        }
        return open;
    }

    void add(Open &open, const Entry &entry) const {
        if (open.classes.empty())
            open.entries.push_back(entry);
        else
            open.classes[static_cast<std::size_t>(classes.codes[static_cast<std::size_t>(entry.row)])] +=
                entry.weight;
    }

    void let_go(Open &open) {
        if (open.entries.capacity() > 0)
            spare.push_back(std::move(open.entries));
    }

    /// Appends the children of a node, the last one first, so that the first one is taken off first.
    void divide(const Open &node, std::vector<Open> &open) {
        const Question question = question_of(from, node.node, columns);
        ask(question, node);
        share_out(question);
        const std::size_t below = open.size();
        for (std::size_t branch = question.n_branches; branch-- > 0;)
            open.push_back(opened(question.first_child + static_cast<int32_t>(branch)));
        send(node, open.data() + below, question.n_branches);
    }

private:
    /// Finds the branch of every entry, and weighs those of each.
    void ask(const Question &question, const Open &node) {
        sums.assign(question.n_branches, 0.0);
        branches.resize(node.entries.size());
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const Entry &entry = node.entries[i];
            const int32_t branch = branch_of(question.test, question.threshold, question.branch_of_code,
                                             question.n_codes, *question.column, entry.row);
            branches[i] = branch;
            if (branch < 0)
                continue;
            const auto at = static_cast<std::size_t>(branch);
            if (at >= question.n_branches)
                refuse(node.node, "an answer leads to a branch that is not there");
            sums[at] += entry.weight;
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
                add(last[n - 1 - static_cast<std::size_t>(branches[i])], entry);
                continue;
            }
            for (std::size_t branch = 0; branch < n; ++branch)
                if (shares[branch] > 0)
                    add(last[n - 1 - branch], {entry.row, shares[branch] * entry.weight});
        }
    }

    const Rearranged &from;
    bool by_known;
    std::span<const Column> columns;
    Classes classes;
    std::vector<int32_t> branches;
    std::vector<double> sums, shares;
    std::vector<std::vector<Entry>> spare;
};

/// Sends all entries down from a node, and shows every node as it is met; a leaf has its entries, or classes.
template <typename Show>
void walk(int32_t start, Divider &divider, const Rearranged &rearranged, int64_t n_rows,
          const Arriving &arriving, const Show &show) {
    const auto &first_child = rearranged.tree.first_child;
    if (start < 0 || static_cast<std::size_t>(start) >= first_child.size())
        refuse(start, "it is not there");
    std::vector<Open> open;
    open.push_back(divider.opened(start));
    for (std::size_t i = 0; i < arriving.rows.size(); ++i) {
        if (arriving.rows[i] < 0 || arriving.rows[i] >= n_rows)
            throw std::invalid_argument("row " + std::to_string(arriving.rows[i]) + " is not there");
        divider.add(open[0], {arriving.rows[i], arriving.weights[i]});
    }
    while (!open.empty()) {
        Open node = std::move(open.back());
        open.pop_back();
        const bool is_leaf = first_child[static_cast<std::size_t>(node.node)] < 0;
        show(node, is_leaf);
        if (!is_leaf)
            divider.divide(node, open);
        divider.let_go(node);
    }
}

} // namespace

Redistributed redistribute(int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, int64_t n_rows, const Arriving &arriving) {
    Redistributed sent;
    Divider divider(rearranged, by_known, columns, {});
    walk(start, divider, rearranged, n_rows, arriving, [&](const Open &node, bool is_leaf) {
        sent.nodes.push_back(node.node);
        sent.counts.push_back(static_cast<int64_t>(node.entries.size()));
        if (!is_leaf)
            return;
        for (const Entry &entry : node.entries) {
            sent.rows.push_back(entry.row);
            sent.weights.push_back(entry.weight);
        }
    });
    return sent;
}

WeighedLeaves weigh_leaves(int32_t start, bool by_known, const Rearranged &rearranged,
                           std::span<const Column> columns, std::span<const int32_t> codes, int32_t n_classes,
                           const Arriving &arriving) {
    if (n_classes < 1)
        throw std::invalid_argument("n_classes must be 1 or more");
    for (const int64_t row : arriving.rows)
        if (row >= 0 && row < static_cast<int64_t>(codes.size()))
            if (const int32_t code = codes[static_cast<std::size_t>(row)]; code < 0 || code >= n_classes)
                throw std::invalid_argument("class " + std::to_string(code) + " is not there");
    WeighedLeaves weighed;
    Divider divider(rearranged, by_known, columns, {codes, static_cast<std::size_t>(n_classes)});
    const auto n_rows = static_cast<int64_t>(codes.size());
    walk(start, divider, rearranged, n_rows, arriving, [&](const Open &node, bool is_leaf) {
        if (!is_leaf)
            return;
        weighed.leaves.push_back(node.node);
        weighed.class_weights.insert(weighed.class_weights.end(), node.classes.begin(), node.classes.end());
    });
    return weighed;
}

} // namespace deciduous
