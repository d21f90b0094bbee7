// The rough pass of a threshold search over classes with weights: it rates blocks of records by their best
// cut, in single precision and many cuts at once. Exact arithmetic then decides, so that nothing depends on
// which instructions were used here.
#pragma once

#include "scan.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace deciduous {

class RoughCuts {
public:
    /// So many records are rated as one.
    static constexpr std::size_t block = 64;

    /// Begins a pass; `weight`: of both sides.
    void begin(Measure measure, std::size_t n_classes, double weight);

    /// Adds a cut to the block: the class weights on both sides, and their sums.
    void add(std::span<const double> left, std::span<const double> right, double on_left, double on_right) {
        float *line = lines_.data() + n_++;
        for (const std::span<const double> side : {left, right})
            for (const double w : side) {
                *line = static_cast<float>(w * unit_);
                line += block;
            }
        *line = static_cast<float>(on_left * unit_);
        line[block] = static_cast<float>(on_right * unit_);
    }

    /// Ends the block: the purity (`purity` of scan.hpp) of both sides of its best cut, divided by the
    /// weight; -inf if it has none.
    float rate();

    /// No rating is farther than this from what it stands for.
    double slack() const { return 1e-6 * static_cast<double>(n_classes_ + 1); }

private:
    Measure measure_ = Measure::gini;
    std::size_t n_classes_ = 0, n_ = 0;
    double unit_ = 1.0;
    std::vector<float> lines_; // a line of a block of cuts: each class left, each right, the sums
};

} // namespace deciduous
