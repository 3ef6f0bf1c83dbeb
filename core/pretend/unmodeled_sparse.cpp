#include "core/pretend/report.h"

using highwater::pretend::unmodeled;

// Functions of the CUDA libraries that LibTorch imports and the pretended device does not model. Each answers
// "not supported" in its library's own code, so that LibTorch reports it and the real library never gets a
// handle that it did not create. HIGHWATER_PRETEND_VERBOSE prints their names when they are called.
#define SPARSE(name)                 \
    extern "C" int name() {          \
        return unmodeled(#name, 10); \
    }

// clang-format off

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
