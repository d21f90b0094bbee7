// Surrogates for splits: the scan of the other columns, and where rows go.
#include "surrogate_sums.hpp"

#include <algorithm>
#include <optional>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

constexpr double least_adjusted = 1e-10;
constexpr int64_t least_rows = 2, least_wrong = 2;

/// The cuts that leave enough rows of a known side below and above: behind rows first .. end-1.
struct Cuts {
    size_t first = 0, end = 0;
};

Cuts allowed_cuts(std::span<const OrderedRow> rows, const std::int8_t *side) {
    Cuts cuts{0, rows.size()};
    for (int64_t below = 0; cuts.first < rows.size(); ++cuts.first)
        if ((below += side[rows[cuts.first].row()] != 0) >= least_rows)
            break;
    for (int64_t above = 0; cuts.end > 0 && above < least_rows;)
        above += side[rows[--cuts.end].row()] != 0;
    return cuts;
}

/// The best of the cuts: at each, low cells are first sent right, then left.
struct BestCut {
    double agreeing = 0.0;
    size_t at = 0;
    std::int8_t below = 0; // where low cells go: 0 left, 1 right
};

/// Of rows that all weigh 1: left and right are counted as one difference.
std::optional<BestCut> best_of_counts(std::span<const OrderedRow> rows, const Cuts &cuts,
                                      const std::int8_t *side, double &left, double &right) {
    int64_t difference = 0, n_sided = 0, most = INT64_MIN, least = INT64_MAX;
    size_t most_at = 0, least_at = 0, i = 0;
    const auto add_until = [&](size_t end) {
        for (; i < end; ++i) {
            const int s = side[rows[i].row()];
            difference += s;
            n_sided += s & 1;
        }
    };
    add_until(std::min(cuts.first, rows.size()));
    while (i < cuts.end) {
        const size_t at = i;
        add_until(i + 1);
        if (!rows[i].starts())
            continue;
        if (difference > most) {
            most = difference;
            most_at = at;
        }
        if (difference < least) {
            least = difference;
            least_at = at;
        }
    }
    add_until(rows.size());
    const int64_t on_left = (n_sided + difference) / 2, on_right = n_sided - on_left;
    left = static_cast<double>(on_left);
    right = static_cast<double>(on_right);
    if (most == INT64_MIN)
        return {};
    const int64_t low_right = on_left - least, low_left = on_right + most;
    if (std::max(low_right, low_left) <= std::max(on_left, on_right))
        return {};
    if (low_right > low_left || (low_right == low_left && least_at <= most_at))
        return BestCut{static_cast<double>(low_right), least_at, 1};
    return BestCut{static_cast<double>(low_left), most_at, 0};
}

std::optional<BestCut> best_of_weights(std::span<const OrderedRow> rows, const Cuts &cuts,
                                       const std::int8_t *side, const double *weight, double &left,
                                       double &right) {
    const auto add = [&](size_t i, double &on_left, double &on_right) {
        const uint32_t row = rows[i].row();
        if (side[row] != 0)
            (side[row] > 0 ? on_left : on_right) += weight[row];
    };
    for (size_t i = 0; i < rows.size(); ++i)
        add(i, left, right);
    std::optional<BestCut> best;
    double most = std::max(left, right), left_below = 0.0, right_below = 0.0;
    for (size_t i = 0; i < cuts.end; ++i) {
        add(i, left_below, right_below);
        if (i < cuts.first || !rows[i + 1].starts())
            continue;
        const double low_right = right_below + (left - left_below),
                     low_left = left_below + (right - right_below);
        for (const auto &[agreeing, to] : {std::pair{low_right, 1}, std::pair{low_left, 0}})
            if (agreeing > most) {
                most = agreeing;
                best = BestCut{agreeing, i, static_cast<std::int8_t>(to)};
            }
    }
    return best;
}

