// Sets of ranks that tell the neighbours of any rank.
#pragma once

#include "vector.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace deciduous {

/// The bits of a word below one, or with it.
inline std::uint64_t bits_below(std::uint32_t bit, bool with) {
    return (std::uint64_t{1} << (bit & 63U) << unsigned{with}) - 1;
}

/// Some of up to 64 ranks, as the bits of a word.
class RankWord {
public:
    /// Begins with none; `all`: the ranks that there are.
    explicit RankWord(std::uint64_t all) : all_(all) {}
    void insert(std::uint32_t rank) { ranks_ |= std::uint64_t{1} << rank; }

    /// The greatest one below a rank, or with it, of the set or outside of it; there is one.
    std::uint32_t below(std::uint32_t rank, bool with) const {
        return highest(ranks_ & bits_below(rank, with));
    }
    std::uint32_t below_outside(std::uint32_t rank, bool with) const {
        return highest(all_ & ~ranks_ & bits_below(rank, with));
    }
    /// The least one above a rank, or with it; there is one.
    std::uint32_t above(std::uint32_t rank, bool with) const {
        return lowest(ranks_ & ~bits_below(rank, !with));
    }
    std::uint32_t above_outside(std::uint32_t rank, bool with) const {
        return lowest(all_ & ~ranks_ & ~bits_below(rank, !with));
    }

private:
    static std::uint32_t highest(std::uint64_t word) {
        return 63U - static_cast<std::uint32_t>(std::countl_zero(word));
    }
    static std::uint32_t lowest(std::uint64_t word) {
        return static_cast<std::uint32_t>(std::countr_zero(word));
    }

    std::uint64_t all_, ranks_ = 0;
};

/// The memory of a `RankSet`: the bits of all ranks, then level by level a bit for each word below that is
/// not 0.
struct RankMemory {
    std::vector<std::uint64_t> words;
    std::array<std::size_t, 7> level{}; // where each begins
    std::size_t n_levels = 0;

    /// Makes room for n ranks, all or none of them in the set.
    void assign(std::size_t n, bool all);
    void mark(std::size_t word);   // that is no longer 0
    void unmark(std::size_t word); // that became 0
    /// The nearest word that is not 0, or `none`.
    static constexpr std::size_t none = SIZE_MAX;
    std::size_t word_below(std::size_t word) const;
    std::size_t word_above(std::size_t word) const;
};

/// A set of any number of ranks. A neighbour mostly lies in the same word; if not, its word is found in
/// O(log n / log 64).
class RankSet {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    /// Begins with all of n ranks, or with none, in memory that is lent.
    RankSet(std::size_t n, bool all, RankMemory &memory) : memory_(&memory) {
        memory.assign(n, all);
        words_ = memory.words.data();
    }
    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        std::uint64_t &word = words_[rank >> 6];
        if (!word) [[unlikely]]
            memory_->mark(rank >> 6);
        word |= std::uint64_t{1} << (rank & 63U);
    }
    DECIDUOUS_INLINE void erase(std::uint32_t rank) {
        std::uint64_t &word = words_[rank >> 6];
        word &= ~(std::uint64_t{1} << (rank & 63U));
        if (!word) [[unlikely]]
            memory_->unmark(rank >> 6);
    }

    /// Visits all of them, in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        const std::size_t n_words = memory_->n_levels > 1 ? memory_->level[1] : 1;
        for (std::size_t word = 0; word < n_words; ++word)
            for (std::uint64_t bits = words_[word]; bits; bits &= bits - 1)
                visit(lowest(word, bits));
    }

    /// The greatest one below a rank, or with it; or `none`.
    DECIDUOUS_INLINE std::uint32_t below(std::uint32_t rank, bool with) const {
        const std::uint64_t found = words_[rank >> 6] & bits_below(rank, with);
        return found ? highest(rank >> 6, found) : far_below(rank >> 6);
    }
    /// The least one above a rank, or with it; or `none`.
    DECIDUOUS_INLINE std::uint32_t above(std::uint32_t rank, bool with) const {
        const std::uint64_t found = words_[rank >> 6] & ~bits_below(rank, !with);
        return found ? lowest(rank >> 6, found) : far_above(rank >> 6);
    }

private:
    friend class DividedRanks;
    static std::uint32_t highest(std::size_t word, std::uint64_t bits) {
        return static_cast<std::uint32_t>(word * 64 + 63) -
               static_cast<std::uint32_t>(std::countl_zero(bits));
    }
    static std::uint32_t lowest(std::size_t word, std::uint64_t bits) {
        return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    std::uint32_t far_below(std::size_t word) const {
        const std::size_t there = memory_->word_below(word);
        return there == RankMemory::none ? none : highest(there, words_[there]);
    }
    std::uint32_t far_above(std::size_t word) const {
        const std::size_t there = memory_->word_above(word);
        return there == RankMemory::none ? none : lowest(there, words_[there]);
    }

    RankMemory *memory_;
    std::uint64_t *words_;
};

/// A set that grows, and what is outside of it: one word tells both.
class DividedRanks {
public:
    /// Begins with none of n ranks, in memory that is lent.
    DividedRanks(std::size_t n, RankMemory &inside, RankMemory &outside) : inside_(n, false, inside) {
        outside.assign(n, true);
        outside_ = &outside;
    }
    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        inside_.insert(rank);
        if (!~inside_.words_[rank >> 6]) [[unlikely]]
            outside_->unmark(rank >> 6);
    }
    DECIDUOUS_INLINE std::uint32_t below(std::uint32_t rank, bool with) const {
        return inside_.below(rank, with);
    }
    DECIDUOUS_INLINE std::uint32_t above(std::uint32_t rank, bool with) const {
        return inside_.above(rank, with);
    }
    /// The nearest one that is outside; there is one.
    DECIDUOUS_INLINE std::uint32_t below_outside(std::uint32_t rank, bool with) const {
        const std::uint64_t found = ~inside_.words_[rank >> 6] & bits_below(rank, with);
        if (found) [[likely]]
            return RankSet::highest(rank >> 6, found);
        const std::size_t word = outside_->word_below(rank >> 6);
        return RankSet::highest(word, ~inside_.words_[word]);
    }
    DECIDUOUS_INLINE std::uint32_t above_outside(std::uint32_t rank, bool with) const {
        const std::uint64_t found = ~inside_.words_[rank >> 6] & ~bits_below(rank, !with);
        if (found) [[likely]]
            return RankSet::lowest(rank >> 6, found);
        const std::size_t word = outside_->word_above(rank >> 6);
        return RankSet::lowest(word, ~inside_.words_[word]);
    }

private:
    RankSet inside_;
    RankMemory *outside_; // of which the levels above the words are kept
};

} // namespace deciduous
