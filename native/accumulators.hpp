// The sums on both sides of a cut that moves along sorted records, and what the cut gains. `move` takes the
// class and the row of the record that goes from the right side to the left.
#pragma once

#include "scan.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace deciduous {

/// Two classes of unit weight by Gini. The excess of the second class on the left side is kept times n: whole
/// numbers, exact.
class TwoClasses {
public:
    TwoClasses(std::int64_t rows, std::span<const std::uint32_t> left, std::span<const std::uint32_t> all)
        : n_(std::int64_t{all[0]} + all[1]), second_(all[1]), rows_(rows),
          excess_(n_ * left[1] - rows * second_),
          factor_(2.0 / (static_cast<double>(n_) * static_cast<double>(n_))) {}
    void move(std::uint32_t c, std::uint32_t) {
        excess_ += static_cast<std::int64_t>(c) * n_ - second_;
        ++rows_;
    }
    double score() const {
        const auto t = static_cast<double>(excess_);
        return factor_ * t * t / (static_cast<double>(rows_) * static_cast<double>(n_ - rows_));
    }
    double left() const { return static_cast<double>(rows_); }
    double right() const { return static_cast<double>(n_ - rows_); }

private:
    std::int64_t n_, second_, rows_, excess_;
    double factor_;
};

/// Classes of unit weight by Gini: sums of squared counts, exact.
class SquaredCounts {
public:
    SquaredCounts(std::int64_t rows, std::span<std::uint32_t> left, std::span<const std::uint32_t> all)
        : left_(left), all_(all), rows_(rows), n_(std::accumulate(all.begin(), all.end(), std::int64_t{0})) {
        for (std::size_t c = 0; c < all.size(); ++c) {
            on_left_ += std::int64_t{left[c]} * left[c];
            const std::int64_t right = std::int64_t{all[c]} - left[c];
            on_right_ += right * right;
            whole_ += std::int64_t{all[c]} * all[c];
        }
    }
    void move(std::uint32_t c, std::uint32_t) {
        const std::int64_t l = left_[c], r = std::int64_t{all_[c]} - l;
        on_left_ += 2 * l + 1;
        on_right_ -= 2 * r - 1;
        ++left_[c];
        ++rows_;
    }
    double score() const {
        const auto n = static_cast<double>(n_);
        return (static_cast<double>(on_left_) / left() + static_cast<double>(on_right_) / right() -
                static_cast<double>(whole_) / n) /
               n;
    }
    double left() const { return static_cast<double>(rows_); }
    double right() const { return static_cast<double>(n_ - rows_); }

private:
    std::span<std::uint32_t> left_;
    std::span<const std::uint32_t> all_;
    std::int64_t rows_, n_, on_left_ = 0, on_right_ = 0, whole_ = 0;
};

/// Classes of unit weight by entropy: n ln n of whole numbers is looked up.
class LoggedCounts {
public:
    LoggedCounts(const WholeNumbers &whole, std::int64_t rows, std::span<std::uint32_t> left,
                 std::span<const std::uint32_t> all)
        : log_(whole.n_log_n.data()), left_(left), all_(all), rows_(static_cast<std::size_t>(rows)) {
        for (std::size_t c = 0; c < all.size(); ++c) {
            n_ += all[c];
            sum_ += log_[left[c]] + log_[all[c] - left[c]];
            base_ += log_[all[c]];
        }
        base_ -= log_[n_];
        scale_ = 1.0 / (static_cast<double>(n_) * std::log(2.0));
    }
    void move(std::uint32_t c, std::uint32_t) {
        const std::uint32_t l = left_[c], r = all_[c] - l;
        sum_ += (log_[l + 1] - log_[l]) + (log_[r - 1] - log_[r]);
        ++left_[c];
        ++rows_;
    }
    double score() const { return (sum_ - log_[rows_] - log_[n_ - rows_] - base_) * scale_; }
    double left() const { return static_cast<double>(rows_); }
    double right() const { return static_cast<double>(n_ - rows_); }

private:
    const double *log_;
    std::span<std::uint32_t> left_;
    std::span<const std::uint32_t> all_;
    std::size_t rows_, n_ = 0;
    double sum_ = 0.0, base_ = 0.0, scale_ = 0.0;
};

/// Numbers of unit weight: the sum t of y - mean on the left side gains t^2 / (left * right).
class Balance {
public:
    Balance(std::int64_t rows, std::int64_t n, double mean, double t, const double *y)
        : y_(y), rows_(rows), n_(n), mean_(mean), t_(t) {}
    void move(std::uint32_t, std::uint32_t row) {
        t_ += y_[row] - mean_;
        ++rows_;
    }
    double score() const { return t_ * t_ / (left() * right()); }
    double left() const { return static_cast<double>(rows_); }
    double right() const { return static_cast<double>(n_ - rows_); }

private:
    const double *y_;
    std::int64_t rows_, n_;
    double mean_, t_;
};

/// Classes with weights, or by misclassification: the purity of both sides is worked out at every cut.
class WeightedClasses {
public:
    WeightedClasses(Measure measure, const double *weights, std::span<double> left, std::span<double> right,
                    double base, double scale)
        : measure_(measure), weights_(weights), l_(left), r_(right), base_(base), scale_(scale),
          left_(std::accumulate(left.begin(), left.end(), 0.0)),
          right_(std::accumulate(right.begin(), right.end(), 0.0)) {}
    void move(std::uint32_t c, std::uint32_t row) {
        const double w = weights_ ? weights_[row] : 1.0;
        l_[c] += w;
        r_[c] -= w;
        left_ += w;
        right_ -= w;
    }
    double score() const { return (purity(measure_, l_) + purity(measure_, r_) - base_) * scale_; }
    double left() const { return left_; }
    double right() const { return right_; }

private:
    Measure measure_;
    const double *weights_;
    std::span<double> l_, r_;
    double base_, scale_, left_, right_;
};

/// Numbers with weights, centred on the node: sums of weights and of weighted numbers.
class Moments {
public:
    Moments(const double *numbers, const double *weights, std::span<const double> left,
            std::span<const double> right, double base, double scale)
        : numbers_(numbers), weights_(weights), wl_(left[0]), sl_(left[1]), wr_(right[0]), sr_(right[1]),
          base_(base), scale_(scale) {}
    void move(std::uint32_t, std::uint32_t row) {
        const double w = weights_ ? weights_[row] : 1.0, s = w * numbers_[row];
        wl_ += w;
        sl_ += s;
        wr_ -= w;
        sr_ -= s;
    }
    double score() const { return ((sl_ * sl_ * wr_ + sr_ * sr_ * wl_) / (wl_ * wr_) - base_) * scale_; }
    double left() const { return wl_; }
    double right() const { return wr_; }

private:
    const double *numbers_, *weights_;
    double wl_, sl_, wr_, sr_, base_, scale_;
};

/// The least whole number of rows of unit weight that makes up a weight.
inline std::int64_t rows_of(double weight) {
    return weight >= 9e18 ? INT64_MAX / 2 : static_cast<std::int64_t>(std::ceil(weight));
}

} // namespace deciduous
