#pragma once

#include <cstdint>
#include <string>

namespace highwater::pretend {

// A GPU that the pretended device can claim to be: one of resources/profiles, from which these are made at
// build time.
struct Gpu {
    const char* id;
    const char* name;
    int capability;       // ten times the major version, plus the minor one
    std::uint64_t bytes;  // what a driver of this GPU reports as total memory
    int multiprocessors;
    int l2Bytes;
    int sharedPerBlockOptin;  // bytes
    int blocksPerMultiprocessor;
    int threadsPerMultiprocessor;
    int clockKhz;
    int memoryClockKhz;

    int major() const { return capability / 10; }
    int minor() const { return capability % 10; }
    // Bytes that the system takes of each block's shared memory, and all that a multiprocessor has: by
    // compute capability, as the CUDA C++ Programming Guide's table of technical specifications has them.
    int sharedReservedPerBlock() const;
    int sharedPerMultiprocessor() const;
};

// By its profile's id, or "a100" for an A100 of 80 GB; null for others.
const Gpu* findGpu(const std::string& id);
// The ids of all profiles, with commas.
std::string gpuIds();

}  // namespace highwater::pretend
