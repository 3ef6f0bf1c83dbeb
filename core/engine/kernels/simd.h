#pragma once

#include <cstdint>

/// Loops of plain C++ compiled twice, for any processor and for one with AVX2, and taken as the processor is.
/// The work of a loop is an object whose operator() and what it calls are HIGHWATER_INLINE.
#define HIGHWATER_INLINE inline __attribute__((always_inline))

namespace highwater::engine::kernels {

#if defined(__x86_64__)
inline bool hasAvx2() {
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}

template <class Work>
__attribute__((target("avx2,fma"))) auto runAvx2(const Work& work) {
    return work();
}

template <class Work>
auto run(const Work& work) {
    return hasAvx2() ? runAvx2(work) : work();
}
#else
template <class Work>
auto run(const Work& work) {
    return work();
}
#endif

}  // namespace highwater::engine::kernels
