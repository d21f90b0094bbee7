// The first strictly best division of a column of categories: by an order of the categories, or of all.
#include "surrogate_packs.hpp"
#include "surrogate_sums.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace deciduous {
namespace {

using std::int32_t;
using std::int64_t;
using std::size_t;
using std::uint32_t;

constexpr size_t exhaustive_categories = 16;

/// The categories that are there, with the sums and the rows of each, and those of the missing cells.
class Items {
public:
    /// `counts` and `sums`: of the missing cells, then a line a category; lines of sums begin at a distance.
    void begin(std::span<const uint32_t> counts, const double *sums, size_t line, size_t distance) {
        counts_ = counts;
        sums_ = sums;
        line_ = line;
        distance_ = distance;
        known = 0;
        lines_.clear();
        for (size_t c = 1; c < counts.size(); ++c)
            if (counts[c] > 0) {
                lines_.push_back(c);
                known += counts[c];
            }
    }

    size_t size() const { return lines_.size(); }
    size_t line() const { return line_; }
    size_t category(size_t item) const { return lines_[item] - 1; }
    const double *sums(size_t item) const { return sums_ + lines_[item] * distance_; }
    const double *missing() const { return sums_; }
    int64_t rows(size_t item) const { return counts_[lines_[item]]; }

    int64_t known = 0;

private:
    std::span<const uint32_t> counts_;
    const double *sums_ = nullptr;
    size_t line_ = 0, distance_ = 0;
    std::vector<size_t> lines_; // of the items
};

/// Rates divisions in turn and keeps the first strictly best one.
class Contest {
public:
    explicit Contest(const Rater &rater) : rater_(rater) {}

    /// `floor`: the improvement that is to be reached.
    void begin(const Items &items, double risk, int64_t least, double floor, FirstSplit &best) {
        items_ = &items;
        risk_ = risk;
        least_ = least;
        floor_ = floor;
        best_ = &best;
        count_ = 0;
        best_number = 0;
        left.assign(items.line(), 0.0);
        total.assign(items.line(), 0.0);
        for (size_t item = 0; item < items.size(); ++item)
            for (size_t k = 0; k < total.size(); ++k)
                total[k] += items.sums(item)[k];
        before_ = rater_.before(total.data());
    }

    /// Whether no division improves as much as the floor: none is better than a branch for every item.
    bool is_hopeless() const {
        if (!(floor_ > 0) || !rater_.knows_most())
            return false;
        double most = before_;
        for (size_t item = 0; item < items_->size(); ++item)
            most += rater_.apart(items_->sums(item), risk_);
        return most < (1 - rounding) * floor_ - rounding * before_;
    }

    /// Counts an item on the left, or no longer.
    void put(size_t item, bool on_left) { count_ += on_left ? items_->rows(item) : -items_->rows(item); }
    void add(size_t item) {
        for (size_t k = 0; k < left.size(); ++k)
            left[k] += items_->sums(item)[k];
    }
    void take(size_t item) {
        for (size_t k = 0; k < left.size(); ++k)
            left[k] -= items_->sums(item)[k];
    }
    /// Rates what is on the left now, the division of a number.
    void rate(size_t number) {
        if (count_ < least_ || items_->known - count_ < least_)
            return;
        ++best_->tried;
        if (rater_.hopeless(left.data(), total.data(), before_, risk_, std::max(best_->improvement, floor_)))
            return;
        const double value = rater_.improvement(left.data(), total.data(), before_, risk_);
        if (value > best_->improvement) {
            best_->improvement = value;
            best_number = number;
            best_left = left;
        }
    }

