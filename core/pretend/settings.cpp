#include "core/pretend/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace highwater::pretend {
namespace {

// "HIGHWATER_PRETEND_" + name, or null.
const char* setting(const char* name) {
    const char* value = std::getenv(("HIGHWATER_PRETEND_" + std::string(name)).c_str());
    return value && *value ? value : nullptr;
}

Gpu gpuOf(const char* id) {
    const Gpu* const found = id ? findGpu(id) : nullptr;
    if (id && !found) {
        say("HIGHWATER_PRETEND_GPU=" + std::string(id) + " is none of " + gpuIds() + "; h200 is used");
    }
    return found ? *found : *findGpu("h200");
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
        say("HIGHWATER_PRETEND_" + std::string(name) + "=" + text + " is not a whole number; left out");
        return otherwise;
    }
    return number;
}

int devicesOf(std::uint64_t number) {
    if (number < 1 || number > kMostDevices) {
        say("HIGHWATER_PRETEND_DEVICES=" + std::to_string(number) + " is not between 1 and " +
            std::to_string(kMostDevices) + "; 1 is used");
        return 1;
    }
    return static_cast<int>(number);
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
        say("HIGHWATER_PRETEND_DRIVER=" + std::string(text) + " is not a version such as 12.4; left out");
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
        say("HIGHWATER_PRETEND_LOST=" + std::string(text) + " is not LAUNCH or LAUNCH,CODE; left out");
    }
    settings.loseAt = launch;
}

Winner winnerOf(const char* text) {
    const std::string word = text ? text : "first";
    if (word != "first" && word != "least" && word != "most") {
        say("HIGHWATER_PRETEND_BENCHMARK=" + word + " is none of first, least, most; first is used");
    }
    return word == "least" ? Winner::Least : word == "most" ? Winner::Most : Winner::First;
}

std::string textOf(const char* name) {
    const char* value = setting(name);
    return value ? value : "";
}

Settings read() {
    constexpr std::uint64_t kContextBytes = 480ULL << 20;
    constexpr std::uint64_t kNcclBytes = 544ULL << 20;   // docs/several-gpus.md
    constexpr std::uint64_t kRankPatienceSeconds = 600;  // as PyTorch's own limit for NCCL
    constexpr int kDriver = 13030;
    constexpr std::uint64_t kPatienceSeconds = 15;
    Settings settings;
    settings.gpu = gpuOf(setting("GPU"));
    settings.gpu.bytes = numberOf("MEMORY", settings.gpu.bytes);
    settings.deviceName = std::string(settings.gpu.name) + " (pretended device: nothing is executed)";
    settings.contextBytes = numberOf("CONTEXT", kContextBytes);
    settings.othersBytes = std::min(numberOf("OTHERS", 0), settings.gpu.bytes);
    settings.devices = devicesOf(numberOf("DEVICES", 1));
    settings.ncclBytes = numberOf("NCCL", kNcclBytes);
    settings.rankPatience = numberOf("RANK_PATIENCE", kRankPatienceSeconds);
    settings.driverVersion = driverVersionOf(setting("DRIVER"), kDriver);
    settings.noKernels = setting("NO_KERNELS") != nullptr;
    settings.zeros = setting("ZEROS") != nullptr;
    settings.verbose = setting("VERBOSE") != nullptr;
    settings.trace = textOf("TRACE");
    settings.workspace = textOf("WORKSPACE");
    settings.plans = textOf("PLANS");
    settings.asked = textOf("ASK");
    settings.patience = numberOf("PATIENCE", kPatienceSeconds);
    settings.cudnnFolder = textOf("CUDNN_FOLDER");
    settings.report = textOf("REPORT");
    settings.winner = winnerOf(setting("BENCHMARK"));
    settings.cudnnVersion = numberOf("CUDNN", 0);
    readLost(settings);
    return settings;
}

}  // namespace

const Settings& settings() {
    static const Settings& settings = *new Settings(read());
    return settings;
}

void say(const std::string& line) {
    std::fprintf(stderr, "pretended device: %s\n", line.c_str());
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

}  // namespace highwater::pretend
