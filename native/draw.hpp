// Random choices as a hash of (seed, path of the node, what is chosen). The NumPy twin, search/draw.py, has
// the formulas and their source: both draw the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace deciduous {

/// What is drawn from the key of a node, and from that of a column in a node.
enum class OfNode : std::uint8_t { child, column };
enum class OfColumn : std::uint8_t { order, threshold, missing_side, categories };

/// Output k of SplitMix64 started at `key`.
inline std::uint64_t draw(std::uint64_t key, std::uint64_t k) {
    std::uint64_t z = key + (k + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

inline std::uint64_t draw(std::uint64_t key, OfColumn what) {
    return draw(key, static_cast<std::uint64_t>(what));
}

/// The key of a column, by its position in the table.
inline std::uint64_t column_key(std::uint64_t node, std::int32_t feature) {
    return draw(draw(node, static_cast<std::uint64_t>(OfNode::column)), static_cast<std::uint64_t>(feature));
}

/// 64 random bits as a number in [0, 1).
inline double unit(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// 64 random bits as a whole number in [0, n), n up to 2^32.
inline std::size_t below(std::size_t n, std::uint64_t bits) {
    return static_cast<std::size_t>((bits >> 32) * n >> 32);
}

/// 64 random bits as a truth value.
inline bool coin(std::uint64_t bits) {
    return bits >> 63;
}

/// A number drawn uniformly from [low, high), low < high.
inline double drawn_threshold(double low, double high, std::uint64_t column) {
    const double share = unit(draw(column, OfColumn::threshold));
    const double threshold =
        high - low < HUGE_VAL ? low + (high - low) * share : low * (1 - share) + high * share;
    return low <= threshold && threshold < high ? threshold : low;
}

} // namespace deciduous
