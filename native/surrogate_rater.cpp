// How the sides of a split are rated: the twin of the classes of search/first.py.
#include "surrogate_sums.hpp"

namespace deciduous {
namespace {

using std::size_t;

double impurity(Rating rating, double p) {
    if (rating == Rating::gini)
        return p * (1 - p);
    return p > 0 ? -p * std::log(p) : 0.0;
}

double log_likelihood(double t, double d) {
    return d > 0 ? d * std::log(d / t) : 0.0;
}

} // namespace

double Rater::before(const double *total) const {
    if (rating == Rating::squares)
        return 0.0;
    if (rating == Rating::rates)
        return log_likelihood(total[0], total[1]);
    double weight = 0.0, found = 0.0;
    for (size_t k = 0; k < factor.size(); ++k)
        weight += total[k] * factor[k];
    for (size_t k = 0; k < factor.size(); ++k)
        found += weight * impurity(rating, total[k] * factor[k] / weight);
    return found;
}

double Rater::improvement(const double *left, const double *total, double before_it, double risk) const {
    if (rating == Rating::squares) {
        const double square = left[1] * left[1];
        return (square / left[0] + square / (total[0] - left[0])) / risk;
    }
    if (rating == Rating::rates)
        return 2 * (log_likelihood(left[0], left[1]) +
                    log_likelihood(total[0] - left[0], total[1] - left[1]) - before_it);
    double left_weight = 0.0, right_weight = 0.0, after = 0.0;
    for (size_t k = 0; k < factor.size(); ++k) {
        left_weight += left[k] * factor[k];
        right_weight += (total[k] - left[k]) * factor[k];
    }
    for (size_t k = 0; k < factor.size(); ++k) {
        after += left_weight * impurity(rating, left[k] * factor[k] / left_weight);
        after += right_weight * impurity(rating, (total[k] - left[k]) * factor[k] / right_weight);
    }
    return before_it - after;
}

bool Rater::hopeless(const double *left, const double *total, double before_it, double risk,
                     double best) const {
    if (best <= 0)
        return false;
    if (rating == Rating::squares) // L^2 / w + L^2 / (W - w) = W L^2 / (w (W - w))
        return total[0] * (left[1] * left[1]) <
               (1 - rounding) * best * risk * (left[0] * (total[0] - left[0]));
    if (rating != Rating::gini)
        return false;
    if (factor.size() == 2) { // 2 D^2 / (W A C): see surrogate_counts.cpp
        const double a = left[0] * factor[0], b = left[1] * factor[1], all_a = total[0] * factor[0],
                     all_b = total[1] * factor[1], all = all_a + all_b, difference = b * all_a - a * all_b;
        return 2.0 * (difference * difference) < (best - rounding * all) * all * ((a + b) * (all - (a + b)));
    }
    double left_weight = 0.0, right_weight = 0.0, left_squares = 0.0, right_squares = 0.0;
    for (size_t k = 0; k < factor.size(); ++k) {
        const double on_left = left[k] * factor[k], on_right = (total[k] - left[k]) * factor[k];
        left_weight += on_left;
        right_weight += on_right;
        left_squares += on_left * on_left;
        right_squares += on_right * on_right;
    }
    const double after =
        left_weight + right_weight - left_squares / left_weight - right_squares / right_weight;
    return before_it - after < best - rounding * (left_weight + right_weight);
}

double Rater::apart(const double *sums, double risk) const {
    if (rating == Rating::squares)
        return sums[1] * sums[1] / sums[0] / risk;
    const double a = sums[0] * factor[0], b = sums[1] * factor[1];
    return -2.0 * (a * b / (a + b));
}

double Rater::mean_of(const double *sums) const {
    if (!of_classes())
        return sums[1] / sums[0];
    double weight = 0.0, shares = 0.0;
    for (size_t k = 0; k < factor.size(); ++k) {
        weight += sums[k] * factor[k];
        shares += sums[k] * factor[k] * places[k];
    }
    return shares / weight;
}

} // namespace deciduous
