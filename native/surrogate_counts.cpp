// The first strictly best cut of an ordered column for two classes under Gini, whose rows need only be
// counted. Within a box of rows both counts only rise, and the rating is convex in them, so that no cut is
// rated above the corners of what the counts can be. Where the corners come near the best rating that was
// met, the cuts are looked at, by a formula of few divisions, and where that comes near it, by the exact one.
#include "surrogate_bits.hpp"
#include "surrogate_sums.hpp"
#include "vector.hpp"

#include <array>
#include <bit>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint64_t;

/// How many rows of each class lie below a cut.
struct Counts {
    double first = 0.0, second = 0.0;
};

class TwoClasses {
public:
    TwoClasses(const Rater &rater, Counts total)
        : rater_(rater), total_{total.first, total.second}, f0_(rater.factor[0]), f1_(rater.factor[1]),
          before_(rater.before(total_.data())), tolerance_(rounding * (total.first * f0_ + total.second * f1_)) {}

    /// The rating, but for what is the same for all cuts.
    DECIDUOUS_INLINE double rough(Counts below) const {
        return -(half_mean(below.first * f0_, below.second * f1_) +
                 half_mean((total_[0] - below.first) * f0_, (total_[1] - below.second) * f1_));
    }
    /// Nothing between these counts is rated higher.
    DECIDUOUS_INLINE double most_between(Counts a, Counts b) const {
        return std::max(std::max(rough(a), rough(b)),
                        std::max(rough({a.first, b.second}), rough({b.first, a.second})));
    }
    double exact(Counts below) const {
        const double left[] = {below.first, below.second};
        return rater_.improvement(left, total_.data(), before_, 1.0);
    }
    double tolerance() const { return tolerance_; }
    void write(Counts below, Counts missing, double *lines) const {
        const double all[] = {below.first, below.second, total_[0] - below.first, total_[1] - below.second,
                              missing.first, missing.second};
        std::copy(std::begin(all), std::end(all), lines);
    }

private:
    DECIDUOUS_INLINE static double half_mean(double a, double b) {
        return a + b > 0.0 ? a * b / (a + b) : 0.0;
    }

    const Rater &rater_;
    std::array<double, 2> total_;
    double f0_, f1_, before_, tolerance_;
};

/// What is found in a column, whose boxes are the words of its bits.
struct Search {
    const TwoClasses &classes;
    std::span<const uint64_t> starts, second;
    CutRange cuts;
    std::span<int64_t> begins; // rows of the second class before each box
    std::span<double> most;
    double top = -HUGE_VAL; // the best rough rating that was met
    int64_t tried = 0;
    double improvement = -HUGE_VAL;
    size_t at = 0;
    Counts below{};

    DECIDUOUS_INLINE uint64_t cuts_in(size_t box) const {
        return cuts_of(starts, box, cuts.first, cuts.end);
    }
    DECIDUOUS_INLINE static Counts counts(size_t rows, int64_t n_second) {
        return {static_cast<double>(static_cast<int64_t>(rows) - n_second), static_cast<double>(n_second)};
    }
    double bar() const { return std::isfinite(top) ? top - classes.tolerance() : top; }

    DECIDUOUS_INLINE void bound(size_t n_rows) {
        int64_t n_second = 0;
        for (size_t box = 0; box < most.size(); ++box) {
            begins[box] = n_second;
            const uint64_t here = cuts_in(box);
            const size_t begin = box * word_rows, end = std::min(begin + word_rows, n_rows);
            const Counts first = counts(begin, n_second);
            n_second += std::popcount(second[box]);
            const Counts last = counts(end, n_second);
            tried += std::popcount(here);
            most[box] = here != 0 ? classes.most_between(first, last) : -HUGE_VAL;
            if (here >> (word_rows - 1) != 0)
                top = std::max(top, classes.rough(last));
        }
    }

    /// Calls near(row, counts) for the cuts of a box that are rated near the best, which they raise.
    template <typename Near>
    DECIDUOUS_INLINE void look(size_t box, Near near) {
        for (uint64_t left = cuts_in(box); left != 0; left &= left - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(left));
            const size_t row = box * word_rows + bit;
            const Counts here =
                counts(row + 1, begins[box] + std::popcount(second[box] & up_to(bit)));
            const double rating = classes.rough(here);
            if (!(rating >= bar()))
                continue;
            top = std::max(top, rating);
            near(row, here);
        }
    }

    /// The box that may hold the best comes first, to raise the bar; then all, as the first one wins.
    DECIDUOUS_INLINE void decide() {
        look(static_cast<size_t>(std::max_element(most.begin(), most.end()) - most.begin()),
             [](size_t, Counts) {});
        for (size_t box = 0; box < most.size(); ++box)
            if (most[box] >= bar())
                look(box, [&](size_t row, Counts here) {
                    const double value = classes.exact(here);
                    if (value > improvement) {
                        improvement = value;
                        at = row;
                        below = here;
                    }
                });
    }

    DECIDUOUS_INLINE void run(size_t n_rows) {
        bound(n_rows);
        if (tried > 0)
            decide();
    }
};

DECIDUOUS_BITS void run_with_bits(Search &search, size_t n_rows) {
    search.run(n_rows);
}

int64_t count(std::span<const uint64_t> words) {
    int64_t n = 0;
    for (const uint64_t word : words)
        n += std::popcount(word);
    return n;
}

DECIDUOUS_BITS int64_t count_with_bits(std::span<const uint64_t> words) {
    return count(words);
}

} // namespace

void SurrogateRows::best_of_counts(const Ordered &column, int64_t least, FirstSplit &best,
                                   SurrogateMemory &memory) const {
    const size_t n = column.known.size(), n_boxes = (n + word_rows - 1) / word_rows;
    start_bits(column.known, memory.starts[0]);
    second_class_bits(column.known, memory.second);
    memory.begins.resize(std::max(memory.begins.size(), n_boxes));
    memory.most.resize(std::max(memory.most.size(), n_boxes));
    const int64_t n_second = has_bits() ? count_with_bits(memory.second) : count(memory.second);
    const TwoClasses classes(rater_, Search::counts(n, n_second));
    Search search{classes,
                  memory.starts[0],
                  memory.second,
                  CutRange(n, least),
                  std::span(memory.begins).first(n_boxes),
                  std::span(memory.most).first(n_boxes)};
    has_bits() ? run_with_bits(search, n) : search.run(n);
    best.tried = search.tried;
    best.improvement = search.improvement;
    if (!take_cut(search.at, column, best))
        return;
    const auto missing_second =
        std::count_if(column.missing.begin(), column.missing.end(), [](auto at) { return at.is_second(); });
    classes.write(search.below, Search::counts(column.missing.size(), missing_second), best.sums.data());
}

} // namespace deciduous