    size_t best_number = 0;
    std::vector<double> left, best_left, total;

private:
    const Rater &rater_;
    const Items *items_ = nullptr;
    double risk_ = 1.0, before_ = 0.0, floor_ = 0.0;
    int64_t least_ = 0, count_ = 0;
    FirstSplit *best_ = nullptr;
};

/// The side of each item: 1 for the left one.
using Sides = std::vector<std::uint8_t>;

/// All divisions in the order of a reflected Gray code. Sums of whole numbers are taken from the division
/// before, others added up anew, item by item.
void try_all(Contest &contest, size_t n, bool whole_sums, Sides &sides) {
    const auto gray = [](size_t number) { return number ^ (number >> 1); };
    for (size_t number = 1; number < size_t{1} << (n - 1); ++number) {
        const auto moved = static_cast<size_t>(std::countr_zero(number));
        const bool on_left = (gray(number) >> moved & 1) != 0;
        contest.put(moved, on_left);
        if (whole_sums) {
            on_left ? contest.add(moved) : contest.take(moved);
        } else {
            std::fill(contest.left.begin(), contest.left.end(), 0.0);
            for (size_t item = 0; item < n; ++item)
                if ((gray(number) >> item & 1) != 0)
                    contest.add(item);
        }
        contest.rate(number);
    }
    sides.clear();
    for (size_t item = 0; item < n; ++item)
        sides.push_back(gray(contest.best_number) >> item & 1);
}

/// What orders the items: the share of the first of two classes, the mean place of several, the mean number.
double key_of(const double *s, const Rater &rater) {
    const std::vector<double> &f = rater.factor;
    return rater.of_classes() && f.size() == 2 ? s[0] * f[0] / (s[0] * f[0] + s[1] * f[1]) : rater.mean_of(s);
}

using Keyed = std::pair<double, size_t>;

/// A stable sort by key; of few by insertion.
void sort_by_key(std::vector<Keyed> &items) {
    constexpr size_t few = 64;
    if (items.size() > few) {
        std::stable_sort(items.begin(), items.end(), [](auto a, auto b) { return a.first < b.first; });
        return;
    }
    for (size_t i = 1; i < items.size(); ++i) {
        const Keyed item = items[i];
        size_t place = i;
        for (; place > 0 && item.first < items[place - 1].first; --place)
            items[place] = items[place - 1];
        items[place] = item;
    }
}

void try_in_order(Contest &contest, const Items &items, const Rater &rater, std::vector<Keyed> &order,
                  Sides &sides) {
    order.clear();
    for (size_t item = 0; item < items.size(); ++item)
        order.emplace_back(key_of(items.sums(item), rater), item);
    sort_by_key(order);
    for (size_t cut = 0; cut + 1 < order.size(); ++cut) {
        contest.put(order[cut].second, true);
        contest.add(order[cut].second);
        contest.rate(cut);
    }
    sides.assign(items.size(), 0);
    for (size_t cut = 0; cut <= contest.best_number; ++cut)
        sides[order[cut].second] = 1;
}

/// Writes down the best division: the side of the smaller mean is branch 0.
void write(const Items &items, const Contest &contest, const Sides &sides, const Rater &rater,
           size_t n_categories, FirstSplit &best) {
    const size_t line = items.line();
    best.kind = SplitKind::subset;
    best.category_branch.assign(n_categories, -1);
    std::vector<double> right(line);
    for (size_t k = 0; k < line; ++k)
        right[k] = contest.total[k] - contest.best_left[k];
    const bool first = rater.mean_of(contest.best_left.data()) <= rater.mean_of(right.data());
    best.sums.assign(3 * line, 0.0);
    for (size_t item = 0; item < items.size(); ++item) {
        const bool low = (sides[item] != 0) == first;
        best.category_branch[items.category(item)] = low ? 0 : 1;
        for (size_t k = 0; k < line; ++k)
            best.sums[(low ? 0 : line) + k] += items.sums(item)[k];
    }
    std::copy_n(items.missing(), line, best.sums.begin() + static_cast<std::ptrdiff_t>(2 * line));
}

} // namespace

void SurrogateRows::best_divisions(const Part &part, const SurrogateNode &node, const SearchRule &rule,
                                   double best_score, FirstSplit *found, SurrogateMemory &memory) const {
    const PackLines lines(*table_, part.pack);
    const PackRows rows{table_->packs[part.pack], lines, cells_of(part.pack, node), target_, node.start};
    const std::array<double, Pack::most_fields> means = tables_of(rows, rule.only_best, memory);
    const size_t distance = target_.has_classes() ? line() : PackRows::number_line;
    const bool in_order = !rater_.of_classes() || rater_.factor.size() == 2;
    Items items;
    Contest contest(rater_);
    Sides sides;
    std::vector<Keyed> order;
    for (size_t k = 0; k < part.features.size(); ++k) {
        FirstSplit &best = found[part.features[k]];
        const auto n = static_cast<size_t>(table_->features[part.features[k]].n_categories);
        items.begin(std::span(memory.counts).subspan(lines.first[k], n + 1),
                    memory.sums.data() + lines.first[k] * distance + (distance - line()), line(), distance);
        best.known = items.known;
        best.constant = items.size() == 1;
        if (items.size() < 2)
            continue;
        contest.begin(items, node.risk, rule.least, best_score * rule.costs[part.features[k]], best);
        if (contest.is_hopeless())
            continue;
        if (!in_order && items.size() <= exhaustive_categories) {
            try_all(contest, items.size(), target_.weight.empty(), sides);
        } else {
            best.exact = in_order;
            try_in_order(contest, items, rater_, order, sides);
        }
        if (!(best.improvement > 0))
            continue;
        write(items, contest, sides, rater_, n, best);
        if (!rater_.of_classes())
            for (double *sums = best.sums.data(); sums < best.sums.data() + 9; sums += 3) {
                const Moments moments = recentred({sums[0], sums[1], sums[2]}, means[k], node);
                std::copy(moments.begin(), moments.end(), sums);
            }
    }
}

/// Fills `counts` with the rows of each line and `sums` with its sums, squares only if all that is found is
/// kept; returns what numbers are summed about.
std::array<double, SurrogateTable::Pack::most_fields>
SurrogateRows::tables_of(const PackRows &rows, bool only_best, SurrogateMemory &memory) const {
    if (!counts()) {
        if (target_.has_classes()) {
            rows.add_classes(memory.counts, memory.sums);
            return {};
        }
        const auto means = rater_.rating == Rating::squares ? rows.means_of_known()
                                                            : std::array<double, Pack::most_fields>{};
        only_best ? rows.add<false>(means.data(), memory.counts, memory.sums)
                  : rows.add<true>(means.data(), memory.counts, memory.sums);
        return means;
    }
    rows.count_classes(memory.counts);
    memory.sums.assign(memory.counts.begin(), memory.counts.end());
    for (size_t c = 0; c < rows.lines.n; ++c)
        memory.counts[c] = memory.counts[2 * c] + memory.counts[2 * c + 1];
    return {};
}

} // namespace deciduous
