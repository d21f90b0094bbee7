// Thresholds that pay for the number of their rivals (Quinlan 1996), told before any gain is worked out.
#pragma once

#include "thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace deciduous {

/// So many cuts of a node cannot pay for each other: each owes log2 of their number, of the node's entropy
/// (as are gains, times its weight), and no gain is more than all of that.
inline double most_paying_cuts(std::span<const double> classes) {
    const double bits = -purity(Measure::entropy, classes) / std::log(2.0);
    return std::exp2(bits * (1.0 + 1e-9)) + 2.0; // and for rounding
}

/// Whether more than so many cuts leave the weight `least` on both sides.
template <typename R>
bool has_more_cuts(std::span<const R> known, const Packing<R> &packing, const double *weights, double least,
                   double most) {
    size_t first = 0, last = known.size(); // cuts lie in [first, last)
    const auto weight = [&](size_t i) { return weights ? weights[packing.row(known[i])] : 1.0; };
    for (double left = 0.0; first < last && left < least; ++first)
        left += weight(first);
    for (double right = 0.0; first < last && right < least; --last)
        right += weight(last - 1);
    size_t cuts = 0;
    for (size_t i = std::max<size_t>(first, 1); i < last; ++i)
        cuts += Packing<R>::start(known[i]);
    return static_cast<double>(cuts) > most;
}

/// Whether more cuts are allowed than can pay for each other. `least`: the weight that both sides must have.
template <typename R>
bool has_too_many_cuts(std::span<const R> known, const Packing<R> &packing, const NodeTarget &node,
                       double least) {
    const double most = most_paying_cuts(node.totals);
    return static_cast<double>(known.size()) > most &&
           has_more_cuts(known, packing, node.weights, least, most);
}

} // namespace deciduous
