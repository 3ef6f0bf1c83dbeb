#include "core/pretend/work.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>

#include "core/pretend/settings.h"

namespace highwater::pretend {
namespace {

struct State {
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> time{0};
    std::atomic<std::uint64_t> loseAt{settings().loseAt};
    std::atomic<int> loseCode{settings().loseCode};
    std::atomic<int> lost{0};
};

State& state() {
    static State& state = *new State;
    return state;
}

std::FILE* openTrace() {
    if (settings().trace.empty()) {
        return nullptr;
    }
    std::FILE* file = std::fopen(settings().trace.c_str(), "a");
    if (!file) {
        say("HIGHWATER_PRETEND_TRACE=" + settings().trace + " cannot be written");
        return nullptr;
    }
    std::setvbuf(file, nullptr, _IOLBF, 1 << 16);
    std::fprintf(file, "# pretended device: nothing was executed; %s\n", settings().deviceName.c_str());
    return file;
}

}  // namespace

int launch(const char* what) {
    constexpr int kNoKernelImage = 209;
    State& s = state();
    constexpr std::uint64_t kLaunchMicroseconds = 1000;
    const std::uint64_t number = ++s.launches;
    s.time += kLaunchMicroseconds;
    trace("launch", 0, what);
    if (settings().noKernels) {
        return kNoKernelImage;
    }
    if (number == s.loseAt) {
        s.lost = s.loseCode.load();
    }
    return s.lost;
}

int lost() {
    return state().lost;
}

std::uint64_t launches() {
    return state().launches;
}

std::uint64_t deviceTime() {
    return state().time;
}

void passTime(Winner winner, std::uint64_t workspace) {
    constexpr std::uint64_t kMost = 1ULL << 30;  // microseconds: 1 KiB per microsecond, up to 1 TiB
    const std::uint64_t time = std::min(workspace >> 10, kMost);
    state().time += winner == Winner::First ? 0 : winner == Winner::Least ? time : kMost - time;
}

void trace(const char* what, std::size_t bytes, const std::string& remark) {
    static std::FILE* const file = openTrace();
    if (file) {
        std::fprintf(file, "%s %zu %s\n", what, bytes, remark.c_str());
    }
}

}  // namespace highwater::pretend

void highwaterPretendLose(std::uint64_t launch, int code) {
    auto& s = highwater::pretend::state();
    s.lost = 0;
    s.loseCode = code;
    s.loseAt = launch ? s.launches + launch : 0;
}

std::uint64_t highwaterPretendLaunches() {
    return highwater::pretend::launches();
}
