#pragma once

#include "core/pretend/abi/driver.h"

namespace highwater::pretend {

// The value of a CUdevice_attribute for the GPU in the settings (cudaDeviceAttr has the same numbers). Values
// that are not in the settings are those common to GPUs since compute capability 7.0; an unknown attribute is
// 0.
int attribute(int which);

// A UUID derived from the GPU's id, the same in every process.
CUuuid deviceUuid();

constexpr int kPciDomain = 0;
constexpr int kPciBus = 0x1f;
constexpr int kPciDevice = 0;
constexpr const char* kPciBusId = "0000:1F:00.0";

}  // namespace highwater::pretend
