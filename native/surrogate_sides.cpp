// Where the rows of a node go: by the primary split, which branch is left, and by the surrogates.
#include "surrogate_bits.hpp"
#include "surrogate_sums.hpp"

#include <array>
#include <bit>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

/// The branch of a category, by 1 + its code; -1 for none.
int32_t branch_of_code(uint32_t code, std::span<const int32_t> branches) {
    return code == 0 ? -1 : branches[code - 1];
}

/// Calls work(i) for the bytes from .. to-1 that are negative; they may change.
template <typename Work>
void each_negative(const std::int8_t *bytes, size_t from, size_t to, Work work) {
    constexpr size_t several = sizeof(std::uint64_t);
    for (size_t i = from; i < to; i += several) {
        std::array<std::int8_t, several> here{};
        std::copy_n(bytes + i, std::min(several, to - i), here.begin());
        if ((std::bit_cast<std::uint64_t>(here) & 0x8080808080808080U) != 0)
            for (size_t k = 0; k < several; ++k)
                if (here[k] < 0)
                    work(i + k);
    }
}

/// Means further apart than this, in units of the extent of the target, are in this order whatever the order
/// in which they are added up.
constexpr double surely_apart = 1e-6;

} // namespace

/// Finds the branch of every row by the primary split; without branches for the processor to guess.
void SurrogateRows::ask(const SurrogateNode &node, const TwoWay &question, SurrogateMemory &memory) {
    const auto f = static_cast<size_t>(table_->place[static_cast<size_t>(question.feature)]);
    const Feature &feature = table_->features[f];
    std::int8_t *const branch = branch_.data();
    if (question.kind == SplitKind::threshold && question.found != nullptr) {
        const FirstSplit &found = question.found[f];
        const Ordered column = ordered(f, node, found.known); // its order tells it without its cells
        const auto below = static_cast<size_t>(found.below);
        const auto send_all = [&](std::span<const OrderedRow> rows, std::int8_t to) {
            for (const OrderedRow at : rows)
                branch[at.row()] = to;
        };
        send_all(column.known.first(below), 0);
        send_all(column.known.subspan(below), 1);
        send_all(column.missing, -1);
    } else if (question.kind == SplitKind::threshold) {
        for (size_t i = node.start; i < node.start + node.size; ++i) {
            const double x = feature.number(row_[i]);
            branch[i] = static_cast<std::int8_t>(int{x > question.threshold} - int{std::isnan(x)});
        }
    } else {
        memory.sides.assign(1, -1); // of the missing cells, then of each category
        for (const int32_t b : question.category_branch)
            memory.sides.push_back(static_cast<std::int8_t>(std::max(b, -1)));
        const std::int8_t *const of_code = memory.sides.data();
        const std::uint64_t *const cells = packs_[feature.pack].data();
        const Pack pack{{}, table_->packs[feature.pack].bits, {}};
        for (size_t i = node.start; i < node.start + node.size; ++i)
            branch[i] = of_code[pack.code(cells[i], feature.field)];
    }
}

/// Finds the branch and the side of every row by the primary split, which branch is left, and which is
/// heavier.
void SurrogateRows::place(const SurrogateNode &node, const TwoWay &question, SurrogatesOfNode &found,
                          SurrogateMemory &memory) {
    ask(node, question, memory);
    const std::int8_t *const branch = branch_.data() + node.start;
    std::int8_t *const side = side_.data() + node.start;
    std::array<double, 2> weight{}; // of the branches
    if (target_.row_weight.empty())
        for (const int b : {0, 1})
            weight[static_cast<size_t>(b)] =
                static_cast<double>(count_bytes({branch, node.size}, static_cast<std::int8_t>(b)));
    else
        for (size_t i = 0; i < node.size; ++i)
            if (branch[i] >= 0)
                weight[static_cast<size_t>(branch[i])] += target_.row_weight[node.start + i];
    found.left = left_of(node, question);
    found.weight[0] = weight[static_cast<size_t>(found.left)];
    found.weight[1] = weight[static_cast<size_t>(1 - found.left)];
    found.blind = weight[0] == weight[1] ? -1 : weight[1] > weight[0];
    const std::int8_t of_first = found.left == 0 ? 1 : -1;
    for (size_t i = 0; i < node.size; ++i) // 0, 1, -1 to 1, -1, 0 or its opposite
        side[i] = static_cast<std::int8_t>((1 - 2 * branch[i]) * of_first * (branch[i] >= 0));
}

