#include "core/engine/device/device.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/books/allocator.h"
#include "core/engine/device/cuda_hooks.h"
#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

std::string Device::text() const {
    return cuda ? fmt::format("cuda:{}", index) : "cpu";
}

c10::Device Device::torch() const {
    return cuda ? c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index))
                : c10::Device(c10::DeviceType::CPU);
}

base::Result<Device> parseDevice(const std::string& text) {
    constexpr std::string_view kPrefix = "cuda:";
    constexpr int kMostDevices = 64;
    if (text == "cpu") {
        return Device{};
    }
    if (text == "cuda") {
        return Device{true, 0};
    }
    if (text.starts_with(kPrefix)) {
        Device device{true, 0};
        if (base::readNumber(text.substr(kPrefix.size()), device.index) && device.index >= 0 &&
            device.index < kMostDevices) {
            return device;
        }
    }
    return base::Error{fmt::format("device \"{}\": choose cpu, cuda or cuda:N", base::oneLine(text, 40))};
}

Accounting& installBooks(const Device& device) {
    Accounting& host = installAllocator();
    installEngineHooks();
    return device.cuda ? installCudaBooks(device.index).books() : host;
}

void retag(const at::Tensor& tensor, Category category) {
    if (!retagHost(tensor, category, false)) {
        retagCuda(tensor, category, false);
    }
}

void retagTemporary(const at::Tensor& tensor, Category category) {
    if (!retagHost(tensor, category, true)) {
        retagCuda(tensor, category, true);
    }
}

std::optional<Category> categoryOf(const at::Tensor& tensor) {
    const auto host = categoryOnHost(tensor);
    return host ? host : categoryOnCuda(tensor);
}

void startBooks(const Device& device, const std::string& allocConf) {
    if (!device.cuda) {
        return;
    }
    const auto config = memory::parseAllocatorConfig(allocConf, libtorchVersion());
    installCudaBooks(device.index).start(config ? *config : memory::AllocatorConfig{});
}

void expectResults(const Device& device, std::vector<std::vector<Bytes>> results) {
    if (device.cuda) {
        installCudaBooks(device.index).expect(std::move(results));
    }
}

std::vector<wire::LayerWorkspace> workspaces(const Device& device) {
    return device.cuda ? installCudaBooks(device.index).workspaces() : std::vector<wire::LayerWorkspace>{};
}

std::int64_t workspacesRefused(const Device& device) {
    return device.cuda ? installCudaBooks(device.index).workspacesRefused() : 0;
}

namespace {

std::optional<wire::DeviceMemory> withParts(std::optional<wire::DeviceMemory> now,
                                            const memory::SegmentTotals& totals) {
    if (!now) {
        return now;
    }
    now->tensors = totals.requested;
    now->rounding = totals.rounding;
    now->split = totals.split + totals.pending;
    now->cache = totals.cache;
    return now;
}

}  // namespace

std::optional<wire::DeviceMemory> deviceMemoryAtPeak(const Device& device) {
    return device.cuda ? withParts(deviceMemory(device), installCudaBooks(device.index).atPeak())
                       : std::nullopt;
}

std::optional<wire::DeviceMemory> deviceMemoryAtRefusal(const Device& device) {
    const auto totals = device.cuda ? installCudaBooks(device.index).atRefusal() : std::nullopt;
    return totals ? withParts(deviceMemory(device), *totals) : std::nullopt;
}

}  // namespace highwater::engine
