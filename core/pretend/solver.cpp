#include <algorithm>
#include <climits>
#include <cstdint>

#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// cuSOLVER's dense part. Factorizations succeed by doing nothing: their `info` stays zero, as device memory
// reads. Their workspace is an estimate: the size of the matrix. As in blas_work.cpp, unused arguments are
// not declared.
using namespace highwater::pretend;

namespace {

int solverWork(const char* name) {
    constexpr int kExecutionFailed = 6;
    return launch(name) ? kExecutionFailed : 0;
}

int makeHandle(void** handle) {
    static int token;
    *handle = &token;
    return driverError() == cudaSuccess ? 0 : 1;  // not initialized
}

std::int64_t elements(std::int64_t rows, std::int64_t columns) {
    sayOnce("the workspaces of cuSOLVER are an estimate");
    return std::max<std::int64_t>(rows * columns, 1);
}

int giveElements(std::int64_t rows, std::int64_t columns, int* count) {
    *count = static_cast<int>(std::min<std::int64_t>(elements(rows, columns), INT_MAX));
    return 0;
}

// Assumes at most 16 bytes per value, because the type is not inspected.
int giveBytes(std::int64_t rows, std::int64_t columns, std::size_t* device, std::size_t* host) {
    *device = static_cast<std::size_t>(elements(rows, columns)) * 16;
    *host = 0;
    return 0;
}

}  // namespace

extern "C" {

int cusolverDnXgeqrf_bufferSize(void*, void*, std::int64_t m, std::int64_t n, int, void*, std::int64_t, int,
                                void*, int, std::size_t* device, std::size_t* host) {
    return giveBytes(m, n, device, host);
}
int cusolverDnXpotrf_bufferSize(void*, void*, int, std::int64_t n, int, void*, std::int64_t, int,
                                std::size_t* device, std::size_t* host) {
    return giveBytes(n, n, device, host);
}
int cusolverDnXsyevd_bufferSize(void*, void*, int, int, std::int64_t n, int, void*, std::int64_t, int, void*,
                                int, std::size_t* device, std::size_t* host) {
    return giveBytes(n, n, device, host);
}
int cusolverDnXsyevBatched_bufferSize(void*, void*, int, int, std::int64_t n, int, void*, std::int64_t, int,
                                      void*, int, std::size_t* device, std::size_t* host,
                                      std::int64_t batch) {
    return giveBytes(n * batch, n, device, host);
}
int cusolverDnXgeev_bufferSize(void*, void*, int, int, std::int64_t n, int, void*, std::int64_t, int, void*,
                               int, void*, std::int64_t, int, void*, std::int64_t, int, std::size_t* device,
                               std::size_t* host) {
    return giveBytes(n, n, device, host);
}
int cusolverDnXsytrs_bufferSize(void*, int, std::int64_t n, std::int64_t, int, void*, std::int64_t, void*,
                                int, void*, std::int64_t, std::size_t* device, std::size_t* host) {
    return giveBytes(n, n, device, host);
}

}  // extern "C"

