#include "tests/gpu/standin/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace highwater::standin {
namespace {

constexpr int kKiB = 1024;
constexpr int kMiB = 1024 * 1024;

// Total memory: as in resources/profiles. The other columns: NVIDIA's published specifications.
constexpr Gpu kGpus[] = {
    {"h200", "NVIDIA H200", 9, 0, 132, 150022914048, 50 * kMiB, 228 * kKiB, 227 * kKiB, 2048},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 84943044608, 50 * kMiB, 228 * kKiB, 227 * kKiB, 2048},
    {"a100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 84987084800, 40 * kMiB, 164 * kKiB, 163 * kKiB, 2048},
    {"a100-80", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 84987084800, 40 * kMiB, 164 * kKiB, 163 * kKiB, 2048},
    {"a100-40", "NVIDIA A100-SXM4-40GB", 8, 0, 108, 42296410112, 40 * kMiB, 164 * kKiB, 163 * kKiB, 2048},
    {"l40s", "NVIDIA L40S", 8, 9, 142, 47674556416, 96 * kMiB, 100 * kKiB, 99 * kKiB, 1536},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 25318916096, 72 * kMiB, 100 * kKiB, 99 * kKiB, 1536},
    {"rtx3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 25436356608, 6 * kMiB, 100 * kKiB, 99 * kKiB, 1536},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 8, 6, 28, 12626952192, 3 * kMiB, 100 * kKiB, 99 * kKiB, 1536},
    {"v100", "Tesla V100-SXM2-32GB", 7, 0, 80, 34080817152, 6 * kMiB, 96 * kKiB, 96 * kKiB, 2048},
    {"t4", "Tesla T4", 7, 5, 40, 15655239680, 4 * kMiB, 64 * kKiB, 64 * kKiB, 1024},
};

Gpu gpuOf(const char* id) {
    if (!id) {
        return kGpus[0];
    }
    std::string known;
    for (const Gpu& gpu : kGpus) {
        if (std::string(id) == gpu.id) {
            return gpu;
        }
        known += std::string(known.empty() ? "" : ", ") + gpu.id;
    }
    say("HIGHWATER_STANDIN_GPU=" + std::string(id) + " is none of " + known + "; h200 is taken");
    return kGpus[0];
}

std::uint64_t numberOf(const char* name, std::uint64_t otherwise) {
    const char* text = setting(name);
    if (!text) {
        return otherwise;
    }
    char* end = nullptr;
    errno = 0;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    if (end == text || *end || errno || *text == '-') {
        say("HIGHWATER_STANDIN_" + std::string(name) + "=" + text + " is not a whole number; left out");
        return otherwise;
    }
    return number;
}

// "12.4" -> 12040, "none" -> 0.
int driverVersionOf(const char* text, int otherwise) {
    if (!text) {
        return otherwise;
    }
    if (std::string(text) == "none") {
        return 0;
    }
    int major = 0;
    int minor = 0;
    if (std::sscanf(text, "%d.%d", &major, &minor) < 1 || major < 1 || minor < 0 || minor > 99) {
        say("HIGHWATER_STANDIN_DRIVER=" + std::string(text) + " is not a version such as 12.4; left out");
        return otherwise;
    }
    return major * 1000 + minor * 10;
}

void readLost(Settings& settings) {
    constexpr int kLaunchFailure = 719;
    settings.loseCode = kLaunchFailure;
    unsigned long long launch = 0;
    const char* text = setting("LOST");
    if (text && (std::sscanf(text, "%llu,%d", &launch, &settings.loseCode) < 1 || !settings.loseCode)) {
        say("HIGHWATER_STANDIN_LOST=" + std::string(text) + " is not LAUNCH or LAUNCH,CODE; left out");
    }
    settings.loseAt = launch;
}

Settings read() {
    constexpr std::uint64_t kContextBytes = 480ULL << 20;
    constexpr int kDriver = 13030;
    Settings settings;
    settings.gpu = gpuOf(setting("GPU"));
    settings.gpu.bytes = numberOf("MEMORY", settings.gpu.bytes);
    settings.deviceName = std::string(settings.gpu.name) + " (stand-in device: nothing is executed)";
    settings.contextBytes = numberOf("CONTEXT", kContextBytes);
    settings.othersBytes = std::min(numberOf("OTHERS", 0), settings.gpu.bytes);
    settings.driverVersion = driverVersionOf(setting("DRIVER"), kDriver);
    settings.noKernels = setting("NO_KERNELS") != nullptr;
    settings.zeros = setting("ZEROS") != nullptr;
    settings.verbose = setting("VERBOSE") != nullptr;
    settings.trace = setting("TRACE") ? setting("TRACE") : "";
    settings.workspace = setting("WORKSPACE") ? setting("WORKSPACE") : "";
    readLost(settings);
    return settings;
}

}  // namespace

const char* setting(const char* name) {
    const char* value = std::getenv(("HIGHWATER_STANDIN_" + std::string(name)).c_str());
    return value && *value ? value : nullptr;
}

const Settings& settings() {
    static const Settings& settings = *new Settings(read());
    return settings;
}

void say(const std::string& line) {
    std::fprintf(stderr, "stand-in device: %s\n", line.c_str());
}

void sayOnce(const std::string& line) {
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& said = *new std::set<std::string>;
    const std::lock_guard lock(mutex);
    if (said.insert(line).second) {
        say(line);
    }
}

void note(const std::string& line) {
    if (settings().verbose) {
        sayOnce(line);
    }
}

}  // namespace highwater::standin
