// Surrogates for splits: the scan of the other columns for what sends rows as the primary split does.
#include "surrogate_bits.hpp"
#include "surrogate_packs.hpp"
#include "surrogate_sums.hpp"
#include "vector.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace deciduous {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr double least_adjusted = 1e-10;
constexpr int64_t least_rows = 2, least_wrong = 2;

/// The best of the cuts: at each, low cells are first sent right, then left.
struct BestCut {
    double agreeing = 0.0;
    size_t at = 0;
    std::int8_t below = 0; // where low cells go: 0 left, 1 right
};

/// A column as the primary split sends its rows, a bit a row.
struct SidedColumn {
    std::span<const uint64_t> starts, left, right;
    size_t n = 0;

    size_t n_words() const { return left.size() - 1; }
    uint64_t sided(size_t word) const { return left[word] | right[word]; }
    int64_t difference(size_t word) const {
        return int64_t{std::popcount(left[word])} - int64_t{std::popcount(right[word])};
    }
};

/// The cuts that leave enough rows of a known side below and above: behind rows first .. end-1.
struct AllowedCuts {
    size_t first = 0, end = 0;

    DECIDUOUS_INLINE explicit AllowedCuts(const SidedColumn &column) : first(column.n) {
        int64_t below = 0, above = 0;
        for (size_t word = 0; word < column.n_words() && below < least_rows; ++word)
            for (uint64_t left = column.sided(word); left != 0; left &= left - 1)
                if (++below == least_rows) {
                    first = word * word_rows + static_cast<size_t>(std::countr_zero(left));
                    break;
                }
        for (size_t word = column.n_words(); word-- > 0 && above < least_rows;)
            for (uint64_t left = column.sided(word); left != 0;) {
                const auto last = static_cast<unsigned>(word_rows - 1 - static_cast<size_t>(std::countl_zero(left)));
                if (++above == least_rows) {
                    end = word * word_rows + last;
                    break;
                }
                left &= ~(uint64_t{1} << last);
            }
    }
};

/// Of rows that all weigh 1: left and right are counted as one difference, word by word. A row changes it by 1
/// at most, so that few words can hold the most or the least.
class Differences {
public:
    DECIDUOUS_INLINE Differences(const SidedColumn &column, std::vector<int64_t> &begins)
        : column_(column), cuts_(column), begins_(begins) {
        begins_.assign(1, 0);
        for (size_t word = 0; word < column.n_words(); ++word) {
            begins_.push_back(begins_.back() + column.difference(word));
            n_sided_ += std::popcount(column.sided(word));
        }
    }

    double on_left() const { return static_cast<double>((n_sided_ + begins_.back()) / 2); }
    double on_right() const { return static_cast<double>((n_sided_ - begins_.back()) / 2); }

    struct Extreme {
        int64_t difference = INT64_MIN; // times the sign; so it remains if there is no cut
        size_t at = 0;
    };

    /// The first cut of the greatest difference, or with the sign -1 of the least one.
    DECIDUOUS_INLINE Extreme most(int64_t sign) const {
        int64_t bar = INT64_MIN;
        for (size_t word = 0; word < column_.n_words(); ++word)
            if (cuts_in(word) >> (word_rows - 1) != 0)
                bar = std::max(bar, sign * begins_[word + 1]);
        Extreme found;
        for (size_t word = 0; word < column_.n_words(); ++word) {
            if (sign * begins_[word] + static_cast<int64_t>(word_rows) < bar)
                continue;
            for (uint64_t left = cuts_in(word); left != 0; left &= left - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(left));
                const int64_t difference =
                    sign * (begins_[word] + std::popcount(column_.left[word] & up_to(bit)) -
                            std::popcount(column_.right[word] & up_to(bit)));
                if (difference > found.difference)
                    found = {difference, word * word_rows + bit};
            }
            bar = std::max(bar, found.difference);
        }
        return found;
    }

private:
    DECIDUOUS_INLINE uint64_t cuts_in(size_t word) const {
        return cuts_of(column_.starts, word, cuts_.first, cuts_.end);
    }

    const SidedColumn &column_;
    AllowedCuts cuts_;
    std::vector<int64_t> &begins_; // the difference before each word, then that of all rows
    int64_t n_sided_ = 0;
};

DECIDUOUS_INLINE std::optional<BestCut> best_agreement(const SidedColumn &column, double *both,
                                                       SurrogateMemory &memory) {
    const Differences differences(column, memory.begins);
    const double left = both[0] = differences.on_left(), right = both[1] = differences.on_right();
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

DECIDUOUS_BITS std::optional<BestCut> best_agreement_with_bits(const SidedColumn &column, double *both,
                                                               SurrogateMemory &memory) {
    return best_agreement(column, both, memory);
}

std::optional<BestCut> best_of_weights(const SidedColumn &column, std::span<const OrderedRow> rows,
                                       const double *weight, double *both) {
    const AllowedCuts cuts(column);
    const auto add = [&](size_t i, double &on_left, double &on_right) {
        const uint64_t bit = uint64_t{1} << (i % word_rows);
        if ((column.sided(i / word_rows) & bit) != 0)
            ((column.left[i / word_rows] & bit) != 0 ? on_left : on_right) += weight[rows[i].row()];
    };
    double &left = both[0], &right = both[1];
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

/// What agrees by categories: the weights and rows of a field by branch, four a line; the first line is that
/// of missing cells. `both`: the weights of the rows that know both cells, left and right.
void agree(std::span<const uint32_t> rows, std::span<const double> weights, size_t left, bool right_is_heavier,
           double *both, SurrogateSplit &found) {
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

/// From the agreeing weight to the shares, which must be more than that of the majority. `weight`: of the rows
/// whose agreement counts, left and right.
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
                                                        SurrogateCrew &crew) {
    std::vector<SurrogatesOfNode> found(nodes.size());
    const size_t n = n_asked();
    size_t n_rows = 0;
    for (const SurrogateNode &node : nodes)
        n_rows += node.size;
    crew.each(nodes.size(), n_rows * n,
              [&](size_t i, SurrogateMemory &) { place(nodes[i], questions[i], found[i]); });
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
                by_threshold(ordered(f, node), of_node.left, both, split, memory);
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

void SurrogateRows::by_threshold(const Ordered &column, int32_t left, double *both, SurrogateSplit &found,
                                 SurrogateMemory &memory) const {
    const auto rows = column.known;
    start_bits(rows, memory.starts[0]);
    branch_bits(rows, branch_.data(), memory.first, memory.second);
    SidedColumn sided{memory.starts[0], memory.first, memory.second, rows.size()};
    if (left == 1)
        std::swap(sided.left, sided.right);
    const std::optional<BestCut> best =
        !target_.row_weight.empty() ? best_of_weights(sided, rows, target_.row_weight.data(), both)
        : has_bits()                ? best_agreement_with_bits(sided, both, memory)
                                    : best_agreement(sided, both, memory);
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
