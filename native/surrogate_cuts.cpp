// The first strictly best cut of an ordered column. A rough pass rates every cut by a formula of few
// divisions, block by block; in the blocks that come near the best, the exact formula decides.
#include "surrogate_rows.hpp"
#include "surrogate_sums.hpp"
#include "vector.hpp"

#include <algorithm>
#include <array>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;

constexpr size_t block_rows = 256;

/// What a rough formula needs of the cuts of a block: up to four numbers each.
using Block = std::array<std::array<double, block_rows>, 4>;

/// The largest of what `rate` says of the first n cuts; the compiler finds several side by side.
template <typename Rate>
DECIDUOUS_INLINE double largest(size_t n, Rate rate) {
    constexpr size_t lanes = 4;
    std::array<double, lanes> most;
    most.fill(-HUGE_VAL);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (size_t lane = 0; lane < lanes; ++lane) {
            const double x = rate(i + lane);
            most[lane] = x > most[lane] ? x : most[lane];
        }
    double found = *std::max_element(most.begin(), most.end());
    for (; i < n; ++i)
        found = std::max(found, rate(i));
    return found;
}

// --- scorers: the sums of the rows below a cut, their rough rating and their exact one --------------------

/// Two classes under Gini, all rows of weight 1: counts.
class TwoClasses {
public:
    struct Sums {
        uint32_t rows = 0, second = 0;
    };

    /// `second`: how many rows of the node are of the second class.
    TwoClasses(const SurrogateTable &table, const Rater &rater, std::span<const OrderedRow> known,
               std::span<const OrderedRow> missing, uint32_t second)
        : is_second_(table.is_second.data()), rater_(rater) {
        for (const OrderedRow at : missing)
            missing_second_ += is_second_[at.row()];
        second -= missing_second_;
        total_ = {static_cast<double>(known.size() - second), static_cast<double>(second)};
        before_ = rater.before(total_.data());
        tolerance_ = rounding * (total_[0] * rater.factor[0] + total_[1] * rater.factor[1]);
    }

    static Sums start() { return {}; }
    DECIDUOUS_INLINE void add(Sums &sums, OrderedRow at, size_t) const {
        ++sums.rows;
        sums.second += is_second_[at.row()];
    }
    DECIDUOUS_INLINE static void put(Block &block, size_t at, const Sums &sums) {
        block[0][at] = sums.rows;
        block[1][at] = sums.second;
    }
    double rough(const Block &block, size_t n) const {
        const double f0 = rater_.factor[0], f1 = rater_.factor[1];
        return largest(n, [&](size_t i) {
            const double second = block[1][i], first = block[0][i] - second;
            const double l0 = first * f0, l1 = second * f1;
            const double r0 = (total_[0] - first) * f0, r1 = (total_[1] - second) * f1;
            return -(l0 * l1 / (l0 + l1) + r0 * r1 / (r0 + r1));
        });
    }
    double exact(const Sums &sums) const {
        const auto left = line(sums);
        return rater_.improvement(left.data(), total_.data(), before_, 1.0);
    }
    double tolerance(double) const { return tolerance_; }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &,
               double *lines) const {
        const auto left = line(sums);
        for (size_t k = 0; k < 2; ++k) {
            lines[k] = left[k];
            lines[2 + k] = total_[k] - left[k];
        }
        lines[4] = static_cast<double>(missing.size() - missing_second_);
        lines[5] = missing_second_;
    }

private:
    static std::array<double, 2> line(const Sums &sums) {
        return {static_cast<double>(sums.rows - sums.second), static_cast<double>(sums.second)};
    }

    const std::uint8_t *is_second_;
    const Rater &rater_;
    uint32_t missing_second_ = 0;
    std::array<double, 2> total_{};
    double before_ = 0.0, tolerance_ = 0.0;
};

/// Class weights under Gini.
class ClassWeights {
public:
    using Sums = std::vector<double>; // a line of class weights

    ClassWeights(const SurrogateTable &table, const Rater &rater, std::span<const OrderedRow> known)
        : table_(table), rater_(rater), total_(table.n_classes) {
        for (const OrderedRow at : known)
            add(total_, at, 0);
        before_ = rater.before(total_.data());
        for (size_t k = 0; k < total_.size(); ++k)
            weight_ += total_[k] * rater.factor[k];
    }

