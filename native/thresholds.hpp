// The best threshold of one ordered feature in one node. Its NumPy twin is search/thresholds.py, which scores
// whole tables; here the sums move along the sorted records.
#pragma once

#include "node_target.hpp"
#include "records.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "unit_cuts.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// The best cut of a feature: before the known record `index`, or "known or not".
struct BestCut {
    double gain = -HUGE_VAL;
    double information = 0.0; // of the split
    std::int64_t index = 0;
    Place place = Place::none;
    std::int64_t tried = 0; // where it pays for the number of its rivals
};

/// The weights of the branches of a cut; `own`: of the missing rows' own branch.
struct CutSides {
    double left = 0.0, right = 0.0, own = 0.0;
};

template <typename R>
class ThresholdSearch {
public:
    /// `known` and `missing`: the records of the node, in order of value; vector loads may read past them.
    ThresholdSearch(std::span<const R> known, std::span<const R> missing, const Packing<R> &packing,
                    const NodeTarget &node, const Rule &rule, const WholeNumbers &whole,
                    SearchScratch &scratch);

    BestCut best();
    /// No cut gains more than this; infinite where only the search itself can say.
    double bound();

    CutSides describe(const BestCut &cut) const;
    /// How many candidates the limits allow.
    std::int64_t tally() const;

    /// Writes the sums of the branches of a cut, and of the missing rows.
    void tabulate(const BestCut &cut, Description &description) const;

private:
    bool classes() const { return node_.numbers == nullptr; }
    std::int64_t n_known() const { return static_cast<std::int64_t>(known_.size()); }
    std::int64_t n_missing() const { return static_cast<std::int64_t>(missing_.size()); }
    double weight_of(std::span<const double> sums) const;
    double purity_of(std::span<const double> sums) const { return purity(rule_.measure, sums); }
    void sum(std::span<const R> records, std::span<double> sums) const;
    void sum_numbers(std::span<const R> records, std::span<double> sums) const;
    bool allows(std::int64_t left_rows, double left, std::int64_t right_rows, double right,
                std::int64_t own_rows, double own) const;
    bool allows(std::int64_t left_rows, double left, std::int64_t right_rows, double right) const;
    bool allows_known_or_not() const;

    bool is_one_range() const;
    void place_missing(Place place);
    void pass(Place place, FirstBest &found);
    template <typename Accumulator>
    void scan(Accumulator sides, std::int64_t begin, std::int64_t end, Place place, FirstBest &found);
    Range range_of(Place place) const;
    void both_directions();
    void known_or_not();
    /// From purity to the gain of the node.
    double gain_scale() const {
        return 1.0 / (node_.weight * (rule_.measure == Measure::entropy ? std::log(2.0) : 1.0));
    }
    double gain_of_missing_apart() const;
    void scan_weights(Place place, FirstBest &found, double extra);
    Range range_by_weight(Place place) const;
    void scan_weighted_classes(Place place, FirstBest &found, double base, double scale);
    bool cannot_pay(double gain) const;
    bool cannot_be_cut() const;
    double gain_afresh(const Cut &cut);
    std::int64_t starts_between(std::int64_t begin, std::int64_t end) const;
    void sum_before(std::int64_t index, std::span<double> sums) const;
    double weight_between(std::int64_t begin, std::int64_t end) const;

    std::span<const R> known_, missing_;
    const Packing<R> &packing_;
    const NodeTarget &node_;
    const Rule &rule_;
    SearchScratch &scratch_;
    UnitCuts<R> unit_cuts_;
    bool counted_ = false;     // missing rows belong to a branch
    bool own_ = false;         // of their own
    double min_cases_ = 0.0;   // of this column
    bool too_few_ = false;     // known rows
    std::int64_t n_cuts_ = -1; // that the limits allow, where they were counted
    bool is_rough_ = false;    // the best cut cannot pay for the number of its rivals, and was not worked out
    bool by_blocks_ = false;   // gains are worked out from sums that were kept block by block
};

} // namespace deciduous
