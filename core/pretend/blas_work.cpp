#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// The computations of cuBLAS and cuBLASLt that LibTorch calls. All of them succeed by doing nothing, so their
// arguments are not even declared: in the C calling convention the caller cleans up.
namespace {

int work(const char* name) {
    constexpr int kExecutionFailed = 13;
    return highwater::pretend::launch(name) ? kExecutionFailed : 0;
}

}  // namespace

#define WORK(name)          \
    extern "C" int name() { \
        return work(#name); \
    }

// These report invalid arguments in an integer in host memory.
#define WORK_OF_BATCHES(T)                                                                                 \
    extern "C" int cublas##T##getrsBatched(void*, int, int, int, const void*, int, const int*, void*, int, \
                                           int* info, int) {                                               \
        *info = 0;                                                                                         \
        return work("cublas" #T "getrsBatched");                                                           \
    }                                                                                                      \
    extern "C" int cublas##T##geqrfBatched(void*, int, int, void*, int, void*, int* info, int) {           \
        *info = 0;                                                                                         \
        return work("cublas" #T "geqrfBatched");                                                           \
    }                                                                                                      \
    extern "C" int cublas##T##gelsBatched(void*, int, int, int, int, void*, int, void*, int, int* info,    \
                                          int*, int) {                                                     \
        *info = 0;                                                                                         \
        return work("cublas" #T "gelsBatched");                                                            \
    }

// clang-format off
WORK_OF_BATCHES(S) WORK_OF_BATCHES(D) WORK_OF_BATCHES(C) WORK_OF_BATCHES(Z)
WORK(cublasCaxpy_v2) WORK(cublasCcopy_v2) WORK(cublasCdotc_v2) WORK(cublasCdotu_v2)
WORK(cublasCgemmBatched) WORK(cublasCgemmStridedBatched) WORK(cublasCgemm_v2)
WORK(cublasCgemv_v2) WORK(cublasCgerc_v2) WORK(cublasCgeru_v2)
WORK(cublasCgetrfBatched) WORK(cublasChemm_v2) WORK(cublasChemv_v2)
WORK(cublasCher2_v2) WORK(cublasCher2k_v2) WORK(cublasCher_v2) WORK(cublasCherk_v2) WORK(cublasCrot_v2)
WORK(cublasCrotg_v2) WORK(cublasCscal_v2) WORK(cublasCsrot_v2) WORK(cublasCsscal_v2)
WORK(cublasCswap_v2) WORK(cublasCsymm_v2) WORK(cublasCsymv_v2) WORK(cublasCsyr2_v2)
WORK(cublasCsyr2k_v2) WORK(cublasCsyr_v2) WORK(cublasCsyrk_v2) WORK(cublasCtrmm_v2) WORK(cublasCtrmv_v2)
WORK(cublasCtrsmBatched) WORK(cublasCtrsm_v2) WORK(cublasCtrsv_v2) WORK(cublasDasum_v2)
WORK(cublasDaxpy_v2) WORK(cublasDcopy_v2) WORK(cublasDdot_v2) 
WORK(cublasDgemmBatched) WORK(cublasDgemmStridedBatched) WORK(cublasDgemm_v2) WORK(cublasDgemv_v2)
WORK(cublasDger_v2) WORK(cublasDgetrfBatched) 
WORK(cublasDnrm2_v2) WORK(cublasDotEx) WORK(cublasDrot_v2) WORK(cublasDrotg_v2) WORK(cublasDrotm_v2)
WORK(cublasDrotmg_v2) WORK(cublasDscal_v2) WORK(cublasDswap_v2) WORK(cublasDsymm_v2)
WORK(cublasDsymv_v2) WORK(cublasDsyr2_v2) WORK(cublasDsyr2k_v2) WORK(cublasDsyr_v2) WORK(cublasDsyrk_v2)
WORK(cublasDtrmm_v2) WORK(cublasDtrmv_v2) WORK(cublasDtrsmBatched) WORK(cublasDtrsm_v2)
WORK(cublasDtrsv_v2) WORK(cublasDzasum_v2) WORK(cublasDznrm2_v2) WORK(cublasGemmEx)
WORK(cublasGemmStridedBatchedEx) WORK(cublasGetMatrixAsync) WORK(cublasGetVectorAsync)
WORK(cublasIcamax_v2) WORK(cublasIcamin_v2) WORK(cublasIdamax_v2) WORK(cublasIdamin_v2)
WORK(cublasIsamax_v2) WORK(cublasIsamin_v2) WORK(cublasIzamax_v2) WORK(cublasIzamin_v2)
WORK(cublasLtMatmul) WORK(cublasLtMatmulAlgoCheck) WORK(cublasLtMatmulAlgoConfigGetAttribute)
WORK(cublasLtMatmulAlgoConfigSetAttribute) WORK(cublasLtMatmulAlgoInit) WORK(cublasSasum_v2)
WORK(cublasSaxpy_v2) WORK(cublasScasum_v2) WORK(cublasScnrm2_v2) WORK(cublasScopy_v2)
WORK(cublasSdot_v2) WORK(cublasSetMatrixAsync) WORK(cublasSetVectorAsync) 
WORK(cublasSgemmBatched) WORK(cublasSgemmEx) WORK(cublasSgemmStridedBatched) WORK(cublasSgemm_v2)
WORK(cublasSgemv_v2) WORK(cublasSger_v2) WORK(cublasSgetrfBatched)
WORK(cublasSnrm2_v2) WORK(cublasSrot_v2) WORK(cublasSrotg_v2)
WORK(cublasSrotm_v2) WORK(cublasSrotmg_v2) WORK(cublasSscal_v2) WORK(cublasSswap_v2)
WORK(cublasSsymm_v2) WORK(cublasSsymv_v2) WORK(cublasSsyr2_v2) WORK(cublasSsyr2k_v2) WORK(cublasSsyr_v2)
WORK(cublasSsyrk_v2) WORK(cublasStrmm_v2) WORK(cublasStrmv_v2) WORK(cublasStrsmBatched)
WORK(cublasStrsm_v2) WORK(cublasStrsv_v2) WORK(cublasZaxpy_v2) WORK(cublasZcopy_v2) WORK(cublasZdotc_v2)
WORK(cublasZdotu_v2) WORK(cublasZdrot_v2) WORK(cublasZdscal_v2) 
WORK(cublasZgemmBatched) WORK(cublasZgemmStridedBatched) WORK(cublasZgemm_v2) WORK(cublasZgemv_v2)
WORK(cublasZgerc_v2) WORK(cublasZgeru_v2) WORK(cublasZgetrfBatched)
WORK(cublasZhemm_v2) WORK(cublasZhemv_v2) WORK(cublasZher2_v2)
WORK(cublasZher2k_v2) WORK(cublasZher_v2) WORK(cublasZherk_v2) WORK(cublasZrot_v2) WORK(cublasZrotg_v2)
WORK(cublasZscal_v2) WORK(cublasZswap_v2) WORK(cublasZsymm_v2) WORK(cublasZsymv_v2) WORK(cublasZsyr2_v2)
WORK(cublasZsyr2k_v2) WORK(cublasZsyr_v2) WORK(cublasZsyrk_v2) WORK(cublasZtrmm_v2) WORK(cublasZtrmv_v2)
WORK(cublasZtrsmBatched) WORK(cublasZtrsm_v2) WORK(cublasZtrsv_v2)
    // clang-format on