/// The branch of a category, by 1 + its code; -1 for none.
int32_t branch_of_code(uint32_t code, std::span<const int32_t> branches) {
    return code == 0 ? -1 : branches[code - 1];
}

/// From left and right to branches.
void exchange(SurrogateSplit &split) {
    split.below = static_cast<std::int8_t>(1 - split.below);
    for (int32_t &branch : split.category_branch)
        branch = branch < 0 ? branch : 1 - branch;
}

} // namespace

std::vector<SurrogatesOfNode> SurrogateRows::surrogates(std::span<const SurrogateNode> nodes,
                                                        std::span<const TwoWay> questions, const Ask &asked) {
    std::vector<SurrogatesOfNode> found(nodes.size());
    const size_t n = n_asked();
    size_t n_rows = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
        ask(nodes[i], questions[i], found[i]);
        n_rows += nodes[i].size;
    }
    std::vector<SurrogateSplit> every(asked.most > 0 ? nodes.size() * n : 0);
    share_out(
        every.size(), threads_for(n_rows),
        [&](size_t task, size_t) {
            const size_t i = task / n;
            if (table_->features[task % n].column == questions[i].feature)
                return;
            every[task] = surrogate(task % n, nodes[i], found[i].weight[0], found[i].weight[1], asked.style);
        },
        poll_);
    for (size_t i = 0; i < nodes.size(); ++i) {
        std::vector<SurrogateSplit> &several = found[i].several;
        for (size_t f = 0; f < n && !every.empty(); ++f)
            if (every[i * n + f].kind != SplitKind::leaf)
                several.push_back(std::move(every[i * n + f]));
        std::stable_sort(several.begin(), several.end(),
                         [](const auto &a, const auto &b) { return a.agreement > b.agreement; });
        several.resize(std::min(several.size(), asked.most));
        if (found[i].left == 1)
            std::for_each(several.begin(), several.end(), exchange);
        send(nodes[i], found[i], asked.use);
    }
    return found;
}

/// Finds the side of every row by the primary split, which branch is left, and which is heavier.
void SurrogateRows::ask(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found) {
    const SurrogateTable &table = *table_;
    const Feature &feature =
        table.features[static_cast<size_t>(table.place[static_cast<size_t>(question.feature)])];
    std::vector<uint32_t> known;
    known.reserve(node.size);
    for (const uint32_t row : rows_of(node.start, node.size)) {
        int32_t branch;
        if (question.kind == SplitKind::threshold)
            branch = branch_of_number(feature.numbers[row], question.threshold);
        else
            branch = branch_of_code(feature.code(row), question.category_branch);
        branch_[row] = static_cast<std::int8_t>(std::max(branch, -1));
        side_[row] = 0;
        if (branch >= 0)
            known.push_back(row);
    }
    const double mean = mean_target(table, rater_, known);
    std::vector<double> sums(2 * line());
    double weight[2] = {0.0, 0.0};
    for (const uint32_t row : known) {
        double *of_branch = sums.data() + static_cast<size_t>(branch_[row]) * line();
        if (table.has_classes())
            of_branch[table.classes[row]] += table.weight[row];
        else
            add_moments(of_branch, table, row, mean);
        weight[branch_[row]] += table.row_weight[row];
    }
    found.left = rater_.mean_of(sums.data() + line()) < rater_.mean_of(sums.data());
    found.weight[0] = weight[found.left];
    found.weight[1] = weight[1 - found.left];
    for (const uint32_t row : known)
        side_[row] = branch_[row] == found.left ? 1 : -1;
    found.blind = weight[0] == weight[1] ? -1 : weight[1] > weight[0];
}

