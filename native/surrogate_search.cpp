// Surrogates for splits: the scan of the other columns for what sends rows as the primary split does.
#include "surrogate_agreement.hpp"
#include "surrogate_packs.hpp"

#include <algorithm>
#include <optional>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

constexpr double least_adjusted = 1e-10;
constexpr int64_t least_wrong = 2;

/// What agrees by categories: the weights and rows of a field by branch, four a line; the first line is that
/// of missing cells. `both`: the weights of the rows that know both cells, left and right.
void agree(std::span<const uint32_t> rows, std::span<const double> weights, size_t left,
           bool right_is_heavier, double *both, SurrogateSplit &found) {
    int64_t wrong = 0;
    bool to_left = false, to_right = false;
    found.category_branch.assign(rows.size() / 4 - 1, -1);
    for (size_t c = 0; c < found.category_branch.size(); ++c) {
        const size_t on_left = 4 * (c + 1) + 1 + left, on_right = 4 * (c + 1) + 2 - left;
        both[0] += weights[on_left];
        both[1] += weights[on_right];
        if (rows[on_left] + rows[on_right] == 0)
            continue;
        const bool goes_right =
            weights[on_left] == weights[on_right] ? right_is_heavier : weights[on_left] < weights[on_right];
        found.category_branch[c] = goes_right;
        found.agreement += weights[goes_right ? on_right : on_left];
        wrong += rows[goes_right ? on_left : on_right];
        (goes_right ? to_right : to_left) = true;
    }
    if (wrong >= least_wrong && to_left && to_right)
        found.kind = SplitKind::subset;
}

/// From the agreeing weight to the shares, which must be more than that of the majority. `weight`: of the
/// rows whose agreement counts, left and right.
void share(const double *weight, SurrogateSplit &found) {
    if (found.kind == SplitKind::leaf)
        return;
    const double total = weight[0] + weight[1], majority = std::max(weight[0], weight[1]) / total;
    found.agreement = found.agreement / total;
    found.adjusted = majority < 1 ? (found.agreement - majority) / (1 - majority) : 0.0;
    if (!(found.adjusted > least_adjusted))
        found.kind = SplitKind::leaf;
}

/// From left and right to branches.
void exchange(SurrogateSplit &split) {
    split.below = static_cast<std::int8_t>(1 - split.below);
    for (int32_t &branch : split.category_branch)
        branch = branch < 0 ? branch : 1 - branch;
}

} // namespace

std::vector<SurrogatesOfNode> SurrogateRows::surrogates(std::span<const SurrogateNode> nodes,
                                                        std::span<const TwoWay> questions, const Ask &ask,
                                                        const SurrogateCrew &crew) {
    std::vector<SurrogatesOfNode> found(nodes.size());
    const size_t n = n_asked();
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    crew.each(nodes.size(), n_rows * n,
              [&](size_t i, SurrogateMemory &memory) { place(nodes[i], questions[i], found[i], memory); });
    std::vector<SurrogateSplit> every(ask.most > 0 ? nodes.size() * n : 0);
    if (ask.most > 0)
        crew.each(nodes.size() * parts_.size(), n_rows * n, [&](size_t task, SurrogateMemory &memory) {
            const size_t i = task / parts_.size();
            look(parts_[task % parts_.size()], nodes[i], questions[i], found[i], ask.style,
                 every.data() + i * n, memory);
        });
    crew.each(nodes.size(), n_rows * n, [&](size_t i, SurrogateMemory &) {
        const std::span own(every);
        choose(nodes[i], ask.most > 0 ? own.subspan(i * n, n) : own, ask, found[i]);
    });
    return found;
}

/// Looks for surrogates among the columns of a part, but for that of the primary split.
void SurrogateRows::look(const Part &part, const SurrogateNode &node, const TwoWay &question,
                         const SurrogatesOfNode &of_node, int style, SurrogateSplit *found,
                         SurrogateMemory &memory) const {
    const auto take = [&](size_t f, auto search) {
        if (table_->features[f].column == question.feature)
            return;
        double both[2] = {0.0, 0.0};
        found[f].feature = table_->features[f].column;
        search(both, found[f]);
        share(style == 1 ? both : of_node.weight, found[f]);
    };
    if (part.pack == no_pack) {
        for (const size_t f : part.features)
            take(f, [&](double *both, SurrogateSplit &split) {
                const int64_t known = question.found == nullptr ? -1 : question.found[f].known;
                by_threshold(ordered(f, node, known), both, split, memory);
            });
        return;
    }
    const PackLines lines(*table_, part.pack);
    const PackRows rows{table_->packs[part.pack], lines, cells_of(part.pack, node), target_, node.start};
    rows.count_branches(branch_.data(), memory.counts, memory.sums);
    for (size_t k = 0; k < part.features.size(); ++k)
        take(part.features[k], [&](double *both, SurrogateSplit &split) {
            const size_t first = 4 * lines.first[k],
                         n = 4 * (static_cast<size_t>(table_->features[part.features[k]].n_categories) + 1);
            agree(std::span(memory.counts).subspan(first, n), std::span(memory.sums).subspan(first, n),
                  static_cast<size_t>(of_node.left), !(of_node.weight[0] > of_node.weight[1]), both, split);
        });
}

void SurrogateRows::by_threshold(const Ordered &column, double *both, SurrogateSplit &found,
                                 SurrogateMemory &memory) const {
    find_starts(column, memory);
    const std::optional<BestCut> best =
        best_agreement(column.known, side_.data(), target_.row_weight, both, memory);
    if (!best)
        return;
    found.kind = SplitKind::threshold;
    found.agreement = best->agreeing;
    found.below = best->below;
    found.threshold =
        cut_between(number_of(column, best->at), number_of(column, best->at + 1), column.feature.whole);
}

/// Keeps the best surrogates, and sends rows by them.
void SurrogateRows::choose(const SurrogateNode &node, std::span<SurrogateSplit> every, const Ask &ask,
                           SurrogatesOfNode &found) {
    std::vector<SurrogateSplit> &several = found.several;
    for (SurrogateSplit &split : every)
        if (split.kind != SplitKind::leaf)
            several.push_back(std::move(split));
    std::stable_sort(several.begin(), several.end(),
                     [](const auto &a, const auto &b) { return a.agreement > b.agreement; });
    several.resize(std::min(several.size(), ask.most));
    if (found.left == 1)
        std::for_each(several.begin(), several.end(), exchange);
    send(node, found, ask.use);
}

} // namespace deciduous
