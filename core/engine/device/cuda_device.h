#pragma once

#include <c10/core/Device.h>

#include <string>

#include "core/engine/device/device.h"

/// What the cuda_*.cpp files share.
namespace highwater::engine {

/// What CUDA says of a GPU; asking it makes no context. Errors of CUDA are thrown.
struct Gpu {
    std::string name;
    Bytes memory = 0;      ///< what programs can get of it
    int architecture = 0;  ///< compute capability x 10
    std::string uuid;      ///< "5a0d6a1c-...", without "GPU-" or "MIG-"
    std::string pciBusId;  ///< "00000000:17:00.0"
};
const Gpu& gpuOf(const Device& device);

/// The GPU's number as LibTorch's functions take it.
inline c10::DeviceIndex indexOf(const Device& device) {
    return static_cast<c10::DeviceIndex>(device.index);
}

/// What NVML calls the GPU, found by UUID or PCI bus id, since CUDA_VISIBLE_DEVICES gives it another number;
/// empty where NVML does not know it.
std::string nvmlNameOf(const Device& device);

/// Before this process makes its context on the GPU: notes what is used of it. Later calls change nothing.
void noteUseBefore(const Device& device);

}  // namespace highwater::engine
