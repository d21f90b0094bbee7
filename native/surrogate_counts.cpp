// The first strictly best cut of an ordered column for two classes under Gini, whose rows need only be
// counted. With a and b the altered weights of the classes below a cut, t and u those of all rows in units of
// the whole weight, A = a + b, C = 1 - A and D = b t - a u, the improvement is 2 D^2 / (A C) of that weight.
// One pass rates every 32nd cut in this way, a second one all, in single precision where vectors can; where
// they come near the best rating that was met, the exact formula decides.
#include "surrogate_bits.hpp"
#include "surrogate_sums.hpp"
#include "vector.hpp"

#include <array>
#include <bit>

namespace deciduous {
namespace {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr size_t box_rows = 32, boxes_of_word = word_rows / box_rows;

/// How many rows of each class lie below a cut.
struct Counts {
    double first = 0.0, second = 0.0;

    static Counts of(size_t rows, int64_t n_second) {
        return {static_cast<double>(static_cast<int64_t>(rows) - n_second), static_cast<double>(n_second)};
    }
};

class TwoClasses {
public:
    TwoClasses(const Rater &rater, Counts total)
        : rater_(rater), total_{total.first, total.second}, before_(rater.before(total_.data())) {
        whole = total.first * rater.factor[0] + total.second * rater.factor[1];
        unit = {rater.factor[0] / whole, rater.factor[1] / whole};
        share = {total.first * unit[0], total.second * unit[1]};
    }

    /// A, and D.
    DECIDUOUS_INLINE std::array<double, 2> place(Counts below) const {
        const double a = below.first * unit[0], b = below.second * unit[1];
        return {a + b, b * share[0] - a * share[1]};
    }
    DECIDUOUS_INLINE double rough(Counts below) const {
        const auto [weight, difference] = place(below);
        return difference * difference / (weight * (1.0 - weight));
    }
    double exact(Counts below) const {
        const double left[] = {below.first, below.second};
        return rater_.improvement(left, total_.data(), before_, 1.0);
    }
    void write(Counts below, Counts missing, double *lines) const {
        const double all[] = {below.first,   below.second,  total_[0] - below.first, total_[1] - below.second,
                              missing.first, missing.second};
        std::copy(std::begin(all), std::end(all), lines);
    }

    std::array<double, 2> unit, share; // what a row of each class weighs, and what all do
    double whole = 0.0;                // what all rows weigh

private:
    const Rater &rater_;
    std::array<double, 2> total_;
    double before_;
};

/// The cuts of a column, box by box.
class BoxedCuts {
public:
    /// `floor`: the rating that is to be reached.
    BoxedCuts(const TwoClasses &classes, std::span<const uint64_t> starts, std::span<const uint64_t> second,
              CutRange cuts, double floor, std::span<int64_t> begins)
        : classes_(classes), starts_(starts), second_(second), cuts_(cuts), begins_(begins), top_(floor) {}

    /// Counts the cuts, and rates the last of each box.
    DECIDUOUS_INLINE void count() {
        int64_t n_second = 0;
        for (size_t box = 0; box < begins_.size(); ++box) {
            begins_[box] = n_second;
            n_second += std::popcount(second_in(box));
            const uint32_t here = cuts_in(box);
            tried += std::popcount(here);
            if (here >> (box_rows - 1) != 0)
                meet(classes_.rough(Counts::of((box + 1) * box_rows, n_second)));
        }
    }

    /// Finds the best; `near`: which cuts of a box may be rated so, a bit a row.
    template <typename Near>
    DECIDUOUS_INLINE void decide(Near near) {
        for (size_t box = 0; box < begins_.size(); ++box) {
            const uint32_t here = cuts_in(box);
            if (here == 0)
                continue;
            for (uint32_t left = here & near(*this, box); left != 0; left &= left - 1)
                decide(box, static_cast<unsigned>(std::countr_zero(left)));
        }
    }

    DECIDUOUS_INLINE uint32_t second_in(size_t box) const { return part(second_[box / boxes_of_word], box); }
    double bar() const { return top_ - rounding; }
    const TwoClasses &classes() const { return classes_; }
    /// The counts before a box.
    Counts begin(size_t box) const { return Counts::of(box * box_rows, begins_[box]); }

    int64_t tried = 0;
    double improvement = -HUGE_VAL;
    size_t at = 0;
    Counts below{};

private:
    DECIDUOUS_INLINE static uint32_t part(uint64_t word, size_t box) {
        return static_cast<uint32_t>(word >> (box % boxes_of_word * box_rows));
    }
    DECIDUOUS_INLINE uint32_t cuts_in(size_t box) const {
        return part(cuts_of(starts_, box / boxes_of_word, cuts_.first, cuts_.end), box);
    }
    DECIDUOUS_INLINE void meet(double rating) { top_ = rating > top_ ? rating : top_; }
    void decide(size_t box, unsigned bit) {
        const size_t row = box * box_rows + bit;
        const uint32_t before = second_in(box) & (~uint32_t{0} >> (box_rows - 1 - bit));
        const Counts here = Counts::of(row + 1, begins_[box] + std::popcount(before));
        const double rating = classes_.rough(here);
        if (rating < bar())
            return;
        meet(rating);
        const double value = classes_.exact(here);
        if (value > improvement) {
            improvement = value;
            at = row;
            below = here;
        }
    }

