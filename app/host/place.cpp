#include "app/host/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "app/host/queue.h"
#include "app/host/volumes.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/base/units.h"

namespace highwater::host_app {

namespace fs = std::filesystem;

namespace {

constexpr auto kKept = std::chrono::hours(30 * 24);

}  // namespace

base::Result<bool> putFolder(const fs::path& folder,
                             const std::function<base::Status(const fs::path&)>& fill) {
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    std::string made = (folder.parent_path() / ".new-XXXXXX").string();
    if (error || ::mkdtemp(made.data()) == nullptr) {
        return base::Error{fmt::format("{} cannot be written: {}", folder.parent_path().string(),
                                       error ? error.message() : std::strerror(errno))};
    }
    const base::Status filled = fill(fs::path(made));
    if (!filled) {
        fs::remove_all(made, error);
        return filled.error();
    }
    if (::rename(made.c_str(), folder.c_str()) == 0) {
        return true;
    }
    const int code = errno;
    fs::remove_all(made, error);
    if (code == EEXIST || code == ENOTEMPTY) {
        return false;
    }
    return base::Error{fmt::format("{}: {}", folder.string(), std::strerror(code))};
}

fs::path runsFolder() {
    return base::defaultStoreFolder().parent_path() / "highwater-host" / "runs";
}

std::optional<End> readEnd(const fs::path& folder) {
    const auto json = base::readJson(folder / "end.json", base::kMiB);
    if (!json) {
        return std::nullopt;
    }
    base::JsonReader reader(*json, "");
    End end;
    end.exitCode = static_cast<int>(reader.integer("exit_code", -1, 255));
    end.timedOut = reader.boolean("timed_out", false);
    end.unknown = reader.boolean("unknown", false);
    return reader.finish() ? std::optional(end) : std::optional(End());
}

base::Status writeEnd(const fs::path& folder, const End& end) {
    const base::Json json = {
        {"exit_code", end.exitCode}, {"timed_out", end.timedOut}, {"unknown", end.unknown}};
    return base::writeJson(folder / "end.json", json);
}

base::Result<bool> makeRun(const fs::path& folder, const hosts::Start& start, const std::string& array) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) {
        return false;
    }
    return putFolder(folder, [&](const fs::path& made) -> base::Status {
        HIGHWATER_TRY(base::writeJson(made / "experiment.json", start.experiment));
        HIGHWATER_TRY(giveVolumes(start.volumes, made));
        if (!array.empty()) {
            HIGHWATER_TRY(base::writeFileAtomically(made / "array", array));
        }
        return base::writeJson(made / "request.json", hosts::toJson(start));
    });
}

std::string nodeOf(const fs::path& folder) {
    const auto text = base::readFile(folder / "node", base::kKiB);
    return text ? *text : std::string();
}

std::string arrayOf(const fs::path& folder) {
    const auto text = base::readFile(folder / "array", base::kKiB);
    return text ? *text : std::string();
}

base::Result<bool> refuseRun(const fs::path& folder) {
    std::error_code ignored;
    if (fs::exists(folder, ignored)) {
        return false;
    }
    return putFolder(folder, [](const fs::path& made) { return writeEnd(made, {-1, false, true}); });
}

base::Descriptor tryLock(const fs::path& folder) {
    base::Descriptor lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return {};
    }
    return lock;
}

void removeOldRuns() {
    std::error_code error;
    const auto removeOld = [&](const fs::path& folder, const char* last) {
        for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            std::error_code ignored;
            const auto written = fs::last_write_time(at->path() / last, ignored);
            if (!ignored && fs::file_time_type::clock::now() - written > kKept) {
                fs::remove_all(at->path(), ignored);
            }
        }
    };
    removeOld(runsFolder(), "end.json");
    removeOld(arraysFolder(), "job");
}

base::Status startSupervisor(const fs::path& folder) {
    base::Launch launch;
    launch.program = base::siblingProgram("highwater-host");
    launch.arguments = {"--supervise", folder.string()};
    auto process = HIGHWATER_TRY(base::Process::start(launch));
    process.release();
    return {};
}

}  // namespace highwater::host_app