SurrogateSplit SurrogateRows::surrogate(size_t f, const SurrogateNode &node, double left, double right,
                                        int style) const {
    const Feature &feature = table_->features[f];
    double both_left = 0.0, both_right = 0.0;
    SurrogateSplit found = feature.is_nominal()
                               ? by_category(feature, node, both_left, both_right, !(left > right))
                               : by_threshold(ordered(f, node), both_left, both_right);
    if (found.kind == SplitKind::leaf)
        return found;
    found.feature = feature.column;
    if (style == 1)
        left = both_left, right = both_right;
    const double total = left + right, majority = std::max(left, right) / total;
    found.agreement = found.agreement / total; // it was the agreeing weight
    found.adjusted = majority < 1 ? (found.agreement - majority) / (1 - majority) : 0.0;
    if (!(found.adjusted > least_adjusted))
        found.kind = SplitKind::leaf;
    return found;
}

SurrogateSplit SurrogateRows::by_threshold(const Ordered &column, double &left, double &right) const {
    SurrogateSplit found;
    const auto rows = column.known;
    const Cuts cuts = allowed_cuts(rows, side_.data());
    const std::optional<BestCut> best =
        table_->unit_row_weight
            ? best_of_counts(rows, cuts, side_.data(), left, right)
            : best_of_weights(rows, cuts, side_.data(), table_->row_weight.data(), left, right);
    if (!best)
        return found;
    found.kind = SplitKind::threshold;
    found.agreement = best->agreeing;
    found.below = best->below;
    const std::vector<double> &x = column.feature.numbers;
    found.threshold = cut_between(x[rows[best->at].row()], x[rows[best->at + 1].row()], column.feature.whole);
    return found;
}

SurrogateSplit SurrogateRows::by_category(const Feature &feature, const SurrogateNode &node, double &left,
                                          double &right, bool right_is_heavier) const {
    const auto n = static_cast<size_t>(feature.n_categories);
    // A line a category: rows on the right, not known, on the left; the first line is that of missing cells.
    std::vector<uint32_t> rows(3 * (n + 1));
    std::vector<double> weights(table_->unit_row_weight ? 0 : rows.size());
    const auto own = rows_of(node.start, node.size);
    feature.with_codes([&](const auto *codes) {
        for (const uint32_t row : own)
            ++rows[size_t{3} * codes[row] + static_cast<size_t>(1 + side_[row])];
        if (!weights.empty())
            for (const uint32_t row : own)
                weights[size_t{3} * codes[row] + static_cast<size_t>(1 + side_[row])] +=
                    table_->row_weight[row];
    });
    if (weights.empty())
        weights.assign(rows.begin(), rows.end());
    SurrogateSplit found;
    int64_t wrong = 0;
    bool to_left = false, to_right = false;
    found.category_branch.assign(n, -1);
    for (size_t c = 0; c < n; ++c) {
        const size_t on_right = 3 * (c + 1), on_left = on_right + 2;
        left += weights[on_left];
        right += weights[on_right];
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
    return found;
}

/// The branch to which a surrogate sends a row, or -1.
int32_t SurrogateRows::sent(const SurrogateSplit &split, uint32_t row) const {
    const Feature &feature =
        table_->features[static_cast<size_t>(table_->place[static_cast<size_t>(split.feature)])];
    if (split.kind == SplitKind::threshold) {
        const int32_t above = branch_of_number(feature.numbers[row], split.threshold);
        return above < 0 ? -1 : above ^ split.below;
    }
    return branch_of_code(feature.code(row), split.category_branch);
}

/// Decides where the rows go that the primary split does not know, and counts those that each surrogate
/// sends.
void SurrogateRows::send(const SurrogateNode &node, SurrogatesOfNode &found, int use) {
    if (use == 0)
        return;
    for (const uint32_t row : rows_of(node.start, node.size)) {
        if (branch_[row] >= 0)
            continue;
        int32_t branch = -1;
        for (SurrogateSplit &split : found.several) {
            branch = sent(split, row);
            if (branch >= 0) {
                ++split.rows;
                break;
            }
        }
        if (branch < 0 && use == 2)
            branch = found.blind;
        branch_[row] = static_cast<std::int8_t>(branch);
    }
}

} // namespace deciduous
