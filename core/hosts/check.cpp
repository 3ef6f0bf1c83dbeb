#include "core/hosts/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "core/base/text.h"
#include "core/hosts/known.h"
#include "core/hosts/prepare.h"
#include "core/hosts/scripts.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostLines = 1000;
constexpr int kOldestGcc = 11;
constexpr std::pair kOldestCmake{3, 25};

std::int64_t numberIn(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return std::max<std::int64_t>(0, number);
}

/// Parses "NVIDIA H100 80GB HBM3, 550.54.15, 81559 MiB".
HostFacts::Gpu gpuOf(std::string_view text) {
    const std::size_t second = text.rfind(", ");
    const std::size_t first = second == std::string_view::npos ? second : text.rfind(", ", second - 1);
    if (first == std::string_view::npos) {
        return {std::string(text), "", 0};
    }
    return {std::string(text.substr(0, first)), std::string(text.substr(first + 2, second - first - 2)),
            numberIn(text.substr(second + 2)) * base::kMiB};
}

void take(std::string_view key, const std::string& value, HostFacts& facts) {
    const std::map<std::string_view, std::string*> texts = {
        {"system", &facts.system},
        {"cache", &facts.cache},
        {"python", &facts.python},
        {"torch", &facts.torch},
        {"torch_place", &facts.torchPlace},
        {"compiler", &facts.compiler},
        {"compiler_version", &facts.compilerVersion},
        {"cmake", &facts.cmake},
        {"nvcc", &facts.nvcc},
        {"ready_python", &facts.readyPython},
    };
    if (const auto text = texts.find(key); text != texts.end()) {
        *text->second = value;
    } else if (key == "cores") {
        facts.cores = static_cast<int>(std::min<std::int64_t>(numberIn(value), 1 << 20));
    } else if (key == "memory_kib") {
        facts.memory = std::min<std::int64_t>(numberIn(value), std::int64_t{1} << 50) * base::kKiB;
    } else if (key == "free_kib") {
        facts.free = std::min<std::int64_t>(numberIn(value), std::int64_t{1} << 50) * base::kKiB;
    } else if (key == "writable") {
        facts.writable = true;
    } else if (key == "gpu") {
        facts.gpus.push_back(gpuOf(value));
    } else if (key == "tool") {
        facts.tools.push_back(value);
    } else if (key == "source") {
        facts.source = true;
    } else if (key == "ready") {
        facts.ready = true;
    } else if (key == "libtorch" && facts.torch.empty()) {
        facts.torch = "as installed";
        facts.torchPlace = value;
    }
}

/// Parses "cmake version 3.25.1".
bool isNewEnough(std::string_view cmake) {
    constexpr std::string_view kStart = "cmake version ";
    if (!cmake.starts_with(kStart)) {
        return false;
    }
    cmake.remove_prefix(kStart.size());
    const std::size_t dot = cmake.find('.');
    const std::pair version{numberIn(cmake),
                            dot == std::string_view::npos ? 0 : numberIn(cmake.substr(dot + 1))};
    return version >= std::pair<std::int64_t, std::int64_t>(kOldestCmake);
}

bool compiles(const HostFacts& facts) {
    const bool clang = facts.compiler.find("clang") != std::string::npos;
    return !facts.compiler.empty() && (clang || numberIn(facts.compilerVersion) >= kOldestGcc);
}

}  // namespace

base::Result<HostFacts> checkThere(const Host& host, const std::atomic<bool>* cancel) {
    const auto source = HIGHWATER_TRY(engineSource());
    HostFacts facts;
    bool begun = false, complete = false;
    std::size_t lines = 0;
    const auto line = [&](std::string_view text) {
        const std::size_t equals = text.find('=');
        begun = begun || text == "highwater_check=1";
        if (begun && equals != std::string_view::npos) {
            const std::string_view key = text.substr(0, equals);
            complete = complete || key == "complete";
            take(key, base::oneLine(text.substr(equals + 1), 1000), facts);
        }
        return ++lines < kMostLines;
    };
    const auto answer = HIGHWATER_TRY(runScript(host, kCheckScript, {source.id, host.python}, line, cancel));
    if (!complete) {
        return base::Error{fmt::format("host {}: it has no POSIX shell that can be asked{}{}", host.name,
                                       answer.errors.empty() ? "" : ": ", answer.errors)};
    }
    (void)remember(host, facts).ok();  // without it, only the names of its GPUs are unknown here
    return facts;
}