    const TwoClasses &classes_;
    std::span<const uint64_t> starts_, second_;
    CutRange cuts_;
    std::span<int64_t> begins_; // rows of the second class before each box
    double top_;                // the best rough rating that was met
};

uint32_t any_near(const BoxedCuts &, size_t) {
    return ~uint32_t{0};
}

#ifdef DECIDUOUS_AVX2

/// Ratings in single precision differ from those in double by less than this share.
constexpr float single_rounding = 1e-5F;

/// Of a box, the cuts that are rated near the best, and few others.
class NearByVectors {
public:
    DECIDUOUS_AVX2 explicit NearByVectors(const TwoClasses &classes) {
        const auto &u = classes.unit;
        const auto single = [](double x) { return static_cast<float>(x); };
        by_row_ = {single(u[0]), single(-u[0] * classes.share[1])};
        by_second_ = {single(u[1] - u[0]), single(u[1] * classes.share[0] + u[0] * classes.share[1])};
    }

    DECIDUOUS_AVX2 uint32_t operator()(const BoxedCuts &cuts, size_t box) const {
        const auto [weight, difference] = cuts.classes().place(cuts.begin(box));
        const __m256 bar = _mm256_set1_ps(static_cast<float>(cuts.bar()) * (1.0F - single_rounding)),
                     one = _mm256_set1_ps(1.0F);
        alignas(32) std::array<std::uint8_t, box_rows> seconds; // up to each row
        const __m256i ones = _mm256_and_si256(bytes_of(cuts.second_in(box)), _mm256_set1_epi8(1));
        _mm256_store_si256(reinterpret_cast<__m256i *>(seconds.data()), sums_up_to(ones));
        const __m256 A = _mm256_set1_ps(static_cast<float>(weight)),
                     D = _mm256_set1_ps(static_cast<float>(difference));
        uint32_t near = 0;
        for (size_t i = 0; i < box_rows; i += 8) {
            const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(seconds.data() + i));
            const __m256 second = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)),
                         row = _mm256_add_ps(_mm256_set1_ps(static_cast<float>(i)),
                                             _mm256_setr_ps(1, 2, 3, 4, 5, 6, 7, 8));
            const __m256 a = _mm256_add_ps(A, sum(row, by_row_[0], second, by_second_[0])),
                         d = _mm256_add_ps(D, sum(row, by_row_[1], second, by_second_[1]));
            const __m256 least = _mm256_mul_ps(bar, _mm256_mul_ps(a, _mm256_sub_ps(one, a)));
            // Not "at least": what is no number is near
            const __m256 far = _mm256_cmp_ps(_mm256_mul_ps(d, d), least, _CMP_LT_OQ);
            near |= (~static_cast<uint32_t>(_mm256_movemask_ps(far)) & 0xffU) << i;
        }
        return near;
    }

private:
    DECIDUOUS_AVX2 static __m256 sum(__m256 x, float by_x, __m256 y, float by_y) {
        return _mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(by_x)), _mm256_mul_ps(y, _mm256_set1_ps(by_y)));
    }

    std::array<float, 2> by_row_, by_second_; // what A and D grow by
};

DECIDUOUS_AVX2 void run_by_vectors(BoxedCuts &cuts) {
    cuts.count();
    cuts.decide(NearByVectors(cuts.classes()));
}

#endif

void run(BoxedCuts &cuts) {
#ifdef DECIDUOUS_AVX2
    if (has_avx2())
        return run_by_vectors(cuts);
#endif
    cuts.count();
    cuts.decide(any_near);
}

} // namespace

void SurrogateRows::best_of_counts(const Ordered &column, int64_t least, double floor, FirstSplit &best,
                                   SurrogateMemory &memory) const {
    const size_t n = column.known.size(), n_boxes = (n + box_rows - 1) / box_rows;
    find_starts(column, memory);
    second_class_bits(column.known, memory.second);
    memory.begins.resize(std::max(memory.begins.size(), n_boxes));
    const TwoClasses classes(rater_, Counts::of(n, count_bits(memory.second)));
    BoxedCuts cuts(classes, memory.starts, memory.second, CutRange(n, least), floor / (2.0 * classes.whole),
                   std::span(memory.begins).first(n_boxes));
    run(cuts);
    best.tried = cuts.tried;
    best.improvement = cuts.improvement;
    if (!take_cut(cuts.at, column, best))
        return;
    const auto missing_second =
        std::count_if(column.missing.begin(), column.missing.end(), [](auto at) { return at.is_second(); });
    classes.write(cuts.below, Counts::of(column.missing.size(), missing_second), best.sums.data());
}

} // namespace deciduous
