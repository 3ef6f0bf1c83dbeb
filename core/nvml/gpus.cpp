#include <fmt/format.h>

#include <array>

#include "core/base/text.h"
#include "core/nvml/library.h"
#include "core/nvml/nvml.h"

namespace highwater::nvml {
namespace {

template <class Function, class... First>
std::string textOf(Function function, First... first) {
    std::array<char, api::kTextSize> buffer{};
    const auto size = static_cast<unsigned int>(buffer.size());
    if (api::call(function, first..., buffer.data(), size) != api::kSuccess) {
        return {};
    }
    buffer.back() = '\0';
    return base::oneLine(buffer.data());
}

std::string busIdOf(const api::Functions& nvml, api::Device device) {
    api::PciInfo info{};
    if (api::call(nvml.pciInfo, device, &info) != api::kSuccess) {
        return {};
    }
    info.busId[sizeof info.busId - 1] = info.busIdLegacy[sizeof info.busIdLegacy - 1] = '\0';
    const std::string id = base::oneLine(info.busId);
    return id.find(':') != std::string::npos
               ? id
               : base::oneLine(info.busIdLegacy);  // with drivers older than 384
}

Gpu describe(const api::Functions& nvml, api::Device device) {
    Gpu gpu;
    gpu.name = textOf(nvml.name, device);
    gpu.uuid = textOf(nvml.uuid, device);
    gpu.pciBusId = busIdOf(nvml, device);
    api::Memory memory{};
    if (const auto code = nvml.memory(device, &memory); code == api::kSuccess) {
        gpu.memory = static_cast<base::Bytes>(memory.total);
    } else if (code != api::kNotSupported) {
        gpu.problem = meaning(nvml, code);
    }
    int major = 0, minor = 0;
    if (api::call(nvml.capability, device, &major, &minor) == api::kSuccess) {
        gpu.architecture = major * 10 + minor;
    }
    return gpu;
}

/// The index of the GPU that one entry of CUDA_VISIBLE_DEVICES names.
std::optional<std::size_t> named(const std::vector<Gpu>& gpus, std::string_view word) {
    while (word.starts_with(' ')) {
        word.remove_prefix(1);
    }
    while (word.ends_with(' ')) {
        word.remove_suffix(1);
    }
    std::size_t number = 0;
    if (base::readNumber(word, number)) {
        return number < gpus.size() ? std::optional(number) : std::nullopt;
    }
    if (!word.starts_with("GPU-")) {
        return std::nullopt;
    }
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (gpus[i].uuid.starts_with(word)) {
            if (found) {
                return std::nullopt;
            }
            found = i;
        }
    }
    return found;
}

}  // namespace

bool available() {
    return library().ok();
}

std::string whyNot() {
    const auto nvml = library();
    return nvml ? std::string() : nvml.error().message;
}

std::string driverVersion() {
    const auto nvml = library();
    return nvml ? textOf((*nvml)->driverVersion) : std::string();
}

std::string cudaVersion() {
    const auto nvml = library();
    int version = 0;
    if (!nvml || api::call((*nvml)->cudaVersion, &version) != api::kSuccess || version <= 0) {
        return {};
    }
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

base::Result<std::vector<Gpu>> gpus() {
    const auto nvml = HIGHWATER_TRY(library());
    unsigned int count = 0;
    if (const auto code = nvml->count(&count); code != api::kSuccess && code != api::kGpuNotFound) {
        return base::Error{"the GPUs cannot be counted: " + meaning(*nvml, code)};
    }
    std::vector<Gpu> list;
    for (unsigned int i = 0; i < count; ++i) {
        api::Device device = nullptr;
        const auto code = nvml->byIndex(i, &device);
        if (code == api::kNoPermission) {  // the GPU is counted but belongs to another container
            continue;
        }
        Gpu gpu;
        if (code == api::kSuccess) {
            gpu = describe(*nvml, device);
        } else {
            gpu.problem = meaning(*nvml, code);
        }
        gpu.index = static_cast<int>(i);
        list.push_back(std::move(gpu));
    }
    return list;
}

std::vector<Gpu> visibleToCuda(const std::vector<Gpu>& all, std::optional<std::string_view> visibleDevices) {
    std::vector<Gpu> usable;
    for (const Gpu& gpu : all) {
        if (gpu.problem.empty()) {
            usable.push_back(gpu);
        }
    }
    if (!visibleDevices) {
        return usable;
    }
    std::vector<Gpu> list;
    for (std::string_view rest = *visibleDevices; !rest.empty();) {
        const std::size_t comma = rest.find(',');
        const auto at = named(usable, rest.substr(0, comma));
        if (!at) {
            break;
        }
        for (const Gpu& gpu : list) {
            if (gpu == usable[*at]) {
                return {};  // CUDA sees no GPU if one is listed twice
            }
        }
        list.push_back(usable[*at]);
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    return list;
}

}  // namespace highwater::nvml
