#include "deviations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace deciduous {

using std::size_t;

double power_of_two_above(double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return x > 0.0 ? std::ldexp(1.0, std::min(exponent, 1023)) : 1.0;
}

double midpoint(double low, double high) {
    return std::isfinite(high - low) ? low + (high - low) / 2 : low / 2 + high / 2;
}

double half_unit_deviance(double u) {
    if (!(std::abs(u) < 0.1))
        return (u > -1.0 ? (1.0 + u) * std::log(1.0 + u) : 0.0) - u;
    // Near 0 the terms cancel: a series in v keeps the digits (Loader 2000).
    const double v = u / (2.0 + u), square = v * v;
    double series = 0.0;
    for (int odd = 17; odd > 1; odd -= 2)
        series = series * square + 1.0 / odd;
    return 2.0 * square / (1.0 - v) * (1.0 + v * (1.0 + v) * series);
}

// --- of one node -----------------------------------------------------------------------------------------

namespace {

/// The least and the largest of some numbers; several are looked at side by side.
std::pair<double, double> extent_of(std::span<const double> y) {
    constexpr size_t lanes = 4;
    std::array<double, lanes> low, high;
    low.fill(y.front());
    high.fill(y.front());
    const auto meet = [&](size_t lane, double x) {
        low[lane] = x < low[lane] ? x : low[lane];
        high[lane] = x > high[lane] ? x : high[lane];
    };
    size_t i = 0;
    for (; i + lanes <= y.size(); i += lanes)
        for (size_t lane = 0; lane < lanes; ++lane)
            meet(lane, y[i + lane]);
    for (; i < y.size(); ++i)
        meet(0, y[i]);
    return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end())};
}

/// The middle of the extent of numbers as the centre, with their scale and weight.
Centred about_middle(std::span<const double> y, std::span<const double> w) {
    Centred node;
    const auto [low, high] = extent_of(y);
    node.centre = midpoint(low, high);
    node.scale = power_of_two_above(std::max(high - node.centre, node.centre - low));
    node.pure = low == high;
    node.weight = w.empty() ? static_cast<double>(y.size()) : std::accumulate(w.begin(), w.end(), 0.0);
    return node;
}

Centred about_mean(std::span<const double> y, std::span<const double> w) {
    Centred node = about_middle(y, w);
    const auto weight = [&](size_t i) { return w.empty() ? 1.0 : w[i]; };
    const double middle = node.centre, per_scale = 1.0 / node.scale; // as exact as a division: a power of two
    const bool exact = std::isfinite(per_scale);
    const auto scaled = [&](double x) {
        return exact ? (x - middle) * per_scale : (x - middle) / node.scale;
    };
    double offset = 0.0, variance = 0.0;
    for (size_t i = 0; i < y.size(); ++i)
        offset += weight(i) * scaled(y[i]);
    offset /= node.weight;
    for (size_t i = 0; i < y.size(); ++i) {
        const double distance = scaled(y[i]) - offset;
        variance += weight(i) * distance * distance;
    }
    node.value = node.centre = node.pure ? y.front() : middle + offset * node.scale;
    node.impurity = node.pure ? 0.0 : variance / node.weight;
    return node;
}

Centred about_median(std::span<const double> y, std::span<const double> w, Weighed &memory) {
    Centred node = about_middle(y, w);
    if (w.empty() && std::is_sorted(y.begin(), y.end())) { // whole rows are, parts of rows need not be
        node.centre = midpoint(y[(y.size() - 1) / 2], y[y.size() / 2]);
    } else {
        memory.clear();
        for (size_t i = 0; i < y.size(); ++i)
            memory.emplace_back(y[i], w.empty() ? 1.0 : w[i]);
        node.centre = deviation_of(memory, w.empty()).median;
    }
    node.value = node.centre;
    double error = 0.0;
    for (size_t i = 0; i < y.size(); ++i)
        error += (w.empty() ? 1.0 : w[i]) * (std::abs(y[i] - node.centre) / node.scale);
    node.impurity = error / node.weight;
    return node;
}

/// Of the mean and the weight of a node as `about_mean` has them.
void take_zero(Centred &node, std::span<const double> y, std::span<const double> w) {
    node.centre = 0.0;
    node.scale = power_of_two_above(*std::max_element(y.begin(), y.end()));
    double unit = 0.0;
    for (size_t i = 0; node.value > 0.0 && i < y.size(); ++i)
        unit += (w.empty() ? 1.0 : w[i]) * half_unit_deviance((y[i] - node.value) / node.value);
    node.impurity = node.value / node.scale * (unit / node.weight);
}

/// Of numbers in order, the values at which the cumulated weight comes to half less the slack, and to half
/// and the slack.
std::pair<double, double> middles_of(const Weighed &set, double total) {
    const double half = total / 2, slack = half_slack * total;
    double below = 0.0, lower = 0.0;
    bool found = false;
    for (const auto &[y, w] : set) {
        below += w;
        if (!found && below >= half - slack) {
            lower = y;
            found = true;
        }
        if (below >= half + slack)
            return {lower, y};
    }
    return {lower, set.back().first};
}

} // namespace

Deviation deviation_of(Weighed &set, bool unit) {
    Deviation found;
    if (set.empty())
        return found;
    if (!std::is_sorted(set.begin(), set.end()))
        std::sort(set.begin(), set.end());
    for (const auto &[y, w] : set)
        found.weight += w;
    const auto [lower, upper] = unit ? std::pair(set[(set.size() - 1) / 2].first, set[set.size() / 2].first)
                                     : middles_of(set, found.weight);
    found.median = midpoint(lower, upper);
    for (const auto &[y, w] : set)
        found.error += w * std::abs(y - found.median);
    return found;
}

Centred centred(About about, std::span<const double> y, std::span<const double> weights, Weighed &memory) {
    if (y.empty())
        return {};
    if (about == About::median)
        return about_median(y, weights, memory);
    Centred node = about_mean(y, weights);
    if (about == About::zero)
        take_zero(node, y, weights);
    return node;
}

} // namespace deciduous
