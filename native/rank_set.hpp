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

/// Finds the n-th of the bits of a word that are set, from 0 on; there are more than n. By halves.
struct BitsByHalves {
    static std::uint32_t nth(std::uint64_t word, std::uint32_t n) {
        std::uint32_t at = 0;
        for (std::uint32_t half = 32; half; half /= 2) {
            const auto below = static_cast<std::uint32_t>(std::popcount(word & bits_below(half, false)));
            const bool above = n >= below;
            n -= above ? below : 0;
            word >>= above ? half : 0;
            at += above ? half : 0;
        }
        return at;
    }
};

#ifdef DECIDUOUS_AVX2
/// The same by an instruction, which puts a one where the n-th bit is; callers ask `has_bits()` first.
struct BitsByDeposit {
    DECIDUOUS_BITS static std::uint32_t nth(std::uint64_t word, std::uint32_t n) {
        return static_cast<std::uint32_t>(std::countr_zero(_pdep_u64(std::uint64_t{1} << n, word)));
    }
};
#endif

/// Some of up to 64 ranks, and the others of those that there are, as the bits of words.
template <typename Bits>
class RankWord {
public:
    /// Begins with none; `all`: the ranks that there are.
    explicit RankWord(std::uint64_t all) : outside_(all) {}
    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        inside_ |= std::uint64_t{1} << rank;
        outside_ ^= std::uint64_t{1} << rank;
    }
    /// The n-th one of the set, or outside of it, from 0 on.
    DECIDUOUS_INLINE std::uint32_t inside(std::uint32_t n) { return Bits::nth(inside_, n); }
    DECIDUOUS_INLINE std::uint32_t outside(std::uint32_t n) { return Bits::nth(outside_, n); }

private:
    std::uint64_t inside_ = 0, outside_;
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

/// A set that grows, and what is outside of it: one word tells both. The n-th of either is found near the
/// one that was last asked for.
template <typename Bits>
class DividedRanks {
public:
    /// Begins with none of n ranks, in memory that is lent.
    DividedRanks(std::size_t n, RankMemory &inside, RankMemory &outside)
        : inside_memory_(&inside), outside_memory_(&outside) {
        inside.assign(n, false);
        outside.assign(n, true); // of which the levels above the words are kept
        words_ = inside.words.data();
        outside_.word = n / 128;
        outside_.below = static_cast<std::uint32_t>(outside_.word * 64);
    }
    DECIDUOUS_INLINE void insert(std::uint32_t rank) {
        const std::size_t at = rank >> 6;
        std::uint64_t &word = words_[at];
        if (!word) [[unlikely]]
            inside_memory_->mark(at);
        word |= std::uint64_t{1} << (rank & 63U);
        if (!~word) [[unlikely]]
            outside_memory_->unmark(at);
        inside_.below += at < inside_.word;
        outside_.below -= at < outside_.word;
    }
    /// The n-th one of the set, or outside of it, from 0 on.
    DECIDUOUS_INLINE std::uint32_t inside(std::uint32_t n) {
        return find(inside_, n, *inside_memory_, [this](std::size_t at) { return words_[at]; });
    }
    DECIDUOUS_INLINE std::uint32_t outside(std::uint32_t n) {
        return find(outside_, n, *outside_memory_, [this](std::size_t at) { return ~words_[at]; });
    }

private:
    /// A word, and how many ranks lie in those below it.
    struct Place {
        std::size_t word = 0;
        std::uint32_t below = 0;
    };

    template <typename WordAt>
    DECIDUOUS_INLINE static std::uint32_t find(Place &place, std::uint32_t n, const RankMemory &memory,
                                               WordAt word_at) {
        const auto ranks_in = [&](std::size_t at) {
            return static_cast<std::uint32_t>(std::popcount(word_at(at)));
        };
        while (n < place.below) [[unlikely]] {
            place.word = memory.word_below(place.word);
            place.below -= ranks_in(place.word);
        }
        for (std::uint32_t here; n - place.below >= (here = ranks_in(place.word));) [[unlikely]] {
            place.below += here;
            place.word = memory.word_above(place.word);
        }
        return static_cast<std::uint32_t>(place.word * 64) + Bits::nth(word_at(place.word), n - place.below);
    }

    RankMemory *inside_memory_, *outside_memory_;
    std::uint64_t *words_;
    Place inside_, outside_;
};

} // namespace deciduous
