// Surrogates for splits: the scan of the other columns, and where rows go.
#include "surrogate_rows.hpp"

#include <algorithm>
#include <utility>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

constexpr double least_adjusted = 1e-10;
constexpr int64_t least_rows = 2, least_wrong = 2;

double middle_of(double low, double high) {
    return std::isfinite(low + high) ? (low + high) / 2 : low / 2 + high / 2;
}

} // namespace

std::vector<SurrogatesOfNode> SurrogateRows::surrogates(std::span<const SurrogateNode> nodes,
                                                        std::span<const TwoWay> questions, const Ask &asked) {
    std::vector<SurrogatesOfNode> found(nodes.size());
    share_out(
        nodes.size(), n_threads_, [&](size_t i, size_t) { ask(nodes[i], questions[i], found[i]); }, poll_);
    const size_t n = features_.size();
    std::vector<SurrogateSplit> every(asked.most > 0 ? nodes.size() * n : 0);
    share_out(
        every.size(), n_threads_,
        [&](size_t task, size_t) {
            const SurrogateNode &node = nodes[task / n];
            const Feature &feature = features_[task % n];
            if (feature.column == questions[task / n].feature)
                return;
            const auto [left, right] = found[task / n].weight;
            every[task] = surrogate(feature, node, left, right, asked.style);
        },
        poll_);
    share_out(
        nodes.size(), n_threads_,
        [&](size_t i, size_t) {
            std::vector<SurrogateSplit> several;
            for (size_t f = 0; f < n && !every.empty(); ++f)
                if (every[i * n + f].kind != SplitKind::leaf)
                    several.push_back(std::move(every[i * n + f]));
            std::stable_sort(several.begin(), several.end(),
                             [](const auto &a, const auto &b) { return a.agreement > b.agreement; });
            several.resize(std::min(several.size(), asked.most));
            if (found[i].left == 1)
                for (SurrogateSplit &split : several) { // from left and right to branches
                    split.below = static_cast<std::int8_t>(1 - split.below);
                    for (int32_t &branch : split.category_branch)
                        branch = branch < 0 ? branch : 1 - branch;
                }
            found[i].several = std::move(several);
            send(nodes[i], found[i], asked.use);
        },
        poll_);
    return found;
}

/// Finds the side of every row by the primary split, which branch is left, and which is heavier.
void SurrogateRows::ask(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found) {
    const Feature &feature = features_[static_cast<size_t>(place_[static_cast<size_t>(question.feature)])];
    std::vector<uint32_t> known;
    for (const uint32_t row : std::span(base_).subspan(node.start, node.size)) {
        int32_t branch;
        if (question.kind == SplitKind::threshold)
            branch = branch_of_number(feature.numbers[row], question.threshold);
        else
            branch = feature.codes[row] < 0
                         ? -1
                         : question.category_branch[static_cast<size_t>(feature.codes[row])];
        side_[row] = branch_[row] = static_cast<std::int8_t>(branch < 0 ? -1 : branch);
        if (branch >= 0)
            known.push_back(row);
    }
    const double mean = mean_target(known);
    std::vector<double> sums(2 * width());
    for (const uint32_t row : known)
        add(sums.data() + static_cast<size_t>(branch_[row]) * width(), row, mean);
    found.left = mean_of(sums.data() + width()) < mean_of(sums.data());
    double weight[2] = {0.0, 0.0};
    for (const uint32_t row : known)
        weight[branch_[row]] += row_weight_[row];
    found.weight[0] = weight[found.left];
    found.weight[1] = weight[1 - found.left];
    if (found.left == 1)
        for (const uint32_t row : known)
            side_[row] = static_cast<std::int8_t>(1 - side_[row]);
    found.blind = weight[0] == weight[1] ? -1 : weight[1] > weight[0];
}

