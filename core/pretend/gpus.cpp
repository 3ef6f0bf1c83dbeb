#include "core/pretend/gpus.h"

#include <algorithm>
#include <iterator>

namespace highwater::pretend {
namespace {

constexpr Gpu kGpus[] = {
#include "core/pretend/profiles.inc"
};

}  // namespace

int Gpu::sharedReservedPerBlock() const {
    return capability >= 80 ? 1024 : 0;
}

int Gpu::sharedPerMultiprocessor() const {
    if (capability < 70) {  // Pascal, whose blocks may use 48 KiB of it
        return (capability == 60 ? 64 : 96) * 1024;
    }
    return sharedPerBlockOptin + sharedReservedPerBlock();
}

const Gpu* findGpu(const std::string& id) {
    const std::string wanted = id == "a100" ? "a100-80" : id;
    const auto* const found =
        std::find_if(std::begin(kGpus), std::end(kGpus), [&](const Gpu& gpu) { return wanted == gpu.id; });
    return found == std::end(kGpus) ? nullptr : found;
}

std::string gpuIds() {
    std::string ids;
    for (const Gpu& gpu : kGpus) {
        ids += std::string(ids.empty() ? "" : ", ") + gpu.id;
    }
    return ids;
}

}  // namespace highwater::pretend
