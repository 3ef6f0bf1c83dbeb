#include "core/pretend/report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/pretend/settings.h"

namespace highwater::pretend {
namespace {

using Clock = std::chrono::steady_clock;
using Callback = void (*)(const char*, const char*, unsigned long long);

constexpr auto kPause = std::chrono::milliseconds(200);

struct Report {
    std::mutex mutex;
    std::atomic<pid_t> owner{0};  // the process that writes the report; 0 before a context is created
    std::size_t cudnn = 0;
    std::array<std::uint64_t, 4> plans{};  // counts by PlanSource
    std::uint64_t largest = 0;
    std::map<const void*, std::pair<std::uint64_t, std::uint64_t>> timed;  // smallest and largest workspace
                                                                           // by operation
    std::vector<std::string> unmodeled;
    std::int64_t communicators = 0;  // that hold memory now, and the most at once
    std::int64_t mostCommunicators = 0;
    std::int64_t communicatorBytes = 0;
    std::int64_t mostCommunicatorBytes = 0;
    std::atomic<std::uint64_t> reads{0};
    std::atomic<std::int64_t> writtenAt{0};  // in ticks of Clock
    std::atomic<Callback> callback{nullptr};
};

Report& report() {
    static Report& report = *new Report;
    return report;
}

std::string quoted(const std::string& text) {
    std::string json = "\"";
    for (const char c : text) {
        json += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return json + "\"";
}

std::string versionText(std::size_t version) {
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

std::string member(const char* name, std::uint64_t value) {
    return quoted(name) + ": " + std::to_string(value);
}

std::string json(const Report& r) {
    std::string names;
    for (const std::string& name : r.unmodeled) {
        names += (names.empty() ? "" : ", ") + quoted(name);
    }
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    for (const auto& [operation, bytes] : r.timed) {
        least = std::max(least, bytes.first);
        most = std::max(most, bytes.second);
    }
    const std::string nccl =
        r.mostCommunicators == 0
            ? ""
            : ", \"nccl\": {" + member("communicators", static_cast<std::uint64_t>(r.mostCommunicators)) +
                  ", " + member("bytes", static_cast<std::uint64_t>(r.mostCommunicatorBytes)) + "}";
    const auto plans = [&](PlanSource source) { return r.plans[static_cast<std::size_t>(source)]; };
    return "{\"gpu\": " + quoted(settings().gpu.id) +
           ", \"cudnn\": " + (r.cudnn ? quoted(versionText(r.cudnn)) : std::string("null")) + ", " +
           member("reads", r.reads) + ", \"unmodeled\": [" + names + "], \"workspaces\": {" +
           member("asked", plans(PlanSource::Asked)) + ", " + member("cached", plans(PlanSource::Cached)) +
           ", " + member("table", plans(PlanSource::Table)) + ", " +
           member("guessed", plans(PlanSource::Guessed)) + ", " + member("largest", r.largest) +
           ", \"benchmarked\": {" + member("operations", r.timed.size()) + ", " + member("least", least) +
           ", " + member("most", most) + "}}" + nccl + "}\n";
}

bool isOwn(const Report& r) {
    return r.owner != 0 && r.owner == getpid();
}

// Requires the mutex.
void write(Report& r) {
    if (settings().report.empty() || !isOwn(r)) {
        return;
    }
    r.writtenAt = Clock::now().time_since_epoch().count();
    const std::string part = settings().report + ".part";
    std::FILE* file = std::fopen(part.c_str(), "we");
    const std::string text = json(r);
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if ((file && std::fclose(file) != 0) || !written ||
        std::rename(part.c_str(), settings().report.c_str()) != 0) {
        sayOnce("HIGHWATER_PRETEND_REPORT=" + settings().report + " cannot be written");
    }
}

// Calls the registered callback; no lock is held.
void tell(const char* kind, const char* text, std::uint64_t bytes) {
    if (const Callback callback = report().callback) {
        callback(kind, text, bytes);
    }
}

[[gnu::destructor]] void endReport() {
    Report& r = report();
    if (isOwn(r)) {
        const std::lock_guard lock(r.mutex);
        write(r);
    }
}

}  // namespace

void beginReport() {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    if (r.owner != 0 || settings().report.empty()) {
        return;
    }
    const int file = open(settings().report.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        r.owner = -1;
        say("HIGHWATER_PRETEND_REPORT=" + settings().report + " cannot be created, or exists already");
        return;
    }
    close(file);
    r.owner = getpid();
    write(r);
}

void reportCudnn(std::size_t version) {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    r.cudnn = version;
}

void reportPlans(PlanSource source) {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    ++r.plans[static_cast<std::size_t>(source)];
    write(r);
}

void reportLargest(std::uint64_t bytes) {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    if (bytes > r.largest) {
        r.largest = bytes;
        write(r);
    }
}

void reportTimed(const void* operation, std::uint64_t least, std::uint64_t most) {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    r.timed[operation] = {least, most};
    write(r);
}

void reportCommunicator(std::int64_t bytes) {
    Report& r = report();
    const std::lock_guard lock(r.mutex);
    r.communicators += bytes > 0 ? 1 : -1;
    r.communicatorBytes += bytes;
    r.mostCommunicators = std::max(r.mostCommunicators, r.communicators);
    r.mostCommunicatorBytes = std::max(r.mostCommunicatorBytes, r.communicatorBytes);
    write(r);
}

void reportRead(std::size_t bytes) {
    Report& r = report();
    ++r.reads;
    const auto now = Clock::now().time_since_epoch();
    if (isOwn(r) && now - Clock::duration(r.writtenAt) > kPause) {
        const std::lock_guard lock(r.mutex);
        write(r);
    }
    tell("read", "", bytes);
}

int unmodeled(const std::string& name, int notSupported) {
    note(name + " is not modeled: not supported");
    Report& r = report();
    {
        const std::lock_guard lock(r.mutex);
        if (std::find(r.unmodeled.begin(), r.unmodeled.end(), name) != r.unmodeled.end()) {
            return notSupported;
        }
        r.unmodeled.push_back(name);
        write(r);
    }
    tell("unmodeled", name.c_str(), 0);
    return notSupported;
}

}  // namespace highwater::pretend

void highwaterPretendOnEvent(void (*callback)(const char*, const char*, unsigned long long)) {
    highwater::pretend::report().callback = callback;
}
