// The limits that forbid candidates, counted over their branches. The NumPy twin is `allowed` of
// search/pick.py.
#pragma once

#include "scan.hpp"

#include <cstdint>

namespace deciduous {

/// Counts the branches of a candidate against the limits.
class Branches {
public:
    explicit Branches(const Rule &rule)
        : rule_(rule), least_(rule.min_weight * (1.0 - rule.slack)),
          cases_(rule.enough(rule.min_cases)) {}

    void add(std::int64_t rows, double weight, int times = 1) {
        filled_ += times * (rows > 0);
        small_ += times * (rows > 0 && (rows < rule_.min_rows || weight < least_));
        heavy_ += times * (weight >= cases_);
    }
    void remove(std::int64_t rows, double weight) { add(rows, weight, -1); }

    /// Counts a branch that holds rows and must not.
    void forbid(int times = 1) { small_ += times; }

    /// At least two hold rows, none that does is too small, and at least two have the weight `min_cases`.
    bool allowed() const { return filled_ >= 2 && small_ == 0 && (cases_ <= 0.0 || heavy_ >= 2); }

private:
    const Rule &rule_;
    double least_, cases_;
    std::int64_t filled_ = 0, small_ = 0, heavy_ = 0;
};

} // namespace deciduous
