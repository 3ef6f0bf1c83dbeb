#include "tests/gpu/standin/settings.h"

// Functions of the CUDA libraries that LibTorch imports and the stand-in device does not model. Each answers
// "not supported" in its library's own code, so that LibTorch reports it and nothing reaches the real library
// with a handle that is not its own. HIGHWATER_STANDIN_VERBOSE names them when they are called.
namespace {

int unmodelled(const char* name, int notSupported) {
    highwater::standin::note(std::string(name) + " is not modelled: not supported");
    return notSupported;
}

}  // namespace

#define SOLVER(name)                 \
    extern "C" int name() {          \
        return unmodelled(#name, 9); \
    }
#define SPARSE(name)                  \
    extern "C" int name() {           \
        return unmodelled(#name, 10); \
    }

// clang-format off
SOLVER(cusolverDnCgeqrf) SOLVER(cusolverDnCgeqrf_bufferSize) SOLVER(cusolverDnCgesvd)
SOLVER(cusolverDnCgesvd_bufferSize) SOLVER(cusolverDnCgesvdaStridedBatched)
SOLVER(cusolverDnCgesvdaStridedBatched_bufferSize) SOLVER(cusolverDnCgesvdj)
SOLVER(cusolverDnCgesvdjBatched) SOLVER(cusolverDnCgesvdjBatched_bufferSize)
SOLVER(cusolverDnCgesvdj_bufferSize) SOLVER(cusolverDnCgetrf) SOLVER(cusolverDnCgetrf_bufferSize)
SOLVER(cusolverDnCgetrs) SOLVER(cusolverDnCheevd) SOLVER(cusolverDnCheevd_bufferSize)
SOLVER(cusolverDnCheevj) SOLVER(cusolverDnCheevjBatched) SOLVER(cusolverDnCheevjBatched_bufferSize)
SOLVER(cusolverDnCheevj_bufferSize) SOLVER(cusolverDnCpotrf) SOLVER(cusolverDnCpotrfBatched)
SOLVER(cusolverDnCpotrf_bufferSize) SOLVER(cusolverDnCpotrs) SOLVER(cusolverDnCpotrsBatched)
SOLVER(cusolverDnCreate) SOLVER(cusolverDnCreateGesvdjInfo) SOLVER(cusolverDnCreateParams)
SOLVER(cusolverDnCreateSyevjInfo) SOLVER(cusolverDnCsytrf) SOLVER(cusolverDnCsytrf_bufferSize)
SOLVER(cusolverDnCungqr) SOLVER(cusolverDnCungqr_bufferSize) SOLVER(cusolverDnCunmqr)
SOLVER(cusolverDnCunmqr_bufferSize) SOLVER(cusolverDnDestroy) SOLVER(cusolverDnDestroyGesvdjInfo)
SOLVER(cusolverDnDestroyParams) SOLVER(cusolverDnDestroySyevjInfo) SOLVER(cusolverDnDgeqrf)
SOLVER(cusolverDnDgeqrf_bufferSize) SOLVER(cusolverDnDgesvd) SOLVER(cusolverDnDgesvd_bufferSize)
SOLVER(cusolverDnDgesvdaStridedBatched) SOLVER(cusolverDnDgesvdaStridedBatched_bufferSize)
SOLVER(cusolverDnDgesvdj) SOLVER(cusolverDnDgesvdjBatched) SOLVER(cusolverDnDgesvdjBatched_bufferSize)
SOLVER(cusolverDnDgesvdj_bufferSize) SOLVER(cusolverDnDgetrf) SOLVER(cusolverDnDgetrf_bufferSize)
SOLVER(cusolverDnDgetrs) SOLVER(cusolverDnDorgqr) SOLVER(cusolverDnDorgqr_bufferSize)
SOLVER(cusolverDnDormqr) SOLVER(cusolverDnDormqr_bufferSize) SOLVER(cusolverDnDpotrf)
SOLVER(cusolverDnDpotrfBatched) SOLVER(cusolverDnDpotrf_bufferSize) SOLVER(cusolverDnDpotrs)
SOLVER(cusolverDnDpotrsBatched) SOLVER(cusolverDnDsyevd) SOLVER(cusolverDnDsyevd_bufferSize)
SOLVER(cusolverDnDsyevj) SOLVER(cusolverDnDsyevjBatched) SOLVER(cusolverDnDsyevjBatched_bufferSize)
SOLVER(cusolverDnDsyevj_bufferSize) SOLVER(cusolverDnDsytrf) SOLVER(cusolverDnDsytrf_bufferSize)
SOLVER(cusolverDnSetStream) SOLVER(cusolverDnSgeqrf) SOLVER(cusolverDnSgeqrf_bufferSize)
SOLVER(cusolverDnSgesvd) SOLVER(cusolverDnSgesvd_bufferSize) SOLVER(cusolverDnSgesvdaStridedBatched)
SOLVER(cusolverDnSgesvdaStridedBatched_bufferSize) SOLVER(cusolverDnSgesvdj)
SOLVER(cusolverDnSgesvdjBatched) SOLVER(cusolverDnSgesvdjBatched_bufferSize)
SOLVER(cusolverDnSgesvdj_bufferSize) SOLVER(cusolverDnSgetrf) SOLVER(cusolverDnSgetrf_bufferSize)
SOLVER(cusolverDnSgetrs) SOLVER(cusolverDnSorgqr) SOLVER(cusolverDnSorgqr_bufferSize)
SOLVER(cusolverDnSormqr) SOLVER(cusolverDnSormqr_bufferSize) SOLVER(cusolverDnSpotrf)
SOLVER(cusolverDnSpotrfBatched) SOLVER(cusolverDnSpotrf_bufferSize) SOLVER(cusolverDnSpotrs)
SOLVER(cusolverDnSpotrsBatched) SOLVER(cusolverDnSsyevd) SOLVER(cusolverDnSsyevd_bufferSize)
SOLVER(cusolverDnSsyevj) SOLVER(cusolverDnSsyevjBatched) SOLVER(cusolverDnSsyevjBatched_bufferSize)
SOLVER(cusolverDnSsyevj_bufferSize) SOLVER(cusolverDnSsytrf) SOLVER(cusolverDnSsytrf_bufferSize)
SOLVER(cusolverDnXgeev) SOLVER(cusolverDnXgeev_bufferSize) SOLVER(cusolverDnXgeqrf)
SOLVER(cusolverDnXgeqrf_bufferSize) SOLVER(cusolverDnXgesvdjSetMaxSweeps)
SOLVER(cusolverDnXgesvdjSetSortEig) SOLVER(cusolverDnXgesvdjSetTolerance) SOLVER(cusolverDnXpotrf)
SOLVER(cusolverDnXpotrf_bufferSize) SOLVER(cusolverDnXpotrs) SOLVER(cusolverDnXsyevBatched)
SOLVER(cusolverDnXsyevBatched_bufferSize) SOLVER(cusolverDnXsyevd) SOLVER(cusolverDnXsyevd_bufferSize)
SOLVER(cusolverDnXsytrs) SOLVER(cusolverDnXsytrs_bufferSize) SOLVER(cusolverDnZgeqrf)
SOLVER(cusolverDnZgeqrf_bufferSize) SOLVER(cusolverDnZgesvd) SOLVER(cusolverDnZgesvd_bufferSize)
SOLVER(cusolverDnZgesvdaStridedBatched) SOLVER(cusolverDnZgesvdaStridedBatched_bufferSize)
SOLVER(cusolverDnZgesvdj) SOLVER(cusolverDnZgesvdjBatched) SOLVER(cusolverDnZgesvdjBatched_bufferSize)
SOLVER(cusolverDnZgesvdj_bufferSize) SOLVER(cusolverDnZgetrf) SOLVER(cusolverDnZgetrf_bufferSize)
SOLVER(cusolverDnZgetrs) SOLVER(cusolverDnZheevd) SOLVER(cusolverDnZheevd_bufferSize)
SOLVER(cusolverDnZheevj) SOLVER(cusolverDnZheevjBatched) SOLVER(cusolverDnZheevjBatched_bufferSize)
SOLVER(cusolverDnZheevj_bufferSize) SOLVER(cusolverDnZpotrf) SOLVER(cusolverDnZpotrfBatched)
SOLVER(cusolverDnZpotrf_bufferSize) SOLVER(cusolverDnZpotrs) SOLVER(cusolverDnZpotrsBatched)
SOLVER(cusolverDnZsytrf) SOLVER(cusolverDnZsytrf_bufferSize) SOLVER(cusolverDnZungqr)
SOLVER(cusolverDnZungqr_bufferSize) SOLVER(cusolverDnZunmqr) SOLVER(cusolverDnZunmqr_bufferSize)

SPARSE(cusparseCbsrmm) SPARSE(cusparseCbsrmv) SPARSE(cusparseCbsrsm2_analysis)
SPARSE(cusparseCbsrsm2_bufferSize) SPARSE(cusparseCbsrsm2_solve) SPARSE(cusparseCbsrsv2_analysis)
SPARSE(cusparseCbsrsv2_bufferSize) SPARSE(cusparseCbsrsv2_solve) SPARSE(cusparseCcsrgeam2)
SPARSE(cusparseCcsrgeam2_bufferSizeExt) SPARSE(cusparseCreate) SPARSE(cusparseCreateBsrsm2Info)
SPARSE(cusparseCreateBsrsv2Info) SPARSE(cusparseCreateCoo) SPARSE(cusparseCreateCsr)
SPARSE(cusparseCreateDnMat) SPARSE(cusparseCreateDnVec) SPARSE(cusparseCreateIdentityPermutation)
SPARSE(cusparseCreateMatDescr) SPARSE(cusparseCsrSetPointers) SPARSE(cusparseCsrSetStridedBatch)
SPARSE(cusparseDbsrmm) SPARSE(cusparseDbsrmv) SPARSE(cusparseDbsrsm2_analysis)
SPARSE(cusparseDbsrsm2_bufferSize) SPARSE(cusparseDbsrsm2_solve) SPARSE(cusparseDbsrsv2_analysis)
SPARSE(cusparseDbsrsv2_bufferSize) SPARSE(cusparseDbsrsv2_solve) SPARSE(cusparseDcsrgeam2)
SPARSE(cusparseDcsrgeam2_bufferSizeExt) SPARSE(cusparseDestroy) SPARSE(cusparseDestroyBsrsm2Info)
SPARSE(cusparseDestroyBsrsv2Info) SPARSE(cusparseDestroyDnMat) SPARSE(cusparseDestroyDnVec)
SPARSE(cusparseDestroyMatDescr) SPARSE(cusparseDestroySpMat) SPARSE(cusparseDnMatSetStridedBatch)
SPARSE(cusparseLtDenseDescriptorInit) SPARSE(cusparseLtInit) SPARSE(cusparseLtMatDescriptorDestroy)
SPARSE(cusparseLtMatmul) SPARSE(cusparseLtMatmulAlgGetAttribute)
SPARSE(cusparseLtMatmulAlgSelectionInit) SPARSE(cusparseLtMatmulAlgSetAttribute)
SPARSE(cusparseLtMatmulDescSetAttribute) SPARSE(cusparseLtMatmulDescriptorInit)
SPARSE(cusparseLtMatmulGetWorkspace) SPARSE(cusparseLtMatmulPlanDestroy)
SPARSE(cusparseLtMatmulPlanInit) SPARSE(cusparseLtMatmulSearch) SPARSE(cusparseLtSpMMACompress2)
SPARSE(cusparseLtSpMMACompressedSize2) SPARSE(cusparseLtStructuredDescriptorInit) SPARSE(cusparseSDDMM)
SPARSE(cusparseSDDMM_bufferSize) SPARSE(cusparseSDDMM_preprocess) SPARSE(cusparseSbsrmm)
SPARSE(cusparseSbsrmv) SPARSE(cusparseSbsrsm2_analysis) SPARSE(cusparseSbsrsm2_bufferSize)
SPARSE(cusparseSbsrsm2_solve) SPARSE(cusparseSbsrsv2_analysis) SPARSE(cusparseSbsrsv2_bufferSize)
SPARSE(cusparseSbsrsv2_solve) SPARSE(cusparseScsrgeam2) SPARSE(cusparseScsrgeam2_bufferSizeExt)
SPARSE(cusparseSetMatDiagType) SPARSE(cusparseSetMatFillMode) SPARSE(cusparseSetMatIndexBase)
SPARSE(cusparseSetMatType) SPARSE(cusparseSetPointerMode) SPARSE(cusparseSetStream)
SPARSE(cusparseSpGEMM_compute) SPARSE(cusparseSpGEMM_copy) SPARSE(cusparseSpGEMM_createDescr)
SPARSE(cusparseSpGEMM_destroyDescr) SPARSE(cusparseSpGEMM_workEstimation) SPARSE(cusparseSpMM)
SPARSE(cusparseSpMM_bufferSize) SPARSE(cusparseSpMV) SPARSE(cusparseSpMV_bufferSize)
SPARSE(cusparseSpMatGetSize) SPARSE(cusparseSpMatSetAttribute) SPARSE(cusparseSpSM_analysis)
SPARSE(cusparseSpSM_bufferSize) SPARSE(cusparseSpSM_createDescr) SPARSE(cusparseSpSM_destroyDescr)
SPARSE(cusparseSpSM_solve) SPARSE(cusparseSpSV_analysis) SPARSE(cusparseSpSV_bufferSize)
SPARSE(cusparseSpSV_createDescr) SPARSE(cusparseSpSV_destroyDescr) SPARSE(cusparseSpSV_solve)
SPARSE(cusparseXbsrsm2_zeroPivot) SPARSE(cusparseXbsrsv2_zeroPivot) SPARSE(cusparseXcoo2csr)
SPARSE(cusparseXcoosortByRow) SPARSE(cusparseXcoosort_bufferSizeExt) SPARSE(cusparseXcsrgeam2Nnz)
SPARSE(cusparseXcsrsort) SPARSE(cusparseXcsrsort_bufferSizeExt) SPARSE(cusparseZbsrmm)
SPARSE(cusparseZbsrmv) SPARSE(cusparseZbsrsm2_analysis) SPARSE(cusparseZbsrsm2_bufferSize)
SPARSE(cusparseZbsrsm2_solve) SPARSE(cusparseZbsrsv2_analysis) SPARSE(cusparseZbsrsv2_bufferSize)
SPARSE(cusparseZbsrsv2_solve) SPARSE(cusparseZcsrgeam2) SPARSE(cusparseZcsrgeam2_bufferSizeExt)
    // clang-format on
