// Surrogates for splits: the scan of the other columns, and where rows go.
#include "surrogate_sums.hpp"

#include <algorithm>
#include <array>
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

/// Of rows that all weigh 1: left and right are counted as one difference, block by block. A row changes it
/// by 1 at most, so that few blocks can hold the most or the least.
class Differences {
public:
    Differences(std::span<const OrderedRow> rows, const Cuts &cuts, const std::int8_t *side)
        : rows_(rows), cuts_(cuts), side_(side), begins_{0} {
        for (size_t begin = 0; begin < rows.size(); begin += block_rows) {
            int difference = 0, sided = 0;
            for (size_t i = begin; i < end_of(begin); ++i) {
                const int s = side[rows[i].row()];
                difference += s;
                sided += s & 1;
            }
            begins_.push_back(begins_.back() + difference);
            n_sided_ += sided;
        }
    }

    double on_left() const { return static_cast<double>((n_sided_ + begins_.back()) / 2); }
    double on_right() const { return static_cast<double>((n_sided_ - begins_.back()) / 2); }

    struct Extreme {
        int64_t difference = INT64_MIN; // times the sign; so it remains if there is no cut
        size_t at = 0;
    };

    /// The first cut of the greatest difference, or with the sign -1 of the least one.
    Extreme most(int64_t sign) const {
        int64_t bar = INT64_MIN;
        for (size_t b = 0; b + 1 < begins_.size(); ++b)
            if (is_cut(end_of(b * block_rows) - 1))
                bar = std::max(bar, sign * begins_[b + 1]);
        Extreme found;
        for (size_t b = 0; b + 1 < begins_.size(); ++b) {
            int64_t difference = sign * begins_[b];
            if (difference + static_cast<int64_t>(block_rows) < bar)
                continue;
            for (size_t i = b * block_rows; i < end_of(b * block_rows); ++i) {
                difference += sign * side_[rows_[i].row()];
                if (difference > found.difference && is_cut(i))
                    found = {difference, i};
            }
            bar = std::max(bar, found.difference);
        }
        return found;
    }

private:
    static constexpr size_t block_rows = 64;

    size_t end_of(size_t begin) const { return std::min(begin + block_rows, rows_.size()); }
    bool is_cut(size_t i) const { return i >= cuts_.first && i < cuts_.end && rows_[i + 1].starts(); }

    std::span<const OrderedRow> rows_;
    const Cuts &cuts_;
    const std::int8_t *side_;
    std::vector<int64_t> begins_; // the difference before each block, then that of all rows
    int64_t n_sided_ = 0;
};

std::optional<BestCut> best_of_counts(std::span<const OrderedRow> rows, const Cuts &cuts,
                                      const std::int8_t *side, double &left, double &right) {
    const Differences differences(rows, cuts, side);
    left = differences.on_left();
    right = differences.on_right();
    const auto most = differences.most(1), least = differences.most(-1);
    if (most.difference == INT64_MIN)
        return {};
    const double low_right = left + static_cast<double>(least.difference),
                 low_left = right + static_cast<double>(most.difference);
    if (std::max(low_right, low_left) <= std::max(left, right))
        return {};
    if (low_right > low_left || (low_right == low_left && least.at <= most.at))
        return BestCut{low_right, least.at, 1};
    return BestCut{low_left, most.at, 0};
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

/// Finds the branch of every row by the primary split; returns the rows that it knows.
std::vector<uint32_t> SurrogateRows::place(const SurrogateNode &node, const TwoWay &question) {
    const Feature &feature =
        table_->features[static_cast<size_t>(table_->place[static_cast<size_t>(question.feature)])];
    std::vector<uint32_t> known(node.size + 1); // the last one is written over
    size_t n = 0;
    const auto place_by = [&](auto branch_of) {
        for (const uint32_t row : rows_of(node.start, node.size)) {
            const int32_t branch = branch_of(row);
            branch_[row] = static_cast<std::int8_t>(std::max(branch, -1));
            side_[row] = 0;
            known[n] = row;
            n += branch >= 0;
        }
    };
    if (question.kind == SplitKind::threshold)
        place_by([&](uint32_t row) { return branch_of_number(feature.numbers[row], question.threshold); });
    else
        place_by([&](uint32_t row) { return branch_of_code(feature.code(row), question.category_branch); });
    known.resize(n);
    return known;
}

/// The sums of the two branches, as far as their means need them.
std::vector<double> SurrogateRows::sums_of_branches(std::span<const uint32_t> known) const {
    const SurrogateTable &table = *table_;
    std::vector<double> sums(2 * line());
    if (counts()) {
        std::array<uint32_t, 4> rows{};
        for (const uint32_t row : known)
            ++rows[static_cast<size_t>(2 * branch_[row] + table.is_second[row])];
        sums.assign(rows.begin(), rows.end());
    } else if (table.has_classes()) {
        for (const uint32_t row : known)
            sums[static_cast<size_t>(branch_[row]) * line() + static_cast<size_t>(table.classes[row])] +=
                table.weight[row];
    } else {
        const double mean = mean_target(table, rater_, known);
        std::array<double, 4> of_branches{}; // their weights, then their sums
        for (const uint32_t row : known) {
            const double w = table.unit_weight ? 1.0 : table.weight[row], y = w * (table.numbers[row] - mean);
            const bool second = branch_[row] == 1;
            of_branches[0] += second ? 0.0 : w;
            of_branches[1] += second ? w : 0.0;
            of_branches[2] += second ? 0.0 : y;
            of_branches[3] += second ? y : 0.0;
        }
        for (size_t b = 0; b < 2; ++b) {
            sums[b * line()] = of_branches[b];
            sums[b * line() + 1] = of_branches[2 + b];
        }
    }
    return sums;
}

/// Finds the side of every row by the primary split, which branch is left, and which is heavier.
void SurrogateRows::ask(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found) {
    const std::vector<uint32_t> known = place(node, question);
    const std::vector<double> sums = sums_of_branches(known);
    found.left = rater_.mean_of(sums.data() + line()) < rater_.mean_of(sums.data());
    double weight[2] = {0.0, 0.0};
    for (const uint32_t row : known) {
        const bool second = branch_[row] == 1;
        const double w = table_->unit_row_weight ? 1.0 : table_->row_weight[row];
        weight[0] += second ? 0.0 : w;
        weight[1] += second ? w : 0.0;
        side_[row] = second == (found.left == 1) ? 1 : -1;
    }
    found.weight[0] = weight[found.left];
    found.weight[1] = weight[1 - found.left];
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
    // Two tables in turn: a count need not wait for the one before, if that is of the same cell.
    std::vector<uint32_t> rows(3 * (n + 1)), odd(rows.size());
    std::vector<double> weights(table_->unit_row_weight ? 0 : rows.size());
    const auto own = rows_of(node.start, node.size);
    feature.with_codes([&](const auto *codes) {
        const auto cell = [&](uint32_t row) {
            return size_t{3} * codes[row] + static_cast<size_t>(1 + side_[row]);
        };
        for (size_t i = 0; i + 1 < own.size(); i += 2) {
            ++rows[cell(own[i])];
            ++odd[cell(own[i + 1])];
        }
        if (own.size() % 2)
            ++rows[cell(own.back())];
        if (!weights.empty())
            for (const uint32_t row : own)
                weights[cell(row)] += table_->row_weight[row];
    });
    for (size_t c = 0; c < rows.size(); ++c)
        rows[c] += odd[c];
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
