#include "core/base/processor.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "core/base/text.h"

namespace highwater::base {

namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

#if defined(__x86_64__)
constexpr const char* kSets[] = {"sse", "avx", "avx2", "avx512"};

int supportedSet() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return 3;
    }
    return __builtin_cpu_supports("avx2") ? 2 : __builtin_cpu_supports("avx") ? 1 : 0;
}

/// Reads oneDNN's names: SSE41, AVX, AVX2, AVX2_VNNI, AVX512_CORE, AVX512_CORE_VNNI, ... Any other value sets
/// no limit.
int allowedSet() {
    std::string name(variable("ONEDNN_MAX_CPU_ISA"));
    if (name.empty()) {
        name = variable("DNNL_MAX_CPU_ISA");
    }
    for (char& c : name) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name == "SSE41" ? 0 : name == "AVX" ? 1 : name.rfind("AVX2", 0) == 0 ? 2 : 3;
}
#endif

/// Returns 0 if the text is not a positive number.
int positive(std::string_view text) {
    int value = 0;
    return readNumber(text, value) ? std::max(value, 0) : 0;
}

}  // namespace

std::string processorName() {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "CPU";
}

std::string instructionSet() {
#if defined(__x86_64__)
    return kSets[std::min(supportedSet(), allowedSet())];
#elif defined(__aarch64__)
    return "neon";
#else
    return "generic";
#endif
}

int defaultThreads() {
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
        if (const int threads = positive(variable(name)); threads > 0) {
            return threads;
        }
    }
    auto threads = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__x86_64__)
    threads /= 2;  // c10::TaskThreadPoolBase::defaultNumThreads assumes that each pair is one hyper-threaded
                   // core
#endif
    return std::max(1, threads);
}

Bytes machineMemory() {
    Bytes memory = Bytes{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    Bytes limit = 0;
    if (std::ifstream group("/sys/fs/cgroup/memory.max"); group >> limit && limit > 0) {
        memory = std::min(memory, limit);
    }
    return memory;
}

}  // namespace highwater::base
