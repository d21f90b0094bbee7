// Sets of numbers that gain and lose one after another and always know their absolute error about the median:
// what both sides of every cut of a sequence come to, in one pass after one sort.
#pragma once

#include "deviations.hpp"
#include "rank_set.hpp"
#include "vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>

namespace deciduous {

/// Numbers of unit weight, by their ranks among the numbers of a node. A number adds its distance from the
/// median, or from the nearer of two middle values, or takes it away; then the middle moves to a neighbour,
/// or stays. Nothing here is a branch that the processor would have to guess.
class UnitMedianSet {
public:
    /// Begins with n ranks in a set, whose middle values are given, or with none; `y`: the numbers in
    /// increasing order, borrowed; `error`: of those in the set.
    UnitMedianSet(RankSet ranks, const double *y, std::size_t n, std::uint32_t low, std::uint32_t high,
                  double error)
        : ranks_(ranks), y_(y), n_(n), low_(low), high_(high), error_(error) {}
    UnitMedianSet(RankSet ranks, const double *y) : ranks_(ranks), y_(y) {}

    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        ranks_.insert(rank);
        const std::uint32_t middle = std::min(std::max(rank, low_), high_);
        error_ += std::abs(y_[rank] - y_[middle]);
        low_ = high_ = middle;
        if (n_ % 2) {
            low_ = ranks_.below(middle, rank >= middle);
            high_ = ranks_.above(middle, rank <= middle);
        }
        ++n_;
    }

    DECIDUOUS_INLINE void remove(std::uint32_t rank) {
        ranks_.erase(rank);
        if (n_ == 1) [[unlikely]] {
            *this = UnitMedianSet(ranks_, y_);
            return;
        }
        const std::uint32_t middle = rank <= low_ ? high_ : low_;
        error_ -= std::abs(y_[rank] - y_[middle]);
        low_ = high_ = middle;
        if (n_ % 2) {
            low_ = ranks_.below(middle, rank < middle);
            high_ = ranks_.above(middle, rank > middle);
        }
        --n_;
    }

    /// Goes back to where the set stood when these ranks had not left.
    void put_back(std::span<const std::uint32_t> ranks, const UnitMedianSet &then) {
        for (const std::uint32_t rank : ranks)
            ranks_.insert(rank);
        *this = then;
    }

    double weight() const { return static_cast<double>(n_); }
    /// The sum of |y - median|.
    double error() const { return std::max(error_, 0.0); }
    double median() const { return n_ ? midpoint(y_[low_], y_[high_]) : 0.0; }

private:
    RankSet ranks_;
    const double *y_;
    std::size_t n_ = 0;
    std::uint32_t low_ = 0, high_ = UINT32_MAX; // the middle values, or any, while there is none
    double error_ = 0.0;
};

/// Numbers with weights. The middle is the least number up to which they come to half; it moves by as many
/// numbers as make up half of the weight that came or left: O(n) altogether where weights do not conspire
/// with the order.
class WeightedMedianSet {
public:
    /// Begins with none; `y`, `weights`: in increasing order of y, borrowed.
    WeightedMedianSet(RankSet ranks, const double *y, const double *weights)
        : ranks_(ranks), y_(y), weights_(weights) {}

    /// Begins with n numbers.
    WeightedMedianSet(RankSet ranks, const double *y, const double *weights, std::size_t n, double error)
        : ranks_(ranks), y_(y), weights_(weights), n_(n), error_(error) {
        weight_ = std::accumulate(weights, weights + n, 0.0);
        below_ = n ? weights[0] : 0.0;
        while (middle_ + 1 < n && below_ < half())
            below_ += weights[++middle_];
    }

    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        ranks_.insert(rank);
        middle_ = n_++ ? middle_ : rank;
        const double w = weights_[rank];
        error_ += w * std::abs(y_[rank] - y_[middle_]);
        weight_ += w;
        below_ += rank <= middle_ ? w : 0.0;
        settle();
    }

    DECIDUOUS_INLINE void remove(std::uint32_t rank) {
        ranks_.erase(rank);
        if (--n_ == 0) [[unlikely]] {
            *this = WeightedMedianSet(ranks_, y_, weights_);
            return;
        }
        const double w = weights_[rank];
        error_ -= w * std::abs(y_[rank] - y_[middle_]);
        weight_ -= w;
        below_ -= rank <= middle_ ? w : 0.0;
        if (rank == middle_)
            leave();
        settle();
    }

    void put_back(std::span<const std::uint32_t> ranks, const WeightedMedianSet &then) {
        for (const std::uint32_t rank : ranks)
            ranks_.insert(rank);
        *this = then;
    }

    double weight() const { return weight_; }
    /// The sum of w |y - median|.
    double error() const { return std::max(error_, 0.0); }

    double median() const {
        if (!n_)
            return 0.0;
        std::uint32_t upper = middle_, next = 0;
        for (double below = below_;
             below < weight_ / 2 + half_slack * weight_ && (next = after(upper)) != RankSet::none;
             below += weights_[next])
            upper = next;
        return midpoint(y_[middle_], y_[upper]);
    }

