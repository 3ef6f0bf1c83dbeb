#pragma once

/// Runs a loop of plain C++ that is compiled twice, for any processor and for one with AVX2, and chooses the
/// version at run time. The loop is an object; its operator() and every function that it calls must be
/// HIGHWATER_INLINE.
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
