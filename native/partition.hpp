// Distributing the records of a node to its branches, in order: the other half of growing's inner loop.
#pragma once

#include "records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace deciduous {

/// Where a row of a node goes: its place inside its branch. The top bit is the branch of a division in two.
constexpr std::uint32_t second_branch = std::uint32_t{1} << 31;

/// Divides records in two, stably: those of the first branch stay in front, those of the second go to `aside`
/// (as many elements as `records`, and `record_padding` more). A value that is new in the node, or among the
/// records that went to a branch since, starts there. `places`: by row. Returns the number of the first
/// branch's.
template <typename R>
std::size_t divide_in_two(R *records, std::size_t n, const Packing<R> &packing, const std::uint32_t *places,
                          R *aside);

} // namespace deciduous