private:
    double half() const { return weight_ / 2 - half_slack * weight_; }
    std::uint32_t before(std::uint32_t rank) const { return ranks_.below(rank, false); }
    std::uint32_t after(std::uint32_t rank) const { return ranks_.above(rank, false); }

    /// Moves the middle to another number; `below`: the weight of those that are not above the way there.
    void move_to(std::uint32_t rank, double below) {
        error_ += (y_[rank] - y_[middle_]) * (2 * below - weight_);
        middle_ = rank;
    }

    /// Moves the middle, which is no longer in the set, to a neighbour.
    void leave() {
        if (const std::uint32_t lower = before(middle_); lower != RankSet::none) {
            move_to(lower, below_);
            return;
        }
        move_to(after(middle_), 0.0);
        below_ = weights_[middle_];
    }

    /// Moves the middle to the least number up to which the weight comes to half.
    void settle() {
        std::uint32_t next = 0;
        while (below_ - weights_[middle_] >= half() && (next = before(middle_)) != RankSet::none) {
            below_ -= weights_[middle_];
            move_to(next, below_);
        }
        while (below_ < half() && (next = after(middle_)) != RankSet::none) {
            move_to(next, below_);
            below_ += weights_[middle_];
        }
    }

    RankSet ranks_;
    const double *y_, *weights_;
    std::size_t n_ = 0;
    std::uint32_t middle_ = 0;
    double error_ = 0.0, weight_ = 0.0, below_ = 0.0; // of all; up to the middle and with it
};

/// The numbers of a node in order, as sets of them begin.
struct OrderedNumbers {
    const double *y, *weights; // null: all 1
    std::size_t n;
    double error; // of all

    template <bool Weighted>
    auto none(RankMemory &memory) const {
        const RankSet ranks(n, false, memory);
        if constexpr (Weighted)
            return WeightedMedianSet(ranks, y, weights);
        else
            return UnitMedianSet(ranks, y);
    }

    template <bool Weighted>
    auto all(RankMemory &memory) const {
        const RankSet ranks(n, true, memory);
        if constexpr (Weighted)
            return WeightedMedianSet(ranks, y, weights, n, error);
        else
            return UnitMedianSet(ranks, y, n, static_cast<std::uint32_t>((n - 1) / 2),
                                 static_cast<std::uint32_t>(n / 2), error);
    }
};

/// Numbers of unit weight on both sides of a cut that moves along them; each number is on one of the sides.
/// `Ranks`: those on the left, and outside of them those on the right.
///
/// A number that makes the numbers of a side odd, or even, adds its distance from the median of the odd ones,
/// or takes it away. So a median serves two moves, and none has to wait for the one before.
template <typename Ranks>
class MedianSides {
public:
    /// Begins with all numbers on the right; `y`: in increasing order, borrowed.
    MedianSides(Ranks ranks, const double *y) : ranks_(ranks), y_(y) {}

    /// Moves n - 1 of the n numbers to the left, and calls `visit` each time with how much lower the sum of
    /// errors is than that of all. `rank(i)`: of the i-th number.
    template <typename RankAt, typename Visit>
    DECIDUOUS_INLINE void move_all(std::uint32_t n, RankAt rank, Visit visit) {
        n % 2 ? move_pairs<true>(n, rank, visit) : move_pairs<false>(n, rank, visit);
    }

private:
    /// `Odd`: the right side has an odd number of numbers when the left has an even one.
    template <bool Odd, typename RankAt, typename Visit>
    DECIDUOUS_INLINE void move_pairs(std::uint32_t n, RankAt rank, Visit visit) {
        double gain = 0.0, left = 0.0, right = Odd ? y_[ranks_.outside(n / 2)] : 0.0;
        const auto move = [&](std::uint32_t i, auto &&look_up) {
            const std::uint32_t at = rank(i);
            const double y = y_[at];
            ranks_.insert(at);
            look_up();
            gain += std::abs(y - right) - std::abs(y - left);
            visit(i + 1, gain);
        };
        const auto to_odd = [&](std::uint32_t i) {
            move(i, [&] {
                left = y_[ranks_.inside(i / 2)];
                if constexpr (!Odd)
                    right = y_[ranks_.outside((n - i - 1) / 2)];
            });
        };
        const auto to_even = [&](std::uint32_t i) {
            move(i, [&] {
                if constexpr (Odd)
                    right = y_[ranks_.outside((n - i - 1) / 2)];
            });
        };
        std::uint32_t i = 0;
        for (; i + 2 < n; i += 2) {
            to_odd(i);
            to_even(i + 1);
        }
        if (i + 1 < n)
            to_odd(i);
    }

    Ranks ranks_;
    const double *y_;
};

} // namespace deciduous
