// Where vector instructions may be used: compiled in on x86-64, and asked for at run time. Everything that
// uses them has a plain twin of equal results.
#pragma once

// Vectors of records may reach past the end of a node, where another thread is at work: those lanes are
// masked out, but TSan cannot know. It watches the plain twins.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
/// Marks a function that needs AVX2 (and BMI2, which came with it); callers ask `has_avx2()` first.
#define DECIDUOUS_AVX2 __attribute__((target("avx2,bmi2")))
/// Marks a function that needs the instructions for bits that came with AVX2; callers ask `has_bits()` first.
/// It takes up all that it calls: what is marked and called by what is not would else stay a function.
#define DECIDUOUS_BITS __attribute__((target("bmi,bmi2,lzcnt,popcnt"), flatten))
#else
#define DECIDUOUS_BITS
#endif

#ifdef __GNUC__
/// For what the innermost loops call: its state then stays in registers.
#define DECIDUOUS_INLINE [[gnu::always_inline]] inline
#else
#define DECIDUOUS_INLINE inline
#endif

namespace deciduous {

inline bool has_avx2() {
#ifdef DECIDUOUS_AVX2
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    return has;
#else
    return false;
#endif
}

/// Not where depositing bits is slow: AMD's first two kinds of Zen do it in a program of their own.
inline bool has_bits() {
#ifdef DECIDUOUS_AVX2
    static const bool has = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                            __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("popcnt") &&
                            !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
    return has;
#else
    return false;
#endif
}

} // namespace deciduous
