// The first strictly best division of a column of categories: by an order of the categories, or of all.
#include "surrogate_sums.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

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
    /// `numbers`: the targets of the rows, where they are numbers.
    Items(const SurrogateTable::Feature &feature, const SurrogateTable &table, const Rater &rater,
          std::span<const uint32_t> rows, std::span<const double> numbers, bool counts)
        : table_(table), rows_(rows), numbers_(numbers), line_(rater.of_classes() ? table.n_classes : 3) {
        const auto n = static_cast<size_t>(feature.n_categories) + 1;
        sums_.resize(n * line_);
        counts_.resize(n);
        feature.with_codes([&](const auto *codes) {
            if (counts)
                count(codes);
            else if (rater.of_classes())
                add_classes(codes);
            else
                add_numbers(codes, rater);
        });
        for (size_t c = 1; c < n; ++c)
            if (counts_[c] > 0) {
                lines_.push_back(c);
                known += counts_[c];
            }
    }

    size_t size() const { return lines_.size(); }
    size_t line() const { return line_; }
    size_t category(size_t item) const { return lines_[item] - 1; }
    const double *sums(size_t item) const { return sums_.data() + lines_[item] * line_; }
    const double *missing() const { return sums_.data(); }
    int64_t rows(size_t item) const { return counts_[lines_[item]]; }
    std::vector<double> total() const {
        std::vector<double> found(line_);
        for (size_t item = 0; item < size(); ++item)
            for (size_t k = 0; k < line_; ++k)
                found[k] += sums(item)[k];
        return found;
    }

    int64_t known = 0;
    double mean = 0.0; // about which numbers are summed

private:
    template <typename Code>
    void count(const Code *codes) {
        // Two tables in turn: a count need not wait for the one before, if that is of the same cell.
        std::vector<uint32_t> cells(2 * sums_.size());
        uint32_t *const even = cells.data(), *const odd = even + sums_.size();
        const auto cell = [&](uint32_t row) { return size_t{2} * codes[row] + table_.is_second[row]; };
        size_t i = 0;
        for (; i + 2 <= rows_.size(); i += 2) {
            ++even[cell(rows_[i])];
            ++odd[cell(rows_[i + 1])];
        }
        if (i < rows_.size())
            ++even[cell(rows_[i])];
        for (size_t c = 0; c < sums_.size(); ++c) {
            sums_[c] = even[c] + odd[c];
            counts_[c / 2] += even[c] + odd[c];
        }
    }

    template <typename Code>
    void add_classes(const Code *codes) {
        for (const uint32_t row : rows_) {
            ++counts_[codes[row]];
            sums_[codes[row] * line_ + static_cast<size_t>(table_.classes[row])] += table_.weight[row];
        }
    }

    template <typename Code>
    void add_numbers(const Code *codes, const Rater &rater) {
        mean = rater.rating == Rating::squares ? mean_of_known(codes) : 0.0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            const double w = weight_of(rows_[i]), deviation = numbers_[i] - mean;
            const size_t c = codes[rows_[i]];
            double *const sums = sums_.data() + 3 * c;
            ++counts_[c];
            sums[1] += w * deviation;
            sums[2] += w * (deviation * deviation);
            if (!table_.unit_weight)
                sums[0] += w;
        }
        for (size_t c = 0; c < counts_.size() && table_.unit_weight; ++c)
            sums_[3 * c] = static_cast<double>(counts_[c]);
    }

    /// Of the rows whose cell is known; 0 if there are none. Without a branch for the processor to guess.
    template <typename Code>
    double mean_of_known(const Code *codes) const {
        double weight = 0.0, sum = 0.0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            const double w = weight_of(rows_[i]), y = w * numbers_[i];
            const bool is_known = codes[rows_[i]] > 0;
            weight += is_known ? w : 0.0;
            sum += is_known ? y : 0.0;
        }
        return weight > 0.0 ? sum / weight : 0.0;
    }
    double weight_of(uint32_t row) const { return table_.unit_weight ? 1.0 : table_.weight[row]; }

    const SurrogateTable &table_;
    std::span<const uint32_t> rows_;
    std::span<const double> numbers_;
    size_t line_;
    std::vector<double> sums_; // the first line is that of the missing cells
    std::vector<int64_t> counts_;
    std::vector<size_t> lines_; // of the items
};

/// Rates divisions in turn and keeps the first strictly best one.
class Contest {
public:
    Contest(const Items &items, const Rater &rater, double risk, int64_t least, FirstSplit &best)
        : side(items.size()), left(items.line()), total(items.total()), items_(items), rater_(rater),
          risk_(risk), least_(least), before_(rater.before(total.data())), best_(best) {}

