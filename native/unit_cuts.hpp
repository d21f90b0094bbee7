// The cuts of a column in a node whose rows all have the weight 1: the limits allow one range of them. A
// rough pass rates them block by block, and exact arithmetic decides in the blocks that may hold the best.
#pragma once

#include "node_target.hpp"
#include "records.hpp"
#include "scan.hpp"

#include <cstdint>
#include <span>

namespace deciduous {

/// Where the missing rows are while cuts are offered, and how what these gain is brought to the whole node:
/// as `share` times it, and `extra`.
struct Offers {
    Place place = Place::nowhere;
    double share = 1.0, extra = 0.0;
};

template <typename R>
class UnitCuts {
public:
    /// `known`: the records of the known rows, in order of value; all is borrowed. What lies on the left and
    /// the right before the first record, on both sides and in the known rows is read from the scratch
    /// memory.
    UnitCuts(std::span<const R> known, const Packing<R> &packing, const NodeTarget &node, const Rule &rule,
             const WholeNumbers &whole, SearchScratch &scratch)
        : known_(known), packing_(packing), node_(node), rule_(rule), whole_(whole), scratch_(scratch) {}

    /// Offers the cuts of a range that may be the best one.
    void offer(const Range &range, const Offers &offers, FirstBest &found);

    /// No cut of the range gains more than this; infinite where only the search can say.
    double most(const Range &range);

    /// Writes the classes of the known rows before a record near `index`, from the counts of a rough pass,
    /// and returns this record; 0 if there are no such counts.
    std::int64_t counts_near(std::int64_t index, std::span<double> counts) const;

private:
    bool classes() const { return node_.numbers == nullptr; }
    bool screens(const Range &range) const;
    float screen(const Range &range);
    void begin_at(const Range &range);
    template <typename Accumulator>
    void walk(Accumulator sides, std::int64_t begin, std::int64_t end, const Offers &offers,
              FirstBest &found) const;
    void offer_classes(const Range &range, const Offers &offers, FirstBest &found);
    void offer_numbers(const Range &range, const Offers &offers, FirstBest &found);
    template <typename Visit>
    void each_good_block(const Range &range, float slack, const Offers &offers, const FirstBest &found,
                         Visit visit) const;

    std::span<const R> known_;
    const Packing<R> &packing_;
    const NodeTarget &node_;
    const Rule &rule_;
    const WholeNumbers &whole_;
    SearchScratch &scratch_;
    Range screened_; // the records whose classes were counted block by block
    // Of numbers: their mean; the sums of y - mean on the left of the first cut, and on that of the last.
    double mean_ = 0.0, excess_ = 0.0, last_excess_ = 0.0;
};

} // namespace deciduous
