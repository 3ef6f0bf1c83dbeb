#pragma once

#include "core/pretend/abi/driver.h"

namespace highwater::pretend {

// What the GPU of the settings answers to a CUdevice_attribute (cudaDeviceAttr has the same numbers). Values
// that the settings do not give are those common to GPUs since compute capability 7.0; an unknown attribute
// is 0.
int attribute(int which);

// A UUID made of the GPU's id, the same in every process.
CUuuid deviceUuid();

constexpr int kPciDomain = 0;
constexpr int kPciBus = 0x1f;
constexpr int kPciDevice = 0;
constexpr const char* kPciBusId = "0000:1F:00.0";

}  // namespace highwater::pretend
