#include "rank_set.hpp"

#include <algorithm>

namespace deciduous {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

void RankMemory::assign(size_t n, bool all) {
    n_levels = 0;
    size_t end = 0;
    std::array<size_t, 7> bits{}; // of each level
    for (size_t rest = std::max<size_t>(n, 1); n_levels == 0 || rest > 1; rest = (rest + 63) / 64) {
        bits[n_levels] = rest;
        level[n_levels++] = end;
        end += (rest + 63) / 64;
    }
    if (words.size() < end)
        words.resize(end);
    std::fill_n(words.begin(), end, all ? ~uint64_t{0} : 0);
    for (size_t l = 0; all && l < n_levels; ++l)
        if (bits[l] % 64)
            words[level[l] + bits[l] / 64] = (uint64_t{1} << bits[l] % 64) - 1;
    if (all && n == 0)
        words[0] = 0;
}

void RankMemory::mark(size_t word) {
    for (size_t l = 1; l < n_levels; ++l, word /= 64) {
        uint64_t &above = words[level[l] + word / 64];
        const bool was_empty = above == 0;
        above |= uint64_t{1} << word % 64;
        if (!was_empty)
            return;
    }
}

void RankMemory::unmark(size_t word) {
    for (size_t l = 1; l < n_levels; ++l, word /= 64) {
        uint64_t &above = words[level[l] + word / 64];
        above &= ~(uint64_t{1} << word % 64);
        if (above)
            return;
    }
}

size_t RankMemory::word_below(size_t word) const {
    for (size_t l = 1; l < n_levels; ++l, word /= 64) {
        const uint64_t found =
            words[level[l] + word / 64] & bits_below(static_cast<uint32_t>(word % 64), false);
        if (!found)
            continue;
        word = word / 64 * 64 + 63 - static_cast<size_t>(std::countl_zero(found));
        while (--l > 0)
            word = word * 64 + 63 - static_cast<size_t>(std::countl_zero(words[level[l] + word]));
        return word;
    }
    return none;
}

size_t RankMemory::word_above(size_t word) const {
    for (size_t l = 1; l < n_levels; ++l, word /= 64) {
        const uint64_t found =
            words[level[l] + word / 64] & ~bits_below(static_cast<uint32_t>(word % 64), true);
        if (!found)
            continue;
        word = word / 64 * 64 + static_cast<size_t>(std::countr_zero(found));
        while (--l > 0)
            word = word * 64 + static_cast<size_t>(std::countr_zero(words[level[l] + word]));
        return word;
    }
    return none;
}

} // namespace deciduous