    Sums start() const { return Sums(total_.size()); }
    void add(Sums &sums, OrderedRow at, size_t) const {
        sums[static_cast<size_t>(table_.classes[at.row()])] += table_.weight[at.row()];
    }
    void put(Block &block, size_t at, const Sums &sums) const {
        double left = 0.0, right = 0.0, left_squares = 0.0, right_squares = 0.0;
        for (size_t k = 0; k < total_.size(); ++k) {
            const double f = rater_.factor[k], l = sums[k] * f, r = (total_[k] - sums[k]) * f;
            left += l;
            right += r;
            left_squares += l * l;
            right_squares += r * r;
        }
        block[0][at] = left;
        block[1][at] = left_squares;
        block[2][at] = right;
        block[3][at] = right_squares;
    }
    static double rough(const Block &block, size_t n) {
        return largest(n, [&](size_t i) { return block[1][i] / block[0][i] + block[3][i] / block[2][i]; });
    }
    double exact(const Sums &sums) const {
        return rater_.improvement(sums.data(), total_.data(), before_, 1.0);
    }
    double tolerance(double) const { return rounding * weight_; }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &,
               double *lines) const {
        const size_t n = total_.size();
        for (size_t k = 0; k < n; ++k) {
            lines[k] = sums[k];
            lines[n + k] = total_[k] - sums[k];
        }
        for (const OrderedRow at : missing)
            lines[2 * n + static_cast<size_t>(table_.classes[at.row()])] += table_.weight[at.row()];
    }

protected:
    const SurrogateTable &table_;
    const Rater &rater_;
    std::vector<double> total_;
    double before_ = 0.0, weight_ = 0.0;
};

/// Several classes under Gini, all rows and classes counting 1: squares are kept up with whole numbers.
class ClassCounts : public ClassWeights {
public:
    struct Sums {
        std::vector<double> line;
        double rows = 0.0, left_squares = 0.0, right_squares = 0.0;
    };

    ClassCounts(const SurrogateTable &table, const Rater &rater, std::span<const OrderedRow> known)
        : ClassWeights(table, rater, known) {
        for (const double n : total_)
            squares_ += n * n;
    }

    Sums start() const { return {std::vector<double>(total_.size()), 0.0, 0.0, squares_}; }
    void add(Sums &sums, OrderedRow at, size_t) const {
        const auto k = static_cast<size_t>(table_.classes[at.row()]);
        const double before = sums.line[k], above = total_[k] - before;
        sums.line[k] = before + 1.0;
        sums.rows += 1.0;
        sums.left_squares += 2.0 * before + 1.0;
        sums.right_squares -= 2.0 * above - 1.0;
    }
    void put(Block &block, size_t at, const Sums &sums) const {
        block[0][at] = sums.rows;
        block[1][at] = sums.left_squares;
        block[2][at] = weight_ - sums.rows;
        block[3][at] = sums.right_squares;
    }
    double exact(const Sums &sums) const { return ClassWeights::exact(sums.line); }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &node,
               double *lines) const {
        ClassWeights::write(sums.line, missing, node, lines);
    }

private:
    double squares_ = 0.0;
};

/// Class weights under entropy: no rough formula would save its logarithms.
class ClassEntropy : public ClassWeights {
public:
    using ClassWeights::ClassWeights;

    void put(Block &block, size_t at, const Sums &sums) const { block[0][at] = exact(sums); }
    static double rough(const Block &block, size_t n) {
        return largest(n, [&](size_t i) { return block[0][i]; });
    }
    static double tolerance(double) { return 0.0; }
};

/// Numbers about the mean of the known rows, under squared error.
class Squares {
public:
    using Sums = Moments;

    Squares(const SurrogateTable &table, const Rater &rater, std::span<const OrderedRow> known, double risk)
        : table_(table), rater_(rater), mean_(mean_target(table, rater, known)), risk_(risk) {
        numbers_.reserve(known.size());
        for (const OrderedRow at : known)
            numbers_.push_back(table.numbers[at.row()] - mean_);
        for (size_t i = 0; i < known.size(); ++i)
            add(total_, known[i], i);
        before_ = rater.before(total_.data());
    }

    static Sums start() { return {}; }
    DECIDUOUS_INLINE void add(Sums &sums, OrderedRow at, size_t i) const {
        const double w = table_.unit_weight ? 1.0 : table_.weight[at.row()], deviation = numbers_[i];
        sums[0] += w;
        sums[1] += w * deviation;
        sums[2] += w * (deviation * deviation);
    }
    DECIDUOUS_INLINE static void put(Block &block, size_t at, const Sums &sums) {
        block[0][at] = sums[0];
        block[1][at] = sums[1] * sums[1];
    }
    double rough(const Block &block, size_t n) const {
        const double weight = total_[0];
        return largest(
            n, [&](size_t i) { return block[1][i] / block[0][i] + block[1][i] / (weight - block[0][i]); });
    }
    double exact(const Sums &sums) const {
        return rater_.improvement(sums.data(), total_.data(), before_, risk_);
    }
    static double tolerance(double top) { return rounding * top; }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &node,
               double *lines) const {
        const Moments right{total_[0] - sums[0], total_[1] - sums[1], total_[2] - sums[2]};
        Moments others{};
        for (const OrderedRow at : missing)
            add_moments(others.data(), table_, at.row(), mean_);
        size_t line = 0;
        for (const Moments &moments : {Moments(sums), right, others}) {
            const Moments recentred_moments = recentred(moments, mean_, node);
            std::copy(recentred_moments.begin(), recentred_moments.end(), lines + 3 * line++);
        }
    }

