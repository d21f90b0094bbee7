// The first strictly best cut of an ordered column, for the ratings that are convex in the sums below a cut:
// Gini of two counted classes, and squared error. Between two cuts the sums stay within a box, and a convex
// rating is nowhere larger than at the corners of the box. So one pass only adds up, a few rows at a time;
// where the corners come near the best rating that was met, the cuts are looked at, by a formula of few
// divisions, and where that comes near it, by the exact one.
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

constexpr size_t box_rows = 32;

/// Two classes under Gini, all rows of weight 1: counts.
class TwoClasses {
public:
    struct Sums {
        uint32_t rows = 0, second = 0;
    };
    /// Where the sums lie while some rows are added.
    struct Box {
        Sums first, last;
        explicit Box(const Sums &begin) : first(begin) {}
        void meet(const Sums &) {}
        void close(const Sums &end) { last = end; }
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

    DECIDUOUS_INLINE void add(Sums &sums, OrderedRow at, size_t) const {
        ++sums.rows;
        sums.second += is_second_[at.row()];
    }
    void end(const Sums &) {}
    double rough(const Sums &sums) const {
        return rough(static_cast<double>(sums.rows - sums.second), static_cast<double>(sums.second));
    }
    double most_in(const Box &box) const {
        const auto first_begin = static_cast<double>(box.first.rows - box.first.second),
                   first_end = static_cast<double>(box.last.rows - box.last.second);
        const double second_begin = box.first.second, second_end = box.last.second;
        return std::max({rough(first_begin, second_begin), rough(first_begin, second_end),
                         rough(first_end, second_begin), rough(first_end, second_end)});
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
    static double half_mean(double a, double b) { return a + b > 0.0 ? a * b / (a + b) : 0.0; }
    double rough(double first, double second) const {
        const double f0 = rater_.factor[0], f1 = rater_.factor[1];
        return -(half_mean(first * f0, second * f1) +
                 half_mean((total_[0] - first) * f0, (total_[1] - second) * f1));
    }
    static std::array<double, 2> line(const Sums &sums) {
        return {static_cast<double>(sums.rows - sums.second), static_cast<double>(sums.second)};
    }

    const std::uint8_t *is_second_;
    const Rater &rater_;
    uint32_t missing_second_ = 0;
    std::array<double, 2> total_{};
    double before_ = 0.0, tolerance_ = 0.0;
};

/// Numbers about the mean of the known rows, under squared error.
class Squares {
public:
    using Sums = Moments;
    struct Box {
        double least, most, first, last = 0.0; // of the sums of deviations, and of the weights
        explicit Box(const Sums &begin) : least(begin[1]), most(begin[1]), first(begin[0]) {}
        DECIDUOUS_INLINE void meet(const Sums &sums) {
            least = sums[1] < least ? sums[1] : least;
            most = sums[1] > most ? sums[1] : most;
        }
        void close(const Sums &end) { last = end[0]; }
    };

    Squares(const SurrogateTable &table, const Rater &rater, std::span<const OrderedRow> known, double risk)
        : table_(table), rater_(rater), risk_(risk), numbers_(known.size()) {
        for (size_t i = 0; i < known.size(); ++i)
            numbers_[i] = table.numbers[known[i].row()];
        double sum = 0.0;
        for (size_t i = 0; i < known.size(); ++i) {
            const double w = weight_of(known[i]);
            weight_ += w;
            sum += w * numbers_[i];
        }
        mean_ = sum / weight_;
        for (double &number : numbers_)
            number -= mean_;
    }

