#include "core/pretend/abi/nccl.h"
#include "core/pretend/report.h"

// Functions of NCCL that LibTorch imports and the pretended device does not model: memory windows of other
// ranks, one-sided operations, communicators that shrink and grow.
#define NCCL(name)                                                                       \
    extern "C" int name() {                                                              \
        return highwater::pretend::unmodeled(#name, static_cast<int>(ncclInvalidUsage)); \
    }

// clang-format off
NCCL(ncclCommGetUniqueId) NCCL(ncclCommGrow) NCCL(ncclCommMemStats) NCCL(ncclCommResume) NCCL(ncclCommRevoke)
NCCL(ncclCommShrink) NCCL(ncclCommSuspend) NCCL(ncclCommWindowDeregister) NCCL(ncclCommWindowRegister)
NCCL(ncclDevCommCreate) NCCL(ncclDevCommDestroy) NCCL(ncclGetLsaMultimemDevicePointer)
NCCL(ncclGetPeerDevicePointer) NCCL(ncclGroupSimulateEnd) NCCL(ncclPutSignal) NCCL(ncclSignal)
NCCL(ncclWaitSignal) NCCL(ncclWinGetUserPtr)
    // clang-format on
