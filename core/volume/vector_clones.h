#pragma once

/// Before a function: it is compiled for AVX2 as well (without fused multiply-adds: the results are the
/// same), and the machine's best version runs. Sanitizers do not go together with how it is chosen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define HIGHWATER_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HIGHWATER_VECTOR_CLONES
#endif

/// Before what such a function calls in its loops: only what is part of it is compiled for AVX2.
#if defined(__GNUC__)
#define HIGHWATER_INLINE [[gnu::always_inline]] inline
#else
#define HIGHWATER_INLINE inline
#endif

namespace highwater::volume {

/// std::min and std::max are calls where a function is compiled twice.
template <class T>
HIGHWATER_INLINE T lesser(T a, T b) {
    return b < a ? b : a;
}
template <class T>
HIGHWATER_INLINE T greater(T a, T b) {
    return a < b ? b : a;
}

}  // namespace highwater::volume
