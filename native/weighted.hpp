// The rough pass of a threshold search over classes with weights: it rates cuts in single precision, many at
// once. Exact arithmetic then decides among the best, so that nothing depends on which instructions were used
// here.
#pragma once

#include "scan.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace deciduous {

class RoughCuts {
public:
    /// Begins a pass; `weight`: of both sides.
    void begin(Measure measure, std::size_t n_classes, double weight);

    /// Adds a cut: the class weights on both sides, and their sums.
    void add(std::span<const double> left, std::span<const double> right, double on_left, double on_right) {
        float *line = lines_.data() + n_;
        for (const std::span<const double> side : {left, right})
            for (const double w : side) {
                *line = static_cast<float>(w * unit_);
                line += batch;
            }
        *line = static_cast<float>(on_left * unit_);
        line[batch] = static_cast<float>(on_right * unit_);
        if (++n_ == batch)
            rate();
    }

    /// Ends the pass: of every cut, in order, the purity (`purity` of scan.hpp) of both sides, divided by the
    /// weight.
    std::span<const float> ratings() {
        rate();
        return ratings_;
    }

    /// No rating is farther than this from what it stands for.
    double slack() const { return 1e-6 * static_cast<double>(n_classes_ + 1); }

private:
    static constexpr std::size_t batch = 64; // cuts that are rated at once

    void rate();

    Measure measure_ = Measure::gini;
    std::size_t n_classes_ = 0, n_ = 0;
    double unit_ = 1.0;
    std::vector<float> lines_; // a line of a batch of cuts: each class left, each right, the sums
    std::vector<float> ratings_;
};

} // namespace deciduous
