// Rows that missing cells divide into parts (Quinlan 1993, section 3.2): an entry, a row with its weight in a
// node, is copied into every branch that has a share of the missing cells. The NumPy twin is grow/rows.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace deciduous {

/// The part of a weight: however small, an entry keeps one.
inline double part_of(double weight, double share) {
    return std::max(weight * share, std::numeric_limits<double>::min());
}

/// The entries of some nodes, which were divided off together: children may hold more of them than their
/// parent, so that they cannot take its place.
struct Block {
    std::int64_t waiting = 0; // nodes that are not yet divided, or let go
    std::size_t size = 0;     // positions
    // By position: the entries of a node lie together.
    std::vector<std::uint32_t> original;
    std::vector<std::int32_t> classes;
    std::vector<double> numbers, weights;
    // Of each ordered feature its records, of each nominal one its codes.
    std::vector<std::vector<std::uint32_t>> narrow;
    std::vector<std::vector<std::uint64_t>> wide;
    std::vector<std::vector<std::int32_t>> codes;
};

/// The blocks that have waiting nodes. One of them is current: its arrays are those that nodes are searched
/// and divided in, and its own are empty.
struct Blocks {
    std::int64_t current = 0, newest = 0;
    std::map<std::int64_t, Block> all{{0, {1, 0, {}, {}, {}, {}, {}, {}, {}}}}; // at first the root alone
    Block spare; // the memory of a block that none waits in
};

} // namespace deciduous
