#pragma once

#include <cstdint>
#include <string>

namespace highwater::pretend {

// A GPU that can be pretended: one of resources/profiles, from which these are generated at build time.
struct Gpu {
    const char* id;
    const char* name;
    int capability;       // 10 x the major version + the minor version
    std::uint64_t bytes;  // total memory that a driver of this GPU reports
    int multiprocessors;
    int l2Bytes;
    int sharedPerBlockOptin;  // bytes
    int blocksPerMultiprocessor;
    int threadsPerMultiprocessor;
    int clockKhz;
    int memoryClockKhz;

    int major() const { return capability / 10; }
    int minor() const { return capability % 10; }
    // Shared memory in bytes that the system reserves per block, and the total per multiprocessor: by compute
    // capability, from the CUDA C++ Programming Guide's table of technical specifications.
    int sharedReservedPerBlock() const;
    int sharedPerMultiprocessor() const;
};

// By its profile's id, or "a100" for an A100 of 80 GB; null for others.
const Gpu* findGpu(const std::string& id);
// The ids of all profiles, separated by commas.
std::string gpuIds();

}  // namespace highwater::pretend
