#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/pretend/abi/nccl.h"

namespace highwater::pretend {

// An operation, as all ranks must call it.
struct NcclCall {
    const char* name;  // "AllReduce"
    std::uint64_t count = 0;
    int type = ncclInt8;
    int op = -1;    // of a reduction
    int root = -1;  // of a broadcast, reduction, gather or scatter
};
std::string textOf(const NcclCall& call);  // "AllReduce of 10 float32"
std::size_t bytesOf(int type);

}  // namespace highwater::pretend