protected:
    const SurrogateTable &table_;
    const Rater &rater_;
    double mean_ = 0.0, risk_ = 1.0, before_ = 0.0;
    std::vector<double> numbers_; // about the mean, in the order of the column
    Moments total_{};
};

/// Rates by their deviance.
class Deviance : public Squares {
public:
    using Squares::Squares;

    void put(Block &block, size_t at, const Sums &sums) const { block[0][at] = exact(sums); }
    static double rough(const Block &block, size_t n) {
        return largest(n, [&](size_t i) { return block[0][i]; });
    }
    static double tolerance(double) { return 0.0; }
};

} // namespace

template <typename Scorer>
void SurrogateRows::scan(Scorer scorer, const Ordered &column, int64_t least, FirstSplit &best,
                         const SurrogateNode &node) const {
    const OrderedRow *rows = column.known.data();
    const auto margin = static_cast<size_t>(std::min(std::max(least, int64_t{1}), best.known));
    const size_t first = margin - 1, end = column.known.size() - margin; // cuts behind rows first .. end-1
    std::vector<typename Scorer::Sums> begins;
    std::vector<double> roughly;
    Block block;
    auto sums = scorer.start();
    for (size_t begin = 0; begin < end; begin += block_rows) {
        begins.push_back(sums);
        size_t n = 0;
        for (size_t i = begin; i < std::min(begin + block_rows, end); ++i) {
            scorer.add(sums, rows[i], i);
            scorer.put(block, n, sums);
            n += rows[i + 1].starts() & (i >= first);
        }
        best.tried += static_cast<int64_t>(n);
        roughly.push_back(scorer.rough(block, n));
    }
    if (best.tried == 0)
        return;
    const double top = *std::max_element(roughly.begin(), roughly.end()),
                 bar = std::isfinite(top) ? top - scorer.tolerance(top) : top;
    size_t at = 0;
    auto below = scorer.start();
    for (size_t b = 0; b < begins.size(); ++b) {
        if (!(roughly[b] >= bar))
            continue;
        sums = begins[b];
        for (size_t i = b * block_rows; i < std::min((b + 1) * block_rows, end); ++i) {
            scorer.add(sums, rows[i], i);
            if (!rows[i + 1].starts() || i < first)
                continue;
            scorer.put(block, 0, sums); // as in the rough pass
            if (!(scorer.rough(block, 1) >= bar))
                continue;
            const double value = scorer.exact(sums);
            if (value > best.improvement) {
                best.improvement = value;
                at = i;
                below = sums;
            }
        }
    }
    if (!(best.improvement > 0))
        return;
    best.kind = SplitKind::threshold;
    const std::vector<double> &x = column.feature.numbers;
    best.threshold = cut_between(x[rows[at].row()], x[rows[at + 1].row()], column.feature.whole);
    best.sums.assign(3 * line(), 0.0);
    scorer.write(below, column.missing, node, best.sums.data());
}

FirstSplit SurrogateRows::best_cut(const Ordered &column, const SurrogateNode &node, uint32_t second,
                                   int64_t least) const {
    FirstSplit best;
    const auto known = column.known;
    const std::vector<double> &x = column.feature.numbers;
    best.known = std::ssize(known);
    best.constant = !known.empty() && x[known.front().row()] == x[known.back().row()];
    if (known.size() < 2 || best.constant)
        return best;
    const SurrogateTable &table = *table_;
    if (rater_.rating == Rating::squares)
        scan(Squares(table, rater_, known, node.risk), column, least, best, node);
    else if (rater_.rating == Rating::rates)
        scan(Deviance(table, rater_, known, node.risk), column, least, best, node);
    else if (rater_.rating == Rating::entropy)
        scan(ClassEntropy(table, rater_, known), column, least, best, node);
    else if (counts())
        scan(TwoClasses(table, rater_, known, column.missing, second), column, least, best, node);
    else if (counts_all())
        scan(ClassCounts(table, rater_, known), column, least, best, node);
    else
        scan(ClassWeights(table, rater_, known), column, least, best, node);
    return best;
}

} // namespace deciduous
