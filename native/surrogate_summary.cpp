// What the rows of a node come to, and what it costs to answer them all alike.
#include "deviations.hpp"
#include "surrogate_growth.hpp"

#include <algorithm>
#include <numeric>

namespace deciduous {
namespace {

using std::size_t;

double x_log(double x, double y) {
    return x == 0.0 ? 0.0 : x * std::log(y);
}

/// Some of the numbers of all rows, or none of none.
std::span<const double> part(const std::vector<double> &all, size_t start, size_t size) {
    return all.empty() ? std::span<const double>() : std::span(all).subspan(start, size);
}

void add_classes(NodeOfRows &node, const SurrogateTarget &target, const Costing &costing) {
    node.classes.resize(target.n_classes);
    const std::int32_t *const classes = target.classes.data() + node.rows.start;
    if (target.weight.empty() && target.n_classes == 2) {
        const std::int64_t n_second = std::accumulate(classes, classes + node.rows.size, std::int64_t{0});
        node.classes[0] = static_cast<double>(static_cast<std::int64_t>(node.rows.size) - n_second);
        node.classes[1] = static_cast<double>(n_second);
    } else {
        for (size_t i = 0; i < node.rows.size; ++i)
            node.classes[static_cast<size_t>(classes[i])] +=
                target.weight_of(static_cast<std::uint32_t>(node.rows.start + i));
    }
    node.weight = std::accumulate(node.classes.begin(), node.classes.end(), 0.0);
    node.pure = std::count_if(node.classes.begin(), node.classes.end(), [](double w) { return w > 0; }) <= 1;
    double least = HUGE_VAL;
    for (size_t answer = 0; answer < target.n_classes; ++answer) {
        double risk = 0.0;
        for (size_t k = 0; k < target.n_classes; ++k)
            risk += node.classes[k] * costing.factor[k] * costing.loss[k * target.n_classes + answer];
        least = std::min(least, risk);
    }
    node.rows.risk = least;
}

double squared_error(std::span<const double> y, std::span<const double> w) {
    const auto weight = [&](size_t i) { return w.empty() ? 1.0 : w[i]; };
    double total = 0.0, sum = 0.0, error = 0.0;
    for (size_t i = 0; i < y.size(); ++i) {
        total += weight(i);
        sum += weight(i) * y[i];
    }
    const double mean = sum / total;
    for (size_t i = 0; i < y.size(); ++i)
        error += weight(i) * ((y[i] - mean) * (y[i] - mean));
    return error;
}

/// The deviance from the shrunk rate.
double deviance(const NodeOfRows &node, double shrink, double overall) {
    const double events = node.weight * node.value;
    double answer = node.value;
    if (shrink > 0.0 && node.weight > 0.0) {
        const double a = 1 / (shrink * shrink);
        answer = (events + a) / (node.weight + a / overall);
    }
    const double ratio = answer > 0 ? node.value / answer : 1.0;
    const double half = node.weight * (node.impurity * node.rows.scale);
    return 2 * (half + x_log(events, ratio) - (events - node.weight * answer));
}

void add_numbers(NodeOfRows &node, const SurrogateTarget &target, bool squares, const Costing &costing,
                 std::optional<double> overall) {
    const auto y = part(target.numbers, node.rows.start, node.rows.size),
               w = part(target.weight, node.rows.start, node.rows.size);
    Weighed no_medians;
    const Centred found = centred(squares ? About::mean : About::zero, y, w, no_medians);
    node.weight = found.weight;
    node.value = found.value;
    node.impurity = found.impurity;
    node.pure = found.pure;
    node.rows.centre = found.centre;
    node.rows.scale = found.scale;
    node.rows.risk =
        squares ? squared_error(y, w) : deviance(node, costing.shrink, overall.value_or(found.value));
}

} // namespace

NodeOfRows summary(const SurrogateRows &rows, const Costing &costing, std::optional<double> overall,
                   size_t start, size_t size) {
    NodeOfRows node;
    node.rows.start = start;
    node.rows.size = size;
    if (rows.target().has_classes())
        add_classes(node, rows.target(), costing);
    else
        add_numbers(node, rows.target(), rows.rater().rating == Rating::squares, costing, overall);
    return node;
}

} // namespace deciduous
