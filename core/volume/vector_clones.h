#pragma once

/// Put before a function, it also compiles the function for AVX2 (without fused multiply-adds, so the results
/// are the same); the best version for the machine is selected at run time. Off with sanitizers, which do not
/// support this selection.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define HIGHWATER_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HIGHWATER_VECTOR_CLONES
#endif

/// Put before functions that such a function calls in its loops: they are compiled for AVX2 only if they are
/// inlined.
#if defined(__GNUC__)
#define HIGHWATER_INLINE [[gnu::always_inline]] inline
#else
#define HIGHWATER_INLINE inline
#endif

namespace highwater::volume {

/// In a function that is compiled twice, std::min and std::max would not be inlined.
template <class T>
HIGHWATER_INLINE T lesser(T a, T b) {
    return b < a ? b : a;
}
template <class T>
HIGHWATER_INLINE T greater(T a, T b) {
    return a < b ? b : a;
}

}  // namespace highwater::volume