    void put(size_t item, bool on_left) {
        side[item] = on_left;
        count_ += on_left ? items_.rows(item) : -items_.rows(item);
    }
    void add(size_t item) {
        for (size_t k = 0; k < left.size(); ++k)
            left[k] += items_.sums(item)[k];
    }
    void take(size_t item) {
        for (size_t k = 0; k < left.size(); ++k)
            left[k] -= items_.sums(item)[k];
    }
    void rate() {
        if (count_ < least_ || items_.known - count_ < least_)
            return;
        ++best_.tried;
        if (rater_.hopeless(left.data(), total.data(), before_, best_.improvement))
            return;
        const double value = rater_.improvement(left.data(), total.data(), before_, risk_);
        if (value > best_.improvement) {
            best_.improvement = value;
            best_side = side;
            best_left = left;
        }
    }

    std::vector<std::uint8_t> side, best_side;
    std::vector<double> left, best_left, total;

private:
    const Items &items_;
    const Rater &rater_;
    double risk_;
    int64_t least_;
    double before_;
    FirstSplit &best_;
    int64_t count_ = 0;
};

/// All divisions in the order of a reflected Gray code. Sums of whole numbers are taken from the division
/// before, others added up anew, item by item.
void try_all(Contest &contest, size_t n, bool whole_sums) {
    for (size_t number = 1; number < size_t{1} << (n - 1); ++number) {
        const auto moved = static_cast<size_t>(std::countr_zero(number));
        const size_t code = number ^ (number >> 1);
        const bool on_left = (code >> moved & 1) != 0;
        contest.put(moved, on_left);
        if (whole_sums) {
            on_left ? contest.add(moved) : contest.take(moved);
        } else {
            std::fill(contest.left.begin(), contest.left.end(), 0.0);
            for (size_t item = 0; item < n; ++item)
                if (contest.side[item])
                    contest.add(item);
        }
        contest.rate();
    }
}

/// The items by share of the first class, of several classes by mean place, and numbers by mean.
std::vector<size_t> order_of(const Items &items, const Rater &rater) {
    std::vector<double> key(items.size());
    for (size_t item = 0; item < items.size(); ++item) {
        const double *s = items.sums(item);
        const std::vector<double> &f = rater.factor;
        key[item] = rater.of_classes() && f.size() == 2 ? s[0] * f[0] / (s[0] * f[0] + s[1] * f[1])
                                                        : rater.mean_of(s);
    }
    std::vector<size_t> order(items.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key[a] < key[b]; });
    return order;
}

} // namespace

FirstSplit SurrogateRows::best_division(const Feature &feature, const SurrogateNode &node,
                                        std::span<const double> numbers, int64_t least) const {
    FirstSplit best;
    const auto rows = rows_of(node.start, node.size);
    const Items items(feature, *table_, rater_, rows, numbers, counts());
    best.known = items.known;
    best.constant = items.size() == 1;
    if (items.size() < 2)
        return best;
    const size_t n = items.size(), line = items.line();
    Contest contest(items, rater_, node.risk, least, best);
    const bool in_order = !rater_.of_classes() || rater_.factor.size() == 2;
    if (!in_order && n <= exhaustive_categories) {
        try_all(contest, n, table_->unit_weight);
    } else {
        best.exact = in_order;
        const std::vector<size_t> order = order_of(items, rater_);
        for (size_t cut = 0; cut + 1 < n; ++cut) {
            contest.put(order[cut], true);
            contest.add(order[cut]);
            contest.rate();
        }
    }
    if (!(best.improvement > 0))
        return best;
    best.kind = SplitKind::subset;
    best.category_branch.assign(static_cast<size_t>(feature.n_categories), -1);
    std::vector<double> right(line);
    for (size_t k = 0; k < line; ++k)
        right[k] = contest.total[k] - contest.best_left[k];
    const bool first = rater_.mean_of(contest.best_left.data()) <= rater_.mean_of(right.data());
    best.sums.assign(3 * line, 0.0);
    for (size_t item = 0; item < n; ++item) {
        const bool low = (contest.best_side[item] != 0) == first;
        best.category_branch[items.category(item)] = low ? 0 : 1;
        for (size_t k = 0; k < line; ++k)
            best.sums[(low ? 0 : line) + k] += items.sums(item)[k];
    }
    std::copy_n(items.missing(), line, best.sums.begin() + static_cast<std::ptrdiff_t>(2 * line));
    if (!rater_.of_classes())
        for (double *sums = best.sums.data(); sums < best.sums.data() + 9; sums += 3) {
            const Moments moments = recentred({sums[0], sums[1], sums[2]}, items.mean, node);
            std::copy(moments.begin(), moments.end(), sums);
        }
    return best;
}

} // namespace deciduous