std::vector<std::pair<std::string, std::string>> rowsOf(const HostFacts& facts) {
    const auto orNone = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    std::vector<std::pair<std::string, std::string>> rows = {
        {"system", fmt::format("{}, {} processors, {} of memory", facts.system, facts.cores,
                               base::formatBytes(facts.memory))}};
    for (const HostFacts::Gpu& gpu : facts.gpus) {
        rows.emplace_back("GPU", gpu.memory > 0 ? fmt::format("{}, {}, driver {}", gpu.name,
                                                              base::formatBytes(gpu.memory), gpu.driver)
                                                : gpu.name);
    }
    if (facts.gpus.empty()) {
        rows.emplace_back("GPU", "none that nvidia-smi lists");
    }
    rows.emplace_back("LibTorch",
                      facts.torch.empty() ? "none" : fmt::format("{} ({})", facts.torch, facts.torchPlace));
    rows.emplace_back("compiler", orNone(facts.compiler));
    rows.emplace_back("CMake", orNone(facts.cmake));
    rows.emplace_back("CUDA compiler", orNone(facts.nvcc));
    rows.emplace_back("folder", fmt::format("{}, {} free", facts.cache, base::formatBytes(facts.free)));
    return rows;
}

std::string missingThere(const Host& host, const HostFacts& facts) {
    if (!facts.system.starts_with("Linux ")) {
        return fmt::format("host {} runs {}; the engine needs Linux", host.name,
                           facts.system.empty() ? "an unknown system" : facts.system);
    }
    if (!facts.writable) {
        return fmt::format("host {}: {} cannot be written; make it writable, or set XDG_CACHE_HOME there",
                           host.name, facts.cache);
    }
    if (!facts.ready && facts.free < kBuildBytes) {
        return fmt::format(
            "host {}: {} has {} free, and the engine's build takes {}; make room, or set "
            "XDG_CACHE_HOME there",
            host.name, facts.cache, base::formatBytes(facts.free), base::formatBytes(kBuildBytes));
    }
    std::vector<std::string> lacks;
    if (!compiles(facts)) {
        lacks.push_back(facts.compiler.empty() ? fmt::format("a C++ compiler (g++ {} or newer)", kOldestGcc)
                                               : fmt::format("a newer C++ compiler than {} (g++ {} or newer)",
                                                             facts.compilerVersion, kOldestGcc));
    }
    if (!isNewEnough(facts.cmake)) {
        lacks.push_back(fmt::format("{} ({}.{} or newer; `pip install cmake` brings it without root)",
                                    facts.cmake.empty() ? "CMake" : "a newer CMake than " + facts.cmake,
                                    kOldestCmake.first, kOldestCmake.second));
    }
    if (facts.torch.empty()) {
        lacks.push_back(
            host.python.empty()
                ? "LibTorch (a Python with torch, named with `hosts add --python PATH`, or libtorch-dev)"
                : fmt::format("LibTorch ({} has no torch with CMake's files)", host.python));
    }
    for (const char* tool : {"tar", "gzip", "make", "sha256sum"}) {
        if (std::find(facts.tools.begin(), facts.tools.end(), tool) == facts.tools.end()) {
            lacks.push_back(tool);
        }
    }
    if (lacks.empty()) {
        return {};
    }
    std::string line = fmt::format("host {} lacks ", host.name);
    for (std::size_t i = 0; i < lacks.size(); ++i) {
        line += (i == 0 ? "" : i + 1 == lacks.size() ? " and " : ", ") + lacks[i];
    }
    return line;
}

}  // namespace highwater::hosts
