#include "core/pretend/abi/driver.h"
#include "core/pretend/report.h"

// Functions of the driver that LibTorch looks up by name and the pretended device does not model: sharing of
// memory between processes, multicast among several devices, green contexts. PyTorch 2.5 requires that all of
// them are found.
#define DRIVER(name)                                                                             \
    extern "C" int name() {                                                                      \
        return highwater::pretend::unmodeled(#name, static_cast<int>(CUDA_ERROR_NOT_SUPPORTED)); \
    }

// clang-format off
DRIVER(cuCtxFromGreenCtx) DRIVER(cuCtxPopCurrent) DRIVER(cuCtxPushCurrent) DRIVER(cuDeviceGetDevResource)
DRIVER(cuMemExportToShareableHandle) DRIVER(cuMemGetAllocationPropertiesFromHandle)
DRIVER(cuMemImportFromShareableHandle) DRIVER(cuMulticastAddDevice) DRIVER(cuMulticastBindMem)
DRIVER(cuMulticastCreate) DRIVER(cuMulticastUnbind) DRIVER(cuStreamWriteValue32)
    // clang-format on
