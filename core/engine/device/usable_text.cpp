#include "core/engine/device/usable_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/text.h"

namespace highwater::engine {

namespace {

std::string driverOrAny(int runtime) {
    const std::string driver = driverFor(runtime);
    return driver.empty() ? "one that supports CUDA " + cudaVersionText(runtime) : driver;
}

/// Lists the architectures in `config` in order, "7.5, 8.0, 9.0": those after "code=sm_", and those after
/// "code=compute_" followed by "or newer".
std::string listArchitectures(std::string_view config) {
    std::set<std::string> seen;
    std::string list;
    for (auto at = config.find("code="); at != config.npos; at = config.find("code=", at + 1)) {
        std::string_view code = config.substr(at + 5);
        const bool newer = code.starts_with("compute_");
        if (!newer && !code.starts_with("sm_")) {
            continue;
        }
        code.remove_prefix(newer ? 8 : 3);
        const auto digits = std::min(code.find_first_not_of("0123456789"), code.size());
        if (digits < 2 || digits > 4) {
            continue;
        }
        const std::string text =
            fmt::format("{}.{}{}", code.substr(0, digits - 1), code[digits - 1], newer ? " or newer" : "");
        if (seen.insert(text).second) {
            list += (list.empty() ? "" : ", ") + text;
        }
    }
    return list;
}

std::string hidden(const char* visible) {
    return visible != nullptr ? fmt::format(" (CUDA_VISIBLE_DEVICES is \"{}\")", base::oneLine(visible, 100))
                              : std::string();
}

}  // namespace

std::string driverFor(int runtime) {
    switch (runtime / 1000) {
        case 11:
            return "450 or newer";
        case 12:
            return "525 or newer";
        case 13:
            return "580 or newer";
        default:
            return {};
    }
}

std::string cudaVersionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string noDriverText(int runtime) {
    const std::string driver = driverFor(runtime);
    return fmt::format(
        "this machine has no NVIDIA driver, or this program may not see it; this LibTorch is built for CUDA "
        "{}{}",
        cudaVersionText(runtime), driver.empty() ? "" : ", which needs driver " + driver);
}

std::string oldDriverText(const std::string& name, int driver, int runtime) {
    return fmt::format(
        "the NVIDIA driver{} supports CUDA {}, this LibTorch is built for CUDA {}: update the driver to {}, "
        "or "
        "build with a LibTorch for CUDA {}",
        name.empty() ? "" : " " + name, cudaVersionText(driver), cudaVersionText(runtime),
        driverOrAny(runtime), driver / 1000);
}

std::string noGpuText(const char* visible) {
    return "there is a driver but no NVIDIA GPU that this program may use" + hidden(visible);
}

std::string noSuchGpuText(const std::string& device, int count, const char* visible) {
    return fmt::format(
        "there is no {}: this program sees {}{}", device,
        count == 1 ? "one GPU, cuda:0" : fmt::format("{} GPUs, cuda:0 to cuda:{}", count, count - 1),
        hidden(visible));
}

std::string noKernelsText(const std::string& device, const std::string& gpu, int architecture,
                          const std::string& config) {
    const std::string list = listArchitectures(config);
    return fmt::format("{} ({}) has compute capability {}.{}, for which this LibTorch has no kernels{}",
                       device, gpu, architecture / 10, architecture % 10,
                       list.empty() ? std::string() : ": it has them for " + list);
}

}  // namespace highwater::engine