#define WORK(name)                \
    extern "C" int name() {       \
        return solverWork(#name); \
    }
#define MAKES(name)                      \
    extern "C" int name(void** handle) { \
        return makeHandle(handle);       \
    }
#define DONE(name)          \
    extern "C" int name() { \
        return 0;           \
    }

// Functions that float and double (T: S, D) and complex types (C, Z) share.
#define OF_EACH_TYPE(T)                                                                                      \
    extern "C" int cusolverDn##T##getrf_bufferSize(void*, int m, int n, void*, int, int* count) {            \
        return giveElements(m, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##geqrf_bufferSize(void*, int m, int n, void*, int, int* count) {            \
        return giveElements(m, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##potrf_bufferSize(void*, int, int n, void*, int, int* count) {              \
        return giveElements(n, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##sytrf_bufferSize(void*, int n, void*, int, int* count) {                   \
        return giveElements(n, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##gesvd_bufferSize(void*, int m, int n, int* count) {                        \
        return giveElements(m, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##gesvdj_bufferSize(void*, int, int, int m, int n, void*, int, void*, void*, \
                                                    int, void*, int, int* count, void*) {                    \
        return giveElements(m, n, count);                                                                    \
    }                                                                                                        \
    extern "C" int cusolverDn##T##gesvdjBatched_bufferSize(                                                  \
        void*, int, int m, int n, void*, int, void*, void*, int, void*, int, int* count, void*, int batch) { \
        return giveElements(std::int64_t{m} * batch, n, count);                                              \
    }                                                                                                        \
    extern "C" int cusolverDn##T##gesvdaStridedBatched_bufferSize(                                           \
        void*, int, int, int m, int n, void*, int, long long, void*, long long, void*, int, long long,       \
        void*, int, long long, int* count, int batch) {                                                      \
        return giveElements(std::int64_t{m} * batch, n, count);                                              \
    }                                                                                                        \
    WORK(cusolverDn##T##getrf)                                                                               \
    WORK(cusolverDn##T##getrs)                                                                               \
    WORK(cusolverDn##T##geqrf)                                                                               \
    WORK(cusolverDn##T##potrf)                                                                               \
    WORK(cusolverDn##T##potrs)                                                                               \
    WORK(cusolverDn##T##potrfBatched)                                                                        \
    WORK(cusolverDn##T##potrsBatched)                                                                        \
    WORK(cusolverDn##T##sytrf)                                                                               \
    WORK(cusolverDn##T##gesvd)                                                                               \
    WORK(cusolverDn##T##gesvdj)                                                                              \
    WORK(cusolverDn##T##gesvdjBatched)                                                                       \
    WORK(cusolverDn##T##gesvdaStridedBatched)

// Functions whose name depends on the type: orgqr and syevd, or ungqr and heevd.
#define OF_TYPE(T, q, symmetric)                                                                           \
    OF_EACH_TYPE(T)                                                                                        \
    extern "C" int cusolverDn##T##q##gqr_bufferSize(void*, int m, int n, int, void*, int, void*,           \
                                                    int* count) {                                          \
        return giveElements(m, n, count);                                                                  \
    }                                                                                                      \
    extern "C" int cusolverDn##T##q##mqr_bufferSize(void*, int, int, int m, int n, int, void*, int, void*, \
                                                    void*, int, int* count) {                              \
        return giveElements(m, n, count);                                                                  \
    }                                                                                                      \
    extern "C" int cusolverDn##T##symmetric##evd_bufferSize(void*, int, int, int n, void*, int, void*,     \
                                                            int* count) {                                  \
        return giveElements(n, n, count);                                                                  \
    }                                                                                                      \
    extern "C" int cusolverDn##T##symmetric##evj_bufferSize(void*, int, int, int n, void*, int, void*,     \
                                                            int* count, void*) {                           \
        return giveElements(n, n, count);                                                                  \
    }                                                                                                      \
    extern "C" int cusolverDn##T##symmetric##evjBatched_bufferSize(void*, int, int, int n, void*, int,     \
                                                                   void*, int* count, void*, int batch) {  \
        return giveElements(std::int64_t{n} * batch, n, count);                                            \
    }                                                                                                      \
    WORK(cusolverDn##T##q##gqr)                                                                            \
    WORK(cusolverDn##T##q##mqr)                                                                            \
    WORK(cusolverDn##T##symmetric##evd)                                                                    \
    WORK(cusolverDn##T##symmetric##evj)                                                                    \
    WORK(cusolverDn##T##symmetric##evjBatched)

// clang-format off
OF_TYPE(S, or, sy) OF_TYPE(D, or, sy) OF_TYPE(C, un, he) OF_TYPE(Z, un, he)

MAKES(cusolverDnCreate) MAKES(cusolverDnCreateGesvdjInfo) MAKES(cusolverDnCreateParams)
MAKES(cusolverDnCreateSyevjInfo)
DONE(cusolverDnDestroy) DONE(cusolverDnDestroyGesvdjInfo) DONE(cusolverDnDestroyParams)
DONE(cusolverDnDestroySyevjInfo) DONE(cusolverDnSetStream) DONE(cusolverDnXgesvdjSetMaxSweeps)
DONE(cusolverDnXgesvdjSetSortEig) DONE(cusolverDnXgesvdjSetTolerance)
WORK(cusolverDnXgeev) WORK(cusolverDnXgeqrf) WORK(cusolverDnXpotrf) WORK(cusolverDnXpotrs)
WORK(cusolverDnXsyevBatched) WORK(cusolverDnXsyevd) WORK(cusolverDnXsytrs)
    // clang-format on
