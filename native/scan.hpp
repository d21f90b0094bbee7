// The best threshold of one ordered feature in one node: one pass over its cells in increasing order.
// Its NumPy twin is search/thresholds.py, which scores whole tables; here the sums move row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

enum class Measure : std::uint8_t {
    gini,
    entropy,
    misclassification,
    squared_error,
    poisson,
    absolute_error
};

inline bool is_of_classes(Measure measure) {
    return measure <= Measure::misclassification;
}

enum class MissingPolicy : std::uint8_t { known_only, branch, direction };

/// Where the missing rows of a candidate were counted.
enum class Place : std::uint8_t { none, nowhere, left, right, own_branch, known_or_not };

enum class Nominal : std::uint8_t { multiway, subset, one_vs_rest };

/// What is equal and what is enough, where C4.5's programs differ: search/conventions.py has the three, and
/// what each of these means.
struct Conventions {
    bool in_turn = false;
    double band = -1.0; // of weights and ratios; negative: a share of what they are compared with
    double gap = 0.0;
    bool counts_rows = false, ones_by_ratio = false;
    bool counts_cuts = false;                           // a threshold pays for the number of its rivals
    double most_min_split = 0.0, min_split_share = 0.0; // 0: numbers have no minimum of their own
};

/// What all searches of a run share.
struct Rule {
    Measure measure = Measure::gini;
    MissingPolicy missing = MissingPolicy::known_only;
    std::int64_t min_rows = 1;
    double min_weight = 0.0; // of every branch that holds rows
    double min_cases = 0.0;  // of at least two branches
    double slack = 0.0;      // limits on sums of weights give way by this share
    Nominal nominal = Nominal::multiway;
    bool random = false;                // one candidate a column, drawn by hash (see draw.hpp)
    std::int64_t looks = 0;             // how many columns a node looks at; 0: all
    std::span<const std::int8_t> signs; // monotonic constraints, by column of the table; empty: none
    bool ratio = false;                 // the split information of thresholds is asked for
    Conventions conventions;
    bool weighs_losers = true; // thresholds that cannot pay for the number of their rivals are worked out too

    /// The weight that is enough for the limit `min_cases`.
    double enough(double limit) const {
        return conventions.band < 0.0 ? limit * (1.0 - slack) : limit - conventions.band;
    }

    /// The weight that both sides of a threshold must have, of `known` weight of so many classes.
    double min_split(double known, std::size_t n_classes) const {
        const double share = conventions.min_split_share * known / static_cast<double>(n_classes);
        if (min_cases <= 0.0 || share <= min_cases + std::max(conventions.band, 0.0))
            return min_cases;
        return std::min(share, conventions.most_min_split);
    }
};

/// n ln n of whole numbers: with unit weights no logarithm is left in the scan.
struct WholeNumbers {
    std::vector<double> n_log_n;
    explicit WholeNumbers(std::size_t up_to) : n_log_n(up_to + 1) {
        for (std::size_t n = 1; n <= up_to; ++n)
            n_log_n[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
    }
};

inline double x_log_x(double x) {
    return x > 0.0 ? x * std::log(x) : 0.0;
}

/// A cut before the known row `index`, or "known or not"; `score`: its gain.
struct Cut {
    std::int64_t index = 0;
    Place place = Place::none;
    double score = 0.0;
    double left = 0.0, right = 0.0; // the weights of both sides
};

/// The purity of a set on which scores add up over branches: the gain of a split is the sum over its branches
/// less that of the node, divided by the weight (and by ln 2 for entropy).
inline double purity(Measure measure, std::span<const double> sums) {
    double weight = 0.0, answer = 0.0;
    switch (measure) {
    case Measure::gini:
        for (const double w : sums) {
            weight += w;
            answer += w * w;
        }
        return weight > 0.0 ? answer / weight : 0.0;
    case Measure::entropy:
        for (const double w : sums) {
            weight += w;
            answer += x_log_x(w);
        }
        return answer - x_log_x(weight);
    case Measure::misclassification:
        for (const double w : sums)
            answer = w > answer ? w : answer;
        return answer;
    case Measure::squared_error:
        return sums[0] > 0.0 ? sums[1] * sums[1] / sums[0] : 0.0;
    case Measure::poisson:        // about the node's mean: see `CutSearch` and `CategorySearch`
    case Measure::absolute_error: // no function of sums
        break;
    }
    return answer;
}

/// The first of the candidates within a band of the best one, kept while candidates come in order; or the one
/// that is kept when each is compared in turn with the one kept so far.
class FirstBest {
public:
    /// Begins anew, with the memory of the last search; candidates below `floor` are not asked for.
    void reset(double band, bool in_turn = false, double floor = -HUGE_VAL) {
        band_ = band;
        in_turn_ = in_turn;
        best_ = -HUGE_VAL;
        floor_ = floor;
        kept_.clear();
        head_ = 0;
    }

    double floor() const { return floor_; }

    void offer(const Cut &cut) {
        if (in_turn_) {
            if (empty() || cut.score - kept_[head_].score > band_) {
                kept_.assign(1, cut);
                floor_ = cut.score;
            }
            return;
        }
        if (cut.score > best_) {
            best_ = cut.score;
            floor_ = best_ - band_;
            while (head_ < kept_.size() && kept_[head_].score < floor_)
                ++head_;
            if (head_ == kept_.size()) {
                kept_.clear();
                head_ = 0;
            }
        }
        kept_.push_back(cut);
    }

    bool empty() const { return head_ == kept_.size(); }
    const Cut &first() const { return kept_[head_]; }
    void drop_first() { ++head_; }

private:
    bool in_turn_ = false;
    double band_ = 0.0;
    double best_ = -HUGE_VAL;
    double floor_ = -HUGE_VAL;
    std::vector<Cut> kept_;
    std::size_t head_ = 0;
};

} // namespace deciduous
