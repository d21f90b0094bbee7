// The best threshold of one ordered feature in one node. Its NumPy twin is search/thresholds.py, which scores
// whole tables; here the sums move along the sorted records.
#pragma once

#include "records.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "screen.hpp"
#include "weighted.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// What a search needs of a node besides the records of the feature.
struct NodeTarget {
    std::span<const double> totals;       // class weights, or the sums of w, w * y, w * y^2
    double weight = 0.0;                  // of all rows
    double band = 0.0;                    // gains within it are tied
    double bar = -HUGE_VAL;               // gains below it are as good as none
    const double *weights = nullptr;      // by row; null: all 1
    const double *numbers = nullptr;      // by row, as they are scanned; null: classes
    const float *rough_numbers = nullptr; // the same in single precision, for the first pass
    // For searches about the median: the rank of each row's number (null: the rows are in order of it), the
    // numbers and weights in order, and the sum of the weighted distances from the median.
    const std::uint32_t *ranks = nullptr;
    const double *sorted = nullptr, *sorted_weights = nullptr;
    double error = 0.0;

    std::uint32_t rank(std::uint32_t row) const { return ranks ? ranks[row] : row; }
};

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

/// Memory that the searches of one thread share.
struct SearchScratch {
    std::vector<double> left, right, both, known, missing;
    std::vector<std::uint32_t> left_counts, all_counts;
    FirstBest best, to_left, to_right;
    ScreenScratch screen;
    RoughCuts rough; // of classes with weights
    explicit SearchScratch(std::size_t width)
        : left(width), right(width), both(width), known(width), missing(width), left_counts(width),
          all_counts(width) {}
};

template <typename R>
class ThresholdSearch {
public:
    /// `known` and `missing`: the records of the node, in order of value; vector loads may read past them.
    ThresholdSearch(std::span<const R> known, std::span<const R> missing, const Packing<R> &packing,
                    const NodeTarget &node, const Rule &rule, const WholeNumbers &whole,
                    SearchScratch &scratch);

    BestCut best();
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

    void place_missing(Place place);
    void pass(Place place, FirstBest &found);
    template <typename Accumulator>
    void scan(Accumulator sides, std::int64_t begin, std::int64_t end, Place place, FirstBest &found);
    Range range_of(Place place) const;
    template <typename Accumulator>
    void walk(Accumulator sides, std::int64_t begin, std::int64_t end, Place place, FirstBest &found,
              double share, double extra);
    bool screens(const Range &range) const;
    float screen(const Range &range);
    void begin_at(const Range &range);
    void scan_unit_classes(Place place, FirstBest &found, double share, double extra);
    void scan_unit_numbers(Place place, FirstBest &found, double share, double extra);
    template <typename Visit>
    void each_good_block(const Range &range, float slack, const FirstBest &found, double share, double extra,
                         Visit visit);
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
    const WholeNumbers &whole_;
    SearchScratch &scratch_;
    bool counted_ = false;     // missing rows belong to a branch
    bool own_ = false;         // of their own
    double min_cases_ = 0.0;   // of this column
    bool too_few_ = false;     // known rows
    std::int64_t n_cuts_ = -1; // that the limits allow, where they were counted
    bool is_rough_ = false;    // the best cut cannot pay for the number of its rivals, and was not worked out
    bool by_blocks_ = false;   // gains are worked out from sums that were kept block by block
    Range screened_;           // the records whose classes were counted block by block
    // Of numbers: their mean; the sums of y - mean on the left of the first cut, and on that of the last.
    double mean_ = 0.0, excess_ = 0.0, last_excess_ = 0.0;
};

} // namespace deciduous
