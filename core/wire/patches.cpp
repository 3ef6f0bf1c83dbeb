#include "core/wire/patches.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/wire/spawn.h"

namespace highwater::wire {
namespace {

using base::Error;
using Clock = std::chrono::steady_clock;
using Patches = std::vector<SentPatch>;

constexpr int kLookMs = 50;
constexpr std::size_t kLongestPatchLine = 1 << 20;
constexpr off_t kPatchErrorTail = 4096;
constexpr std::chrono::seconds kLookThrough{10};  ///< allowed for reading one volume

/// A started engine; the destructor kills it if it still runs.
class PatchChild {
public:
    explicit PatchChild(int pid) : pid_(pid) {}
    PatchChild(const PatchChild&) = delete;
    PatchChild& operator=(const PatchChild&) = delete;
    ~PatchChild() {
        if (pid_ < 0) {
            return;
        }
        ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    /// The exit code, or 128 + signal; std::nullopt while it runs.
    std::optional<int> ended() {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) {
            return std::nullopt;
        }
        pid_ = -1;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    int pid_;
};

/// The experiment as a file in the folder; the destructor removes it.
class ExperimentFile {
public:
    explicit ExperimentFile(const std::filesystem::path& folder)
        : path_(folder / "patches-experiment.json") {}
    ExperimentFile(const ExperimentFile&) = delete;
    ExperimentFile& operator=(const ExperimentFile&) = delete;
    ~ExperimentFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Collects patches from the engine's output as it arrives.
class Taker {
public:
    explicit Taker(const PatchRequest& request) : request_(request) {}

    base::Status take(std::string_view part) {
        text_ += part;
        for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
            if (auto taken = line(text_.substr(0, end)); !taken) {
                return taken;
            }
            text_.erase(0, end + 1);
        }
        if (text_.size() > kLongestPatchLine) {
            return Error{"highwater-engine wrote a line that is too long to be a patch"};
        }
        return {};
    }
    /// Call after the engine ended with success. Error if patches are missing.
    base::Result<Patches> finish() {
        if (text_.empty() && patches_.size() == static_cast<std::size_t>(request_.count)) {
            return std::move(patches_);
        }
        return Error{fmt::format("highwater-engine made {} of {} patches and said no more", patches_.size(),
                                 request_.count)};
    }

private:
    base::Status line(const std::string& text) {
        auto patch = parsePatch(text, request_.folder);
        if (!patch) {
            return Error{"highwater-engine wrote what is no patch: " + patch.error().message};
        }
        const auto expected = request_.first + static_cast<std::int64_t>(patches_.size());
        if (patches_.size() >= static_cast<std::size_t>(request_.count)) {
            return Error{fmt::format("highwater-engine sent more than the {} patches that were asked for",
                                     request_.count)};
        }
        if (patch->number != expected) {
            return Error{
                fmt::format("highwater-engine sent patch {} where {} was expected", patch->number, expected)};
        }
        patches_.push_back(std::move(*patch));
        if (request_.progress) {
            request_.progress(static_cast<int>(patches_.size()));
        }
        return {};
    }

    const PatchRequest& request_;
    std::string text_;
    Patches patches_;
};

base::Status checkRequest(const PatchRequest& request) {
    if (request.count < 1 || request.count > kMostPatches) {
        return Error{
            fmt::format("{} patches cannot be made at a time; ask for 1 to {}", request.count, kMostPatches)};
    }
    if (request.first < 0) {
        return Error{fmt::format("there is no patch {}; the first is 0", request.first)};
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(request.folder, ignored)) {
        return Error{fmt::format("{}: there is no such folder", request.folder.string())};
    }
    return {};
}

/// Error if the wait for the engine should end: it was cancelled, or nothing was received since `lastSign`
/// for too long.
base::Status mayGoOn(const PatchRequest& request, Clock::time_point lastSign) {
    if (request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed)) {
        return Error{"cancelled"};
    }
    const auto patience = request.timeout + kLookThrough * request.volumeFds.size();
    if (Clock::now() - lastSign > patience) {
        return Error{fmt::format("highwater-engine made no progress for {} s", patience.count())};
    }
    return {};
}

/// Reads to the end of the engine's output.
base::Status read(int fd, const PatchRequest& request, Taker& taker) {
    char chunk[65536];
    for (auto lastSign = Clock::now();;) {
        if (const auto good = mayGoOn(request, lastSign); !good) {
            return good;
        }
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, kLookMs) <= 0) {
            continue;
        }
        const ssize_t n = ::read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return {};
        }
        lastSign = Clock::now();
        if (auto taken = taker.take({chunk, static_cast<std::size_t>(n)}); !taken) {
            return taken;
        }
    }
}