SurrogateSplit SurrogateRows::surrogate(const Feature &feature, const SurrogateNode &node, double left,
                                        double right, int style) const {
    double both_left = 0.0, both_right = 0.0;
    SurrogateSplit found = feature.n_categories > 0
                               ? by_category(feature, node, both_left, both_right, !(left > right))
                               : by_threshold(feature, node, both_left, both_right);
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

SurrogateSplit SurrogateRows::by_threshold(const Feature &feature, const SurrogateNode &node, double &left,
                                           double &right) const {
    SurrogateSplit best;
    const double *x = feature.sorted.data() + node.start;
    const uint32_t *rows = feature.order.data() + node.start;
    const auto known = static_cast<size_t>(
        std::partition_point(x, x + node.size, [](double v) { return !std::isnan(v); }) - x);
    int64_t count = 0;
    for (size_t i = 0; i < known; ++i) {
        const std::int8_t side = side_[rows[i]];
        count += side >= 0;
        if (side == 0)
            left += row_weight_[rows[i]];
        else if (side == 1)
            right += row_weight_[rows[i]];
    }
    double most = std::max(left, right), left_below = 0.0, right_below = 0.0;
    int64_t below = 0;
    for (size_t i = 0; i + 1 < known; ++i) {
        const std::int8_t side = side_[rows[i]];
        below += side >= 0;
        if (side == 0)
            left_below += row_weight_[rows[i]];
        else if (side == 1)
            right_below += row_weight_[rows[i]];
        if (x[i] == x[i + 1] || below < least_rows || count - below < least_rows)
            continue;
        const double low_right = right_below + (left - left_below),
                     low_left = left_below + (right - right_below);
        for (const auto &[agreeing, to] : {std::pair{low_right, 1}, std::pair{low_left, 0}})
            if (agreeing > most) {
                most = best.agreement = agreeing;
                best.below = static_cast<std::int8_t>(to);
                best.kind = SplitKind::threshold;
                const double middle = middle_of(x[i], x[i + 1]);
                best.threshold = feature.whole ? middle : std::nextafter(middle, -HUGE_VAL);
            }
    }
    return best;
}

SurrogateSplit SurrogateRows::by_category(const Feature &feature, const SurrogateNode &node, double &left,
                                          double &right, bool right_is_heavier) const {
    const auto n = static_cast<size_t>(feature.n_categories);
    std::vector<double> weights(2 * n);
    std::vector<int64_t> counts(2 * n);
    for (const uint32_t row : std::span(base_).subspan(node.start, node.size)) {
        if (side_[row] < 0 || feature.codes[row] < 0)
            continue;
        const size_t at = static_cast<size_t>(side_[row]) * n + static_cast<size_t>(feature.codes[row]);
        weights[at] += row_weight_[row];
        ++counts[at];
    }
    SurrogateSplit found;
    int64_t wrong = 0;
    bool to_left = false, to_right = false;
    found.category_branch.assign(n, -1);
    for (size_t c = 0; c < n; ++c) {
        left += weights[c];
        right += weights[n + c];
        if (counts[c] + counts[n + c] == 0)
            continue;
        const bool goes_right = weights[c] == weights[n + c] ? right_is_heavier : weights[c] < weights[n + c];
        found.category_branch[c] = goes_right;
        found.agreement += weights[goes_right ? n + c : c];
        wrong += counts[goes_right ? c : n + c];
        (goes_right ? to_right : to_left) = true;
    }
    if (wrong >= least_wrong && to_left && to_right)
        found.kind = SplitKind::subset;
    return found;
}

/// The branch to which a surrogate sends a row, or -1.
int32_t SurrogateRows::sent(const SurrogateSplit &split, uint32_t row) const {
    const Feature &feature = features_[static_cast<size_t>(place_[static_cast<size_t>(split.feature)])];
    if (split.kind == SplitKind::threshold) {
        const int32_t above = branch_of_number(feature.numbers[row], split.threshold);
        return above < 0 ? -1 : above ^ split.below;
    }
    return feature.codes[row] < 0 ? -1 : split.category_branch[static_cast<size_t>(feature.codes[row])];
}

/// Decides where the rows go that the primary split does not know, and counts those that each surrogate
/// sends.
void SurrogateRows::send(const SurrogateNode &node, SurrogatesOfNode &found, int use) {
    if (use == 0)
        return;
    for (const uint32_t row : std::span(base_).subspan(node.start, node.size)) {
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
