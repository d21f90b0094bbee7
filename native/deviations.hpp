// What the numbers of one node come to: the twin of deviations.py, which has the definitions and their
// sources.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace deciduous {

/// About what a measure takes the numbers of a node.
enum class About : std::uint8_t { mean, median, zero };

/// Cumulated weights that differ from half of the total by no more than this share of it are half of it.
constexpr double half_slack = 1e-10;

/// `impurity` is of the scanned numbers, (y - centre) / scale; `value` is what the node answers.
struct Centred {
    double value = 0.0, impurity = 0.0, centre = 0.0, scale = 1.0, weight = 0.0;
    bool pure = true;
};

/// The median of a set, and the sum of w |y - median|.
struct Deviation {
    double weight = 0.0, median = 0.0, error = 0.0;
};

/// Numbers with their weights, put in order where a median asks for it.
using Weighed = std::vector<std::pair<double, double>>;

/// The smallest power of two above |x|, 1 for 0.
double power_of_two_above(double x);

/// The middle of two numbers, without overflow.
double midpoint(double low, double high);

/// (1 + u) ln(1 + u) - u: half the Poisson deviance of mean * (1 + u), in units of the mean.
double half_unit_deviance(double u);

/// Summarises numbers; `weights` is empty if all are 1. The sums are those of the NumPy twin. `memory` is for
/// medians.
Centred centred(About about, std::span<const double> y, std::span<const double> weights, Weighed &memory);

/// The deviation of a set, which is put in order; `unit`: all weights are 1.
Deviation deviation_of(Weighed &set, bool unit);

} // namespace deciduous
