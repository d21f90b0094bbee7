// One record a row and ordered feature: all that a scan must know of a cell, in 32 bits where that is enough.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace deciduous {

/// How a record is packed: "a new value starts here" in the top bit, then the class, then the row inside its
/// node. The start bits stand for the values themselves: a cut may lie before a record that has one.
template <typename R>
struct Packing {
    static constexpr unsigned top = 8 * sizeof(R) - 1;
    unsigned row_bits = 0;
    R row_mask = 0;
    R class_mask = 0; // in place

    Packing() = default;
    Packing(unsigned rows, unsigned classes)
        : row_bits(rows), row_mask(static_cast<R>((R{1} << rows) - 1)),
          class_mask(static_cast<R>(((R{1} << classes) - 1) << rows)) {}

    R pack(bool start, std::uint32_t class_code, std::uint32_t row) const {
        return static_cast<R>(R{start} << top | static_cast<R>(class_code) << row_bits | row);
    }
    static bool start(R record) { return record >> top; }
    std::uint32_t row(R record) const { return static_cast<std::uint32_t>(record & row_mask); }
    std::uint32_t class_code(R record) const {
        return static_cast<std::uint32_t>((record & class_mask) >> row_bits);
    }
};

/// The bits that tell n things apart.
inline unsigned bits_for(std::uint64_t n) {
    return n <= 1 ? 0U : static_cast<unsigned>(std::bit_width(n - 1));
}

/// Vector loads may read this many records past the end of a node.
constexpr std::size_t record_padding = 8;

/// Records of either width: one of the arrays is empty.
struct Records {
    std::vector<std::uint32_t> narrow;
    std::vector<std::uint64_t> wide;

    template <typename R>
    std::vector<R> &records() {
        if constexpr (sizeof(R) == sizeof(std::uint32_t))
            return narrow;
        else
            return wide;
    }
};

} // namespace deciduous
