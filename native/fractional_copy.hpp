// How entries are copied to the branches of their node: those with a known cell to one, in order; those with
// a missing one to all that have a share.
#pragma once

#include "fractional.hpp"
#include "partition.hpp"
#include "records.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciduous {

/// Where the kept branches of a node will lie.
struct Homes {
    std::span<const std::int64_t> start; // of each branch; -1: it is not kept
    std::span<const std::int64_t> known; // how many of its entries have a known cell
    std::span<const double> shares;

    std::size_t size() const { return start.size(); }
    bool take_missing(std::size_t b) const { return start[b] >= 0 && shares[b] > 0.0; }
};

/// Copies what is kept by position to the branches: the known cells' in their order, then, in parts, the
/// missing ones' (`spare`: memory for these).
template <typename T, typename Part>
void copy_parts(const T *values, std::span<const std::int32_t> branches, const Homes &homes,
                std::vector<T> &to, std::vector<std::size_t> &next, std::vector<T> &spare, Part part) {
    next.resize(homes.size());
    for (std::size_t b = 0; b < homes.size(); ++b)
        next[b] = static_cast<std::size_t>(homes.start[b]);
    spare.clear();
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const std::int32_t at = branches[i];
        if (at < 0)
            spare.push_back(values[i]);
        else if (homes.start[static_cast<std::size_t>(at)] >= 0)
            to[next[static_cast<std::size_t>(at)]++] = values[i];
    }
    for (std::size_t b = 0; b < homes.size(); ++b) {
        if (!homes.take_missing(b))
            continue;
        T *const first = to.data() + homes.start[b] + homes.known[b];
        const double share = homes.shares[b];
        for (std::size_t i = 0; i < spare.size(); ++i)
            first[i] = part(spare[i], share);
    }
}

inline constexpr auto whole_value = [](auto value, double) { return value; };
inline constexpr auto part_of_value = [](double value, double share) { return part_of(value, share); };

/// Distributes the records of a division in two; without a branch for the processor to guess. Up to one
/// record is written behind either branch.
template <typename R>
void copy_to_two(const R *records, std::size_t n, const Packing<R> &packing,
                 const std::array<std::uint32_t, 2> *places, R *left, R *right, bool keeps_left,
                 bool keeps_right) {
    R left_starts = 0, right_starts = 0; // a value has started since the branch's last record
    R nowhere = 0;
    left = keeps_left ? left : &nowhere;
    right = keeps_right ? right : &nowhere;
    for (std::size_t i = 0; i < n; ++i) {
        const R record = records[i], start = record >> Packing<R>::top,
                of_class = record & packing.class_mask;
        const auto [to_left, to_right] = places[packing.row(record)];
        left_starts |= start;
        right_starts |= start;
        *left = static_cast<R>(of_class | (to_left & ~second_branch) | left_starts << Packing<R>::top);
        *right = static_cast<R>(of_class | (to_right & ~second_branch) | right_starts << Packing<R>::top);
        const R goes_left = to_left >> 31, goes_right = to_right >> 31;
        left += keeps_left ? goes_left : 0;
        right += keeps_right ? goes_right : 0;
        left_starts &= static_cast<R>(1 - goes_left);
        right_starts &= static_cast<R>(1 - goes_right);
    }
}

/// A branch that records are written to.
template <typename R>
struct Writing {
    R *next;
    std::uint32_t known;     // of its entries: the missing ones have their places behind these
    std::int64_t last_value; // of the record last written

    void write(R of_class, std::uint32_t at, std::int64_t value) {
        const R start = value > 0 && value != last_value;
        last_value = value;
        *next++ = static_cast<R>(of_class | at | start << Packing<R>::top);
    }
};

/// Distributes records to any number of branches.
template <typename R>
void copy_to_many(const R *records, std::span<const std::int32_t> branches, const Packing<R> &packing,
                  const std::uint32_t *places, const Homes &homes, std::vector<R> &to) {
    std::vector<Writing<R>> takers; // of missing cells, then the other branches that are kept
    std::vector<std::size_t> of_branch(homes.size(), homes.size());
    std::size_t n_takers = 0;
    for (const bool takes_missing : {true, false})
        for (std::size_t b = 0; b < homes.size(); ++b)
            if (homes.start[b] >= 0 && homes.take_missing(b) == takes_missing) {
                of_branch[b] = takers.size();
                n_takers += takes_missing;
                takers.push_back({to.data() + homes.start[b], static_cast<std::uint32_t>(homes.known[b]),
                                  std::int64_t{-1}});
            }
    std::int64_t value = 0;
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const std::uint32_t row = packing.row(records[i]), place = places[row];
        const R of_class = records[i] & packing.class_mask;
        value += Packing<R>::start(records[i]);
        if (const std::int32_t at = branches[row]; at < 0) {
            for (std::size_t k = 0; k < n_takers; ++k)
                takers[k].write(of_class, takers[k].known + place, value);
        } else if (const std::size_t k = of_branch[static_cast<std::size_t>(at)]; k < takers.size()) {
            takers[k].write(of_class, place, value);
        }
    }
}

} // namespace deciduous
