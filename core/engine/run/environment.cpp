#include "core/engine/run/environment.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <torch/version.h>
#ifdef HIGHWATER_CUDA
#include <ATen/detail/CUDAHooksInterface.h>
#endif
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "core/base/processor.h"
#include "core/base/text.h"
#include "core/engine/run/runner.h"

namespace highwater::engine {

namespace {

/// The value after `key` on the first line of `file` that starts with it; empty if there is none.
std::string lineValue(const char* file, const std::string& key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind(key, 0) != 0) {
            continue;
        }
        const auto at = line.find_first_not_of(" \t:=", key.size());
        return at == std::string::npos ? std::string() : line.substr(at);
    }
    return {};
}

/// The part of `text`, LibTorch's description of its build, between `begin` and one of the characters `ends`.
std::string between(const std::string& text, const std::string& begin, const char* ends) {
    const auto at = text.find(begin);
    if (at == std::string::npos) {
        return {};
    }
    const auto from = at + begin.size();
    return text.substr(from, text.find_first_of(ends, from) - from);
}

std::string onednnVersion() {
    const std::string version = between(at::get_mkldnn_version(), " v", " (");
    return version.empty() ? "none" : version;
}

std::string blasName() {
    const std::string name = between(at::show_config(), "BLAS_INFO=", ",\n ");
    return name.empty() ? "none" : name;
}

std::string systemName() {
    std::string name = lineValue("/etc/os-release", "PRETTY_NAME");
    std::erase(name, '"');
    utsname kernel{};
    if (uname(&kernel) == 0) {
        name += std::string(name.empty() ? "" : ", ") + kernel.sysname + " " + kernel.release;
    }
    return name;
}

}  // namespace

base::Bytes peakResident() {
    std::istringstream kilobytes(lineValue("/proc/self/status", "VmHWM"));
    base::Bytes value = 0;
    kilobytes >> value;
    return value * base::kKiB;
}

std::map<std::string, std::string> cudaVersions() {
    std::map<std::string, std::string> versions;
#ifdef HIGHWATER_CUDA
    const auto& hooks = at::detail::getCUDAHooks();
    if (const long cuda = hooks.versionCUDART(); cuda > 0) {
        versions["cuda"] = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
    }
    if (const long cudnn = hooks.versionCuDNN(); cudnn > 0) {
        versions["cudnn"] = fmt::format("{}.{}.{}", cudnn / 10000, cudnn % 10000 / 100, cudnn % 100);
    }
#endif
    return versions;
}

wire::Environment environment(const std::string& device) {
    wire::Environment e;
    e.device = device;
    e.deviceName = base::processorName();
    e.versions = {{"highwater", HIGHWATER_VERSION}, {"libtorch", TORCH_VERSION},
                  {"onednn", onednnVersion()},      {"blas", blasName()},
                  {"compiler", "gcc " __VERSION__}, {"os", systemName()}};
    e.threads = at::get_num_threads();
    e.isa = base::instructionSet();
    e.memoryBytes = machineMemory();
    return e;
}

}  // namespace highwater::engine
