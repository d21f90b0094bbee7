// Where vector instructions may be used: compiled in on x86-64, and asked for at run time. Everything that
// uses them has a plain twin of equal results.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
/// Marks a function that needs AVX2 (and BMI2, which came with it); callers ask `has_avx2()` first.
#define DECIDUOUS_AVX2 __attribute__((target("avx2,bmi2")))
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

} // namespace deciduous
