#pragma once

/// Before a function: it is compiled for AVX2 as well, and the machine's best version runs. Sanitizers do not
/// go together with how it is chosen.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define HIGHWATER_VECTOR_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define HIGHWATER_VECTOR_CLONES
#endif
