#pragma once

#include <string>

#include "core/pretend/abi/driver.h"

namespace highwater::pretend {

// The value of a CUdevice_attribute for the GPU in the settings (cudaDeviceAttr has the same numbers). Values
// that are not in the settings are those common to GPUs since compute capability 7.0; an unknown attribute is
// 0.
int attribute(int which);

// A UUID derived from the GPU's id and the device's number, the same in every process.
CUuuid deviceUuid(int device);

constexpr int kPciDomain = 0;
constexpr int kPciBus = 0x1f;  // of device 0; the others follow
constexpr int kPciDevice = 0;
std::string pciBusId(int device);  // "0000:1F:00.0"

}  // namespace highwater::pretend
