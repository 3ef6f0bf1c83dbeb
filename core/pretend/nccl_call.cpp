#include "core/pretend/nccl_call.h"

#include <array>

namespace highwater::pretend {

std::size_t bytesOf(int type) {
    constexpr std::array<std::size_t, 12> kBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < static_cast<int>(kBytes.size()) ? kBytes[static_cast<std::size_t>(type)] : 1;
}

std::string textOf(const NcclCall& call) {
    constexpr std::array<const char*, 12> kNames{"int8",    "uint8",    "int32",   "uint32",
                                                 "int64",   "uint64",   "float16", "float32",
                                                 "float64", "bfloat16", "float8",  "float8"};
    constexpr std::array<const char*, 5> kOps{"sum", "product", "maximum", "minimum", "average"};
    std::string text = call.name;
    if (call.count > 0) {
        const bool known = call.type >= 0 && call.type < static_cast<int>(kNames.size());
        text += " of " + std::to_string(call.count) + " " +
                (known ? kNames[static_cast<std::size_t>(call.type)] : "values");
    }
    if (call.op >= 0) {
        const bool known = call.op < static_cast<int>(kOps.size());
        text += std::string(", ") + (known ? kOps[static_cast<std::size_t>(call.op)] : "scaled sum");
    }
    return call.root >= 0 ? text + ", root " + std::to_string(call.root) : text;
}

}  // namespace highwater::pretend
