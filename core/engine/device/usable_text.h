#pragma once

#include <string>

/// Messages about why a GPU cannot be used, one line each. Versions are CUDA's numbers: 1000 x major + 10 x
/// minor.
namespace highwater::engine {

/// A version such as "12.4".
std::string cudaVersionText(int version);

std::string noDriverText(int runtime);
/// `name` is the driver's own version, "550.54.14", or empty.
std::string oldDriverText(const std::string& name, int driver, int runtime);
/// `visible` is CUDA_VISIBLE_DEVICES, null if it is not set.
std::string noGpuText(const char* visible);
std::string noSuchGpuText(const std::string& device, int count, const char* visible);
/// `config` is LibTorch's description of its build, which lists the architectures of its kernels
/// ("arch=compute_90,code=sm_90").
std::string noKernelsText(const std::string& device, const std::string& gpu, int architecture,
                          const std::string& config);

/// The oldest driver for a CUDA version, "580 or newer"; empty if it is not known.
/// https://docs.nvidia.com/cuda/cuda-toolkit-release-notes, table of minor version compatibility.
std::string driverFor(int runtime);

}  // namespace highwater::engine