/// Waits for the engine to end after it has closed its output, which normally happens at once.
base::Result<int> exitCode(PatchChild& child, const PatchRequest& request) {
    const auto closed = Clock::now();
    for (;;) {
        if (const auto code = child.ended()) {
            return *code;
        }
        if (const auto good = mayGoOn(request, closed); !good) {
            return good.error();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

/// The last line that the engine wrote on stderr, without its name in front.
std::string lastLine(int fd) {
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) {
        return {};
    }
    const off_t from = std::max<off_t>(0, facts.st_size - kPatchErrorTail);
    std::string text(static_cast<std::size_t>(facts.st_size - from), '\0');
    const ssize_t n = ::pread(fd, text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    text.erase(0, text.rfind('\n') + 1);
    constexpr std::string_view kName = "highwater-engine: ";
    return base::oneLine(text.starts_with(kName) ? text.substr(kName.size()) : text);
}

Error failure(int code, int errors) {
    const std::string said = lastLine(errors);
    if (code > 128) {
        return {fmt::format("highwater-engine was ended by signal {}{}{}", code - 128,
                            said.empty() ? "" : ": ", said)};
    }
    return {said.empty() ? fmt::format("highwater-engine ended with exit code {}", code) : said};
}

SpawnRequest spawnRequest(const PatchRequest& request, const std::filesystem::path& program,
                          const std::filesystem::path& experiment, const std::vector<Descriptor>& volumes) {
    SpawnRequest spawned{program,
                         {"--experiment", experiment.string(), "--patches", std::to_string(request.count),
                          "--first", std::to_string(request.first), "--out", request.folder.string()},
                         -1,
                         -1,
                         {}};
    for (const Descriptor& volume : volumes) {
        spawned.arguments.insert(spawned.arguments.end(), {"--volume", std::to_string(volume.get())});
        spawned.inherited.push_back(volume.get());
    }
    return spawned;
}

}  // namespace

base::Result<Patches> makePatches(const PatchRequest& request) {
    if (const auto good = checkRequest(request); !good) {
        return good.error();
    }
    const auto program = request.program.empty() ? base::siblingProgram("highwater-engine") : request.program;
    if (program.empty()) {
        return Error{fmt::format("highwater-engine is not beside this program in {}; install it there",
                                 base::programFolder().string())};
    }
    const ExperimentFile experiment(request.folder);
    if (const auto saved = stack::saveExperiment(request.experiment, experiment.path()); !saved) {
        return saved.error();
    }
    const auto volumes = ownCopies(request.volumeFds);
    if (!volumes) {
        return volumes.error();
    }
    int ends[2];
    const Descriptor errors(::memfd_create("highwater-errors", MFD_CLOEXEC));
    if (errors.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
        return Error{fmt::format("no pipe to the engine: {}", std::strerror(errno))};
    }
    const Descriptor output(ends[0]);
    Descriptor input(ends[1]);
    SpawnRequest spawned = spawnRequest(request, program, experiment.path(), *volumes);
    spawned.output = input.get();
    spawned.errors = errors.get();
    const auto pid = spawn(spawned);
    if (!pid) {
        return pid.error();
    }
    input = Descriptor();
    PatchChild child(*pid);
    Taker taker(request);
    if (const auto done = read(output.get(), request, taker); !done) {
        return done.error();
    }
    const auto code = exitCode(child, request);
    if (!code) {
        return code.error();
    }
    return *code == 0 ? taker.finish() : base::Result<Patches>(failure(*code, errors.get()));
}

}  // namespace highwater::wire
