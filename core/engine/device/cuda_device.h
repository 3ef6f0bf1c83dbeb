#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/engine/device/device.h"

/// Functions that the cuda_*.cpp files share.
namespace highwater::engine {

/// A GPU's properties from CUDA; the query creates no context. Throws CUDA's errors.
struct Gpu {
    std::string name;
    Bytes memory = 0;      ///< memory that programs can use
    int architecture = 0;  ///< compute capability x 10
    std::string uuid;      ///< "5a0d6a1c-...", without "GPU-" or "MIG-"
    std::string pciBusId;  ///< "00000000:17:00.0"
};
const Gpu& gpuOf(const Device& device);

/// The GPU's index in LibTorch's type.
inline c10::DeviceIndex indexOf(const Device& device) {
    return static_cast<c10::DeviceIndex>(device.index);
}

/// NVML's name of the GPU (a UUID or PCI bus id; CUDA_VISIBLE_DEVICES changes the index). Empty if NVML does
/// not know it.
std::string nvmlNameOf(const Device& device);

/// Records how much of the GPU's memory is in use. Call it before this process creates its context on the
/// GPU; later calls do nothing.
void noteUseBefore(const Device& device);

}  // namespace highwater::engine