    DECIDUOUS_INLINE void add(Sums &sums, OrderedRow at, size_t i) const {
        const double w = weight_of(at), deviation = numbers_[i];
        sums[0] += w;
        sums[1] += w * deviation;
        sums[2] += w * (deviation * deviation);
    }
    /// Takes the sums of all rows.
    void end(const Sums &sums) { total_ = sums; }
    double rough(const Sums &sums) const { return sums[1] * sums[1] * per_square(sums[0]); }
    double most_in(const Box &box) const {
        const double most = std::max(box.least * box.least, box.most * box.most);
        return most * std::max(per_square(box.first), per_square(box.last));
    }
    double exact(const Sums &sums) const {
        return rater_.improvement(sums.data(), total_.data(), 0.0, risk_);
    }
    static double tolerance(double top) { return rounding * top; }
    void write(const Sums &sums, std::span<const OrderedRow> missing, const SurrogateNode &node,
               double *lines) const {
        write_moments(table_, sums, total_, mean_, missing, node, lines);
    }

private:
    double weight_of(OrderedRow at) const { return table_.unit_weight ? 1.0 : table_.weight[at.row()]; }
    double per_square(double weight) const { return weight_ / (weight * (weight_ - weight)); }

    const SurrogateTable &table_;
    const Rater &rater_;
    double mean_ = 0.0, risk_ = 1.0, weight_ = 0.0;
    std::vector<double> numbers_; // about the mean, in the order of the column
    Moments total_{};
};

} // namespace

template <typename Scorer>
void SurrogateRows::scan_boxes(Scorer scorer, const Ordered &column, int64_t least, FirstSplit &best,
                               const SurrogateNode &node) const {
    const OrderedRow *rows = column.known.data();
    const auto [first, end] = cuts_of(column, least);
    std::vector<typename Scorer::Sums> begins;
    std::vector<double> most;
    typename Scorer::Sums sums{};
    double top = -HUGE_VAL; // the best rough rating that was met
    for (size_t begin = 0; begin < end; begin += box_rows) {
        const size_t stop = std::min(begin + box_rows, end);
        typename Scorer::Box box(sums);
        begins.push_back(sums);
        int64_t cuts = 0;
        for (size_t i = begin; i < stop; ++i) {
            scorer.add(sums, rows[i], i);
            box.meet(sums);
            cuts += rows[i + 1].starts() & (i >= first);
        }
        box.close(sums);
        best.tried += cuts;
        most.push_back(cuts > 0 ? scorer.most_in(box) : -HUGE_VAL);
        if (rows[stop].starts() && stop > first)
            top = std::max(top, scorer.rough(sums));
    }
    for (size_t i = end; i < column.known.size(); ++i)
        scorer.add(sums, rows[i], i);
    scorer.end(sums);
    if (best.tried == 0)
        return;
    size_t at = 0;
    typename Scorer::Sums below{};
    const auto bar = [&] { return std::isfinite(top) ? top - scorer.tolerance(top) : top; };
    const auto look = [&](size_t box, auto near) {
        sums = begins[box];
        for (size_t i = box * box_rows; i < std::min((box + 1) * box_rows, end); ++i) {
            scorer.add(sums, rows[i], i);
            if (!rows[i + 1].starts() || i < first)
                continue;
            const double rating = scorer.rough(sums);
            if (!(rating >= bar()))
                continue;
            top = std::max(top, rating);
            near(i);
        }
    };
    const auto decide = [&](size_t i) {
        const double value = scorer.exact(sums);
        if (value > best.improvement) {
            best.improvement = value;
            at = i;
            below = sums;
        }
    };
    // The box that may hold the best comes first, to raise the bar; then all, as the first one wins.
    look(static_cast<size_t>(std::max_element(most.begin(), most.end()) - most.begin()), [](size_t) {});
    for (size_t box = 0; box < begins.size(); ++box)
        if (most[box] >= bar())
            look(box, decide);
    if (!take_cut(at, column, best))
        return;
    scorer.write(below, column.missing, node, best.sums.data());
}

void SurrogateRows::best_of_two_classes(const Ordered &column, const SurrogateNode &node, uint32_t second,
                                        int64_t least, FirstSplit &best) const {
    scan_boxes(TwoClasses(*table_, rater_, column.known, column.missing, second), column, least, best, node);
}

void SurrogateRows::best_of_squares(const Ordered &column, const SurrogateNode &node, int64_t least,
                                    FirstSplit &best) const {
    scan_boxes(Squares(*table_, rater_, column.known, node.risk), column, least, best, node);
}

} // namespace deciduous
