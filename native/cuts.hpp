// The best threshold of one ordered feature in one node, for what the fast scan of `ThresholdSearch` does not
// know: absolute error, Poisson deviance, monotonic constraints, a cut that was drawn at random. First it
// works out what both sides of every cut come to, then it compares the cuts. The NumPy twins are
// search/thresholds.py, absolute.py, monotone.py and random_split.py.
#pragma once

#include "deviations.hpp"
#include "medians.hpp"
#include "thresholds.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace deciduous {

/// What is a column's own in a node.
struct Terms {
    int sign = 0; // the monotonic constraint; where it is not 0, branches answer between `low` and `high`
    double low = -HUGE_VAL, high = HUGE_VAL;
    // With `Rule::random`:
    std::int64_t drawn = 0; // the cut that was drawn; 0: there is nothing to divide
    double threshold = std::numeric_limits<double>::quiet_NaN();
    bool missing_left = false; // the side of the missing rows
};

/// One side of a candidate. Scores add up over branches; -inf is forbidden.
struct Side {
    std::int64_t rows = 0;
    double weight = 0.0, score = 0.0, answer = 0.0;
};

/// One side of every cut, by cut; weights where they are not 1, answers where they are constrained.
struct Profile {
    std::vector<double> score, weight, answer;
};

/// Memory that the searches of one thread share.
struct CutScratch {
    Profile left, right, left_missing, right_missing; // without the missing rows, and with them
    RankMemory left_ranks, right_ranks;
    Weighed set;
    std::vector<double> sums;
    FirstBest best;
};

template <typename R>
class CutSearch {
public:
    /// `known` and `missing`: the records of the node, in order of value.
    CutSearch(std::span<const R> known, std::span<const R> missing, const Packing<R> &packing,
              const NodeTarget &node, const Terms &terms, const Rule &rule, CutScratch &scratch);

    BestCut best();

    CutSides describe(const BestCut &cut);
    std::int64_t tally();

    /// Writes the statistics of the branches of a cut, and of the missing rows: sums, or (weight, median,
    /// mean absolute deviation).
    void tabulate(const BestCut &cut, Description &description);

private:
    using Records = std::span<const R>;

    std::int64_t n_known() const { return static_cast<std::int64_t>(known_.size()); }
    std::int64_t n_missing() const { return static_cast<std::int64_t>(missing_.size()); }
    bool about_median() const { return rule_.measure == Measure::absolute_error; }
    double weight_of(R record) const { return node_.weights ? node_.weights[packing_.row(record)] : 1.0; }
    Records first(std::int64_t n) const { return known_.first(static_cast<std::size_t>(n)); }
    Records from(std::int64_t n) const { return known_.subspan(static_cast<std::size_t>(n)); }

    // what a set of rows comes to
    void add(R record, std::span<double> sums) const;
    Side side_of(std::span<const double> sums, std::int64_t rows) const;
    Side side_of(Records some, Records others);
    void write(Records some, Records others, std::span<double> line);
    Deviation deviation(Records some, Records others);

    // what the sides of all cuts come to
    void profile_all();
    void profile(Profile &left, Profile &right, bool with_missing);
    void profile_sums(Profile &left, Profile &right, bool with_missing);
    template <bool Weighted>
    void profile_medians(Profile &left, Profile &right, bool with_missing);
    OrderedNumbers ordered_numbers() const {
        return {node_.sorted, node_.sorted_weights, known_.size() + missing_.size(), node_.error};
    }
    void keep(Profile &profile, std::int64_t cut, double score, double weight, double answer) const;
    Side side_at(const Profile &profile, std::int64_t cut, std::int64_t rows) const;

    // the candidates
    bool allows(const Side &left, const Side &right, const Side &own) const;
    double gain_of(const Side &left, const Side &right, const Side &own) const {
        return (left.score + right.score + own.score - whole_.score) * unit_;
    }
    template <typename Visit>
    void each_cut(Visit visit);
    template <typename Visit>
    void known_or_not(Visit visit);
    template <typename Visit>
    void drawn(Visit visit);
    template <typename Visit>
    void each_candidate(Visit visit);
    Cut first_best();
    bool is_plain() const;
    Cut best_of_medians();

    Records known_, missing_;
    const Packing<R> &packing_;
    const NodeTarget &node_;
    Terms terms_;
    const Rule &rule_;
    CutScratch &scratch_;
    bool counted_ = false, own_branch_ = false; // missing rows belong to a branch; of their own
    bool checked_ = false;                      // some candidates may not be allowed
    double unit_ = 1.0;                         // from scores to gains
    double mean_ = 0.0;                         // Poisson: of the rows that are counted
    Side all_known_, all_missing_, own_, whole_;
};

} // namespace deciduous