/// The branch that has the smaller mean target of known rows. What the search has summed up tells it, unless
/// rounding could.
int32_t SurrogateRows::left_of(const SurrogateNode &node, const TwoWay &question) const {
    if (question.found != nullptr) {
        const auto f = static_cast<size_t>(table_->place[static_cast<size_t>(question.feature)]);
        const double *const sums = question.found[f].sums.data();
        const double first = rater_.mean_of(sums), second = rater_.mean_of(sums + line());
        const double extent = rater_.of_classes() ? std::abs(first) + std::abs(second) : 1.0;
        if (std::abs(first - second) > surely_apart * extent)
            return second < first;
    }
    const std::vector<double> sums = sums_of_branches(node);
    return rater_.mean_of(sums.data() + line()) < rater_.mean_of(sums.data());
}

/// The sums of the two branches, as far as their means need them.
std::vector<double> SurrogateRows::sums_of_branches(const SurrogateNode &node) const {
    std::vector<double> sums(2 * line());
    double mean = 0.0;
    if (rater_.rating == Rating::squares) {
        double weight = 0.0, sum = 0.0;
        for (size_t i = node.start; i < node.start + node.size; ++i)
            if (branch_[i] >= 0) {
                const double w = target_.weight_of(static_cast<uint32_t>(i));
                weight += w;
                sum += w * target_.numbers[i];
            }
        mean = sum / weight;
    }
    for (size_t i = node.start; i < node.start + node.size; ++i) {
        if (branch_[i] < 0)
            continue;
        double *const own = sums.data() + static_cast<size_t>(branch_[i]) * line();
        const double w = target_.weight_of(static_cast<uint32_t>(i));
        if (target_.has_classes()) {
            own[target_.classes[i]] += w;
        } else {
            own[0] += w;
            own[1] += w * (target_.numbers[i] - mean);
        }
    }
    return sums;
}

/// The branch to which a surrogate sends a row, or -1.
int32_t SurrogateRows::sent(const SurrogateSplit &split, size_t position) const {
    const Feature &feature =
        table_->features[static_cast<size_t>(table_->place[static_cast<size_t>(split.feature)])];
    if (split.kind == SplitKind::threshold) {
        const int32_t above = branch_of_number(feature.number(row_[position]), split.threshold);
        return above < 0 ? -1 : above ^ split.below;
    }
    const Pack &pack = table_->packs[feature.pack];
    return branch_of_code(pack.code(packs_[feature.pack][position], feature.field), split.category_branch);
}

/// Decides where the rows go that the primary split does not know, and counts those that each surrogate
/// sends.
void SurrogateRows::send(const SurrogateNode &node, SurrogatesOfNode &found, int use) {
    if (use == 0)
        return;
    std::int8_t *const branch = branch_.data();
    if (found.several.empty()) {
        const auto blind = static_cast<std::int8_t>(use == 2 ? found.blind : -1);
        for (size_t i = node.start; i < node.start + node.size; ++i)
            branch[i] = branch[i] < 0 ? blind : branch[i];
        return;
    }
    each_negative(branch, node.start, node.start + node.size, [&](size_t i) {
        int32_t to = -1;
        for (SurrogateSplit &split : found.several) {
            to = sent(split, i);
            if (to >= 0) {
                ++split.rows;
                break;
            }
        }
        if (to < 0 && use == 2)
            to = found.blind;
        branch[i] = static_cast<std::int8_t>(to);
    });
}

} // namespace deciduous
