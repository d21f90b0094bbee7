// A set of numbers that loses one after another and always knows its absolute error about the median: the
// statistics of all prefixes of a sequence, the longest first, in O(n) after one sort.
#pragma once

#include "deviations.hpp"
#include "vector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace deciduous {

/// A number in a list that stands in order. Links count from 1: the first and the last one are no numbers.
struct Link {
    std::uint32_t before = 0, after = 0;
};

/// The numbers stand in order in a linked list, and the median is a place in it. A number that leaves takes
/// its distance from the median with it; the median then moves to a neighbour, or stays. With weights it may
/// move further: by as many numbers as make up half of the weight that left, O(n) altogether where weights do
/// not conspire with the order. The list lies in memory that is lent.
template <bool Weighted>
class ShrinkingSet {
public:
    /// Begins with all numbers; `y` and `weights` (null: all 1) in increasing order of y, borrowed. `error`:
    /// theirs.
    ShrinkingSet(std::span<const double> y, const double *weights, double error, std::vector<Link> &memory);

    /// Takes out the number of this rank.
    DECIDUOUS_INLINE void remove(std::uint32_t rank);

    /// Goes back to where the set stood, when these ranks had not left, in this order.
    void put_back(std::span<const std::uint32_t> ranks, const ShrinkingSet &then);

    double weight() const { return Weighted ? weight_ : static_cast<double>(n_); }
    /// The sum of w |y - median|.
    double error() const { return n_ ? std::max(error_, 0.0) : 0.0; }
    double median() const;

private:
    double weight_at(std::uint32_t link) const { return weights_[link - 1]; }
    double y_at(std::uint32_t link) const { return y_[link - 1]; }
    double half() const { return weight_ / 2 - half_slack * weight_; }
    /// Without a branch, which nothing could predict.
    static std::uint32_t chosen(bool first, std::uint32_t a, std::uint32_t b) {
        return b ^ ((a ^ b) & (0U - std::uint32_t{first}));
    }
    void move_to(std::uint32_t link, double below);
    void settle();

    Link *links_;
    const double *y_, *weights_;
    std::size_t n_;
    std::uint32_t middle_, end_;
    double error_;
    double weight_ = 0.0, below_ = 0.0; // of all; up to the middle and with it
};

template <bool Weighted>
ShrinkingSet<Weighted>::ShrinkingSet(std::span<const double> y, const double *weights, double error,
                                     std::vector<Link> &memory)
    : y_(y.data()), weights_(weights), n_(y.size()), middle_(static_cast<std::uint32_t>((n_ + 1) / 2)),
      end_(static_cast<std::uint32_t>(n_ + 1)), error_(error) {
    if (memory.size() < n_ + 2)
        memory.resize(n_ + 2);
    links_ = memory.data();
    for (std::uint32_t i = 1; i < end_; ++i)
        links_[i] = {i - 1, i + 1};
    links_[0] = {0, 1};
    links_[end_] = {end_ - 1, end_};
    if constexpr (Weighted) {
        weight_ = std::accumulate(weights, weights + n_, 0.0);
        middle_ = 0;
        while (middle_ + 1 < end_ && below_ < half())
            below_ += weight_at(++middle_);
    }
}

template <bool Weighted>
DECIDUOUS_INLINE void ShrinkingSet<Weighted>::remove(std::uint32_t rank) {
    const std::uint32_t at = rank + 1;
    const Link link = links_[at];
    links_[link.before].after = link.after;
    links_[link.after].before = link.before;
    if constexpr (Weighted) {
        const double w = weight_at(at);
        error_ -= w * std::abs(y_at(at) - y_at(middle_));
        weight_ -= w;
        below_ -= at <= middle_ ? w : 0.0;
        if (at == middle_ && link.before > 0) {
            move_to(link.before, below_);
        } else if (at == middle_ && link.after < end_) {
            move_to(link.after, 0.0);
            below_ = weight_at(middle_);
        }
        settle();
    } else if (n_ % 2 == 0) { // of two middle values the lower one is kept; now one of them is the median
        middle_ = chosen(at <= middle_, links_[middle_].after, middle_);
        error_ -= std::abs(y_at(at) - y_at(middle_));
    } else {
        error_ -= std::abs(y_at(at) - y_at(middle_));
        middle_ = chosen(at >= middle_, links_[middle_].before, middle_);
    }
    --n_;
}

/// Moves the middle to another number; `below`: the weight of those that are not above the way there.
template <bool Weighted>
void ShrinkingSet<Weighted>::move_to(std::uint32_t link, double below) {
    error_ += (y_at(link) - y_at(middle_)) * (2 * below - weight_);
    middle_ = link;
}

/// Moves the middle to the least number up to which the weight comes to half.
template <bool Weighted>
void ShrinkingSet<Weighted>::settle() {
    while (links_[middle_].before > 0 && below_ - weight_at(middle_) >= half()) {
        below_ -= weight_at(middle_);
        move_to(links_[middle_].before, below_);
    }
    while (below_ < half() && links_[middle_].after < end_) {
        move_to(links_[middle_].after, below_);
        below_ += weight_at(middle_);
    }
}

template <bool Weighted>
void ShrinkingSet<Weighted>::put_back(std::span<const std::uint32_t> ranks, const ShrinkingSet &then) {
    for (std::size_t i = ranks.size(); i-- > 0;) { // a link that left still knows its neighbours of that time
        const std::uint32_t at = ranks[i] + 1;
        links_[links_[at].before].after = at;
        links_[links_[at].after].before = at;
    }
    *this = then;
}

template <bool Weighted>
double ShrinkingSet<Weighted>::median() const {
    if (!n_)
        return 0.0;
    std::uint32_t upper = middle_;
    if constexpr (Weighted) {
        double below = below_;
        while (below < weight_ / 2 + half_slack * weight_ && links_[upper].after < end_) {
            upper = links_[upper].after;
            below += weight_at(upper);
        }
    } else if (n_ % 2 == 0) {
        upper = links_[upper].after;
    }
    return midpoint(y_at(middle_), y_at(upper));
}

} // namespace deciduous
