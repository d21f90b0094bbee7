// The first strictly best cut of an ordered column; what is counted is in surrogate_counts.cpp, what is
// squared in surrogate_squares.cpp. A rough pass rates every cut by a formula of few divisions, block by
// block; in the blocks that come near the best, the exact formula decides.
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

/// Class weights under Gini.
class ClassWeights {
public:
    using Sums = std::vector<double>; // a line of class weights

    ClassWeights(const SurrogateTarget &target, const Rater &rater, std::span<const OrderedRow> known)
        : target_(target), rater_(rater), total_(target.n_classes) {
        for (const OrderedRow at : known)
            add(total_, at, 0);
        before_ = rater.before(total_.data());
        for (size_t k = 0; k < total_.size(); ++k)
            weight_ += total_[k] * rater.factor[k];
    }

    Sums start() const { return Sums(total_.size()); }
    void add(Sums &sums, OrderedRow at, size_t) const {
        sums[static_cast<size_t>(target_.classes[at.row()])] += target_.weight_of(at.row());
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
            lines[2 * n + static_cast<size_t>(target_.classes[at.row()])] += target_.weight_of(at.row());
    }

protected:
    const SurrogateTarget &target_;
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

    ClassCounts(const SurrogateTarget &target, const Rater &rater, std::span<const OrderedRow> known)
        : ClassWeights(target, rater, known) {
        for (const double n : total_)
            squares_ += n * n;
    }

    Sums start() const { return {std::vector<double>(total_.size()), 0.0, 0.0, squares_}; }
    void add(Sums &sums, OrderedRow at, size_t) const {
        const auto k = static_cast<size_t>(target_.classes[at.row()]);
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

/// Rates by their deviance: as under entropy.
class Deviance {
public:
    using Sums = Moments; // about 0

    Deviance(const SurrogateTarget &target, const Rater &rater, std::span<const OrderedRow> known)
        : target_(target), rater_(rater) {
        for (const OrderedRow at : known)
            add(total_, at, 0);
        before_ = rater.before(total_.data());
    }

    static Sums start() { return {}; }
    void add(Sums &sums, OrderedRow at, size_t) const { add_moments(sums, target_, at.row(), 0.0); }
    void put(Block &block, size_t at, const Sums &sums) const { block[0][at] = exact(sums); }
    static double rough(const Block &block, size_t n) {
        return largest(n, [&](size_t i) { return block[0][i]; });
    }
    double exact(const Sums &sums) const {
        return rater_.improvement(sums.data(), total_.data(), before_, 1.0);
    }
    static double tolerance(double) { return 0.0; }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &node,
               double *lines) const {
        write_moments(target_, sums, total_, 0.0, missing, node, lines);
    }

private:
    const SurrogateTarget &target_;
    const Rater &rater_;
    double before_ = 0.0;
    Moments total_{};
};

} // namespace

template <typename Scorer>
void SurrogateRows::scan(Scorer scorer, const Ordered &column, int64_t least, FirstSplit &best,
                         const SurrogateNode &node) const {
    const OrderedRow *rows = column.known.data();
    const auto [first, end] = CutRange(column.known.size(), least);
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
    if (take_cut(at, column, best))
        scorer.write(below, column.missing, node, best.sums.data());
}

/// Whether a column has anything to cut.
bool SurrogateRows::begin_cut(const Ordered &column, FirstSplit &best) {
    const auto known = column.known;
    best.known = std::ssize(known);
    best.constant = !known.empty() &&
                    std::none_of(known.begin() + 1, known.end(), [](OrderedRow at) { return at.starts(); });
    return known.size() >= 2 && !best.constant;
}

/// Writes down the cut behind a row, if it improves anything.
bool SurrogateRows::take_cut(size_t at, const Ordered &column, FirstSplit &best) const {
    if (!(best.improvement > 0))
        return false;
    best.kind = SplitKind::threshold;
    best.below = static_cast<int64_t>(at) + 1;
    best.threshold = cut_between(number_of(column, at), number_of(column, at + 1), column.feature.whole);
    best.sums.assign(3 * line(), 0.0);
    return true;
}

void SurrogateRows::best_cut(const Ordered &column, const SurrogateNode &node, int64_t least, double floor,
                             FirstSplit &best, SurrogateMemory &memory) const {
    if (!begin_cut(column, best))
        return;
    const auto known = column.known;
    if (rater_.rating == Rating::rates)
        scan(Deviance(target_, rater_, known), column, least, best, node);
    else if (rater_.rating == Rating::entropy)
        scan(ClassEntropy(target_, rater_, known), column, least, best, node);
    else if (counts())
        best_of_counts(column, least, floor, best, memory);
    else if (counts_all())
        scan(ClassCounts(target_, rater_, known), column, least, best, node);
    else
        scan(ClassWeights(target_, rater_, known), column, least, best, node);
}

} // namespace deciduous
