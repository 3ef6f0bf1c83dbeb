#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "app/host/place.h"
#include "app/host/queue.h"
#include "app/host/volumes.h"
#include "core/base/file.h"
#include "core/base/open_files.h"
#include "core/base/process.h"
#include "core/wire/engine_launch.h"
#include "core/wire/event_lines.h"

namespace highwater::host_app {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr auto kGrace = std::chrono::minutes(2);
constexpr int kUnstarted = 4;

constexpr auto kLockPause = std::chrono::milliseconds(50);
constexpr int kLockTries = 40;

std::atomic<bool> toldToEnd{false};

base::Result<hosts::Start> readStart(const fs::path& folder) {
    const auto json = base::readJson(folder / "request.json");
    return json ? hosts::startFromJson(*json, "") : json.error();
}

std::string wordIn(const fs::path& file) {
    const auto text = base::readFile(file, base::kKiB);
    return text ? *text : std::string();
}

/// Waits for the engine to end, and stops it on request or at its time limit.
End watch(base::Process& engine, const fs::path& folder, std::chrono::seconds limit,
          wire::EngineErrors& errors) {
    const auto begun = Clock::now();
    std::string stopped;
    End end;
    for (;;) {
        if (const auto code = engine.ended()) {
            end.exitCode = *code;
            return end;
        }
        errors.bound();
        if (const std::string word = wordIn(folder / "stop"); !word.empty() && word != stopped) {
            stopped = word;
            word == hosts::kKill ? engine.kill() : engine.interrupt();
        }
        if (toldToEnd.exchange(false)) {
            engine.interrupt();
        }
        const auto over = Clock::now() - begun - limit;
        if (over >= Clock::duration::zero() && !end.timedOut) {
            end.timedOut = true;
            engine.interrupt();
        } else if (over >= kGrace) {
            engine.kill();
        }
        std::this_thread::sleep_for(kPause);
    }
}

base::Result<End> runEngine(const fs::path& folder, const base::Descriptor& lock, wire::EngineErrors& errors,
                            bool task) {
    const auto start = readStart(folder);
    const auto program = wire::engineProgram({});
    HIGHWATER_TRY(base::allowOpenFiles(start ? 3 * start->volumes.size() : 0));
    if (!start || !program) {
        return start ? program.error() : start.error();
    }
    base::Launch launch = wire::engineLaunch(start->engine(folder), *program);
    std::vector<base::Descriptor> volumes;
    for (std::size_t i = 1; i <= start->volumes.size(); ++i) {
        volumes.emplace_back(::open(volumeFile(folder, i).c_str(), O_RDONLY | O_CLOEXEC));
        if (volumes.back().get() < 0) {
            return base::Error{fmt::format("{} cannot be read", volumeFile(folder, i).string())};
        }
    }
    wire::addVolumes(launch, volumes);
    launch.errors = errors.fd();
    launch.endsWithStarter = task;
    launch.inherited.push_back(lock.get());  // so that the run counts as running while either process lives
    auto engine = HIGHWATER_TRY(base::Process::start(launch));
    return watch(engine, folder, std::chrono::seconds(start->timeLimit), errors);
}

std::string nodeName() {
    if (const char* named = std::getenv("SLURMD_NODENAME"); named && *named) {
        return named;
    }
    char name[256] = "";
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

int superviseLocked(const fs::path& folder, const base::Descriptor& lock, bool task) {
    std::error_code ignored;
    if (lock.get() < 0 || readEnd(folder)) {
        return 0;
    }
    if (fs::exists(folder / "events.jsonl", ignored)) {
        return writeEnd(folder, {}) ? 0 : 1;
    }
    wire::EngineErrors errors(base::Descriptor(
        ::open((folder / "stderr.txt").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)));
    // So that it is known even if this process dies.
    (void)base::writeFileAtomically(folder / "node", nodeName()).ok();
    auto end = runEngine(folder, lock, errors, task);
    if (!end) {
        const std::string line = end.error().message + "\n";
        [[maybe_unused]] const auto told = ::write(errors.fd(), line.data(), line.size());
        end = End{kUnstarted, false, false};
    }
    return writeEnd(folder, *end) ? 0 : 1;
}

}  // namespace

int supervise(const fs::path& folder) {
    return superviseLocked(folder, tryLock(folder), false);
}

int superviseTask(const fs::path& array, const std::string& index) {
    const fs::path folder = taskRun(array, index);
    std::error_code ignored;
    if (folder.empty() || !fs::exists(folder, ignored)) {  // the run was fetched, or given up
        return 0;
    }
    std::signal(SIGTERM, [](int) { toldToEnd = true; });
    base::Descriptor lock = tryLock(folder);
    // Readers hold the lock for a moment.
    for (int tries = 1; lock.get() < 0 && tries < kLockTries; ++tries) {
        std::this_thread::sleep_for(kLockPause);
        lock = tryLock(folder);
    }
    return superviseLocked(folder, lock, true);
}

}  // namespace highwater::host_app
