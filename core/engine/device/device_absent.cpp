#include <ATen/Context.h>
#include <torch/version.h>

#include "core/engine/device/device.h"
#include "core/engine/device/stream_clock.h"

// Stubs for a LibTorch without CUDA.
namespace highwater::engine {

std::optional<std::string> unusable(const Device& device) {
    if (!device.cuda) {
        return std::nullopt;
    }
    return "this program was built with a LibTorch without CUDA (" TORCH_VERSION
           "): `highwater-cli hosts add NAME . --python PATH` and `hosts check NAME` build an engine for a "
           "PyTorch that has CUDA, or choose the device \"cpu\"";
}

at::Generator defaultGenerator(const Device&) {
    return at::globalContext().defaultGenerator(at::kCPU);
}

void beginOnDevice(const Device&, std::optional<Bytes>) {}
void endOnDevice(const Device&) {}

AllocatorNumbers allocatorNumbers(const Device&) {
    return {};
}

std::optional<wire::DeviceMemory> deviceMemory(const Device&) {
    return std::nullopt;
}

Bytes peakDeviceUsed(const Device&) {
    return 0;
}

std::optional<wire::GpuConditions> conditions(const Device&) {
    return std::nullopt;
}

void describe(const Device&, wire::Environment&) {}
void releaseCached(const Device&) {}

bool deviceIsLost(const Device&) {
    return false;
}

std::unique_ptr<StreamClock> makeStreamClock(const Device&, std::size_t) {
    return nullptr;
}

}  // namespace highwater::engine
