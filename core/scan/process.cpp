#include "core/scan/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/scan/answer_lines.h"

extern char** environ;

namespace highwater::scan {
namespace {

using base::Json;
using Clock = std::chrono::steady_clock;

constexpr int kChildOut = 3;
constexpr int kPollMillis = 30;
constexpr std::size_t kMostError = 5000;  // bytes; a path alone may have 4096

/// The running process, which leads its own process group. The destructor kills the group, if it still runs,
/// and reaps the process.
class Child {
public:
    Child(pid_t pid, int output) : pid_(pid), output_(output) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        close(output_);
        if (pid_ > 0) {
            reap();
        }
    }
    int output() const { return output_; }
    /// Returns the status from waitpid once the process has ended.
    std::optional<int> ended() {
        siginfo_t facts{};
        const bool done = waitid(P_PID, static_cast<id_t>(pid_), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                          facts.si_pid == pid_;
        return done ? std::optional(reap()) : std::nullopt;
    }

private:
    /// Kills the group before reaping: until its leader is reaped, no other process can have its number.
    int reap() {
        kill(-pid_, SIGKILL);
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status;
    }

    pid_t pid_;
    int output_;
};

struct Spawned {
    pid_t pid;
    int output;
};

base::Result<Spawned> spawn(const ProcessRequest& request) {
    const std::string program =
        (request.program.empty() ? base::siblingProgram("highwater-scan") : request.program).string();
    if (program.empty()) {
        return base::Error{"the program highwater-scan is missing beside this one; install Highwater again"};
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return base::Error{fmt::format("the scan reader cannot be started: {}", std::strerror(errno))};
    }
    std::vector<std::string> words{program};
    words.insert(words.end(), request.arguments.begin(), request.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    // First moves the out file to a higher descriptor, so that no later step overwrites it.
    const int out = request.out < 0 ? -1 : fcntl(request.out, F_DUPFD_CLOEXEC, kChildOut + 1);
    if (request.out >= 0 && out < 0) {
        const int code = errno;
        close(ends[0]);
        close(ends[1]);
        return base::Error{
            fmt::format("the scan reader cannot be given its output file: {}", std::strerror(code))};
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (out >= 0) {
        posix_spawn_file_actions_adddup2(&actions, out, kChildOut);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int failed = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (out >= 0) {
        close(out);
    }
    if (failed != 0) {
        close(ends[0]);
        return base::Error{fmt::format("the scan reader cannot be started: {}", std::strerror(failed))};
    }
    return Spawned{pid, ends[0]};
}

/// Returns " while inflating", or nothing if the process has not reported a stage.
std::string stageText(const AnswerLines& lines) {
    return lines.stage().empty() ? "" : " while " + lines.stage();
}

base::Error failed(const ProcessRequest& request, const std::string& why) {
    return {fmt::format("{}: {}: the reader {}", request.name, request.failure, why)};
}

base::Error silent(const ProcessRequest& request, const AnswerLines& lines) {
    return failed(request,
                  fmt::format("made no progress for {} s{}", request.timeout.count(), stageText(lines)));
}

bool cancelled(const ProcessRequest& request) {
    return request.cancel && request.cancel->load(std::memory_order_relaxed);
}

/// Reads to the end of the output. Error if cancelled, silent for too long, or not a valid answer.
base::Status drain(const Child& child, const ProcessRequest& request, AnswerLines& lines) {
    auto lastSign = Clock::now();
    std::array<char, 65536> buffer;
    for (;;) {
        if (cancelled(request)) {
            return base::Error{"cancelled"};
        }
        if (Clock::now() - lastSign > request.timeout) {
            return silent(request, lines);
        }
        if (lines.tooLong()) {
            return failed(request, "says too much" + stageText(lines));
        }
        pollfd wait{child.output(), POLLIN, 0};
        if (poll(&wait, 1, kPollMillis) <= 0) {
            continue;
        }
        const ssize_t got = read(child.output(), buffer.data(), buffer.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return {};
        }
        lastSign = Clock::now();
        lines.add({buffer.data(), static_cast<std::size_t>(got)});
    }
}

/// Waits for the process after the end of its output.
base::Result<int> waitForEnd(Child& child, const ProcessRequest& request, const AnswerLines& lines) {
    const auto begin = Clock::now();
    for (;;) {
        if (const auto status = child.ended()) {
            return *status;
        }
        if (cancelled(request)) {
            return base::Error{"cancelled"};
        }
        if (Clock::now() - begin > request.timeout) {
            return silent(request, lines);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

base::Result<Json> runScanProcess(const ProcessRequest& request) {
    auto spawned = spawn(request);
    if (!spawned) {
        return base::Error{fmt::format("{}: {}", request.name, spawned.error().message)};
    }
    Child child(spawned->pid, spawned->output);
    AnswerLines lines(request.progress);
    if (auto status = drain(child, request, lines); !status) {
        return status.error();
    }
    const auto status = waitForEnd(child, request, lines);
    if (!status) {
        return status.error();
    }
    const auto& last = lines.last();
    if (last && last->contains("error") && (*last)["error"].is_string()) {
        return base::Error{base::oneLine((*last)["error"].get<std::string>(), kMostError)};
    }
    if (WIFSIGNALED(*status)) {
        return failed(request, fmt::format("stopped{} (signal {})", stageText(lines), WTERMSIG(*status)));
    }
    if (WEXITSTATUS(*status) != 0 || !last) {
        return failed(request,
                      fmt::format("stopped{} (exit code {})", stageText(lines), WEXITSTATUS(*status)));
    }
    return *last;
}

}  // namespace highwater::scan
