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

#include "core/base/paths.h"

extern char** environ;

namespace highwater::scan {
namespace {

using base::Json;
using Clock = std::chrono::steady_clock;

constexpr int kChildOut = 3;
constexpr int kPollMillis = 30;
constexpr std::size_t kMostLine = 4 << 20;

/// The running process; killed and reaped at the latest when this goes.
class Child {
public:
    Child(pid_t pid, int output) : pid_(pid), output_(output) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        close(output_);
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            wait();
        }
    }
    int output() const { return output_; }
    /// The status of waitpid.
    int wait() {
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return status;
    }

private:
    pid_t pid_;
    int output_;
};

struct Spawned {
    pid_t pid;
    int output;
};

base::Result<Spawned> spawn(const ProcessRequest& request) {
    const std::string program = base::siblingProgram("highwater-scan").string();
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
    // The out file is first moved away from the low numbers, so that no later step overwrites it.
    const int out = request.out < 0 ? -1 : fcntl(request.out, F_DUPFD_CLOEXEC, kChildOut + 1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (out >= 0) {
        posix_spawn_file_actions_adddup2(&actions, out, kChildOut);
    }
    pid_t pid = -1;
    const int failed = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
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

/// Takes lines as they come: progress is passed on, the last of another kind is kept.
class Lines {
public:
    explicit Lines(const ProcessRequest& request) : request_(request) {}

    void add(std::string_view bytes) {
        text_ += bytes;
        std::size_t begin = 0;
        for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', begin)) {
            take(std::string_view(text_).substr(begin, end - begin));
            begin = end + 1;
        }
        text_.erase(0, begin);
    }
    bool tooLong() const { return text_.size() > kMostLine; }
    const std::optional<Json>& last() const { return last_; }

private:
    void take(std::string_view line) {
        auto json = base::parseJson(line, "highwater-scan");
        if (!json || !json->is_object()) {
            return;
        }
        if (json->contains("stage")) {
            const Json fraction = json->value("fraction", Json());
            if (request_.progress && (*json)["stage"].is_string()) {
                request_.progress({(*json)["stage"].get<std::string>(),
                                   fraction.is_number() ? fraction.get<double>() : -1});
            }
            return;
        }
        last_ = std::move(*json);
    }

    const ProcessRequest& request_;
    std::string text_;
    std::optional<Json> last_;
};

/// Reads to the end of the output. An error: cancelled, or silent for too long.
base::Status drain(const Child& child, const ProcessRequest& request, Lines& lines) {
    auto lastSign = Clock::now();
    std::array<char, 65536> buffer;
    for (;;) {
        if (request.cancel && request.cancel->load(std::memory_order_relaxed)) {
            return base::Error{"cancelled"};
        }
        if (Clock::now() - lastSign > request.timeout || lines.tooLong()) {
            return base::Error{
                fmt::format("{}: this file cannot be decoded: the reader made no progress for {} s",
                            request.name, request.timeout.count())};
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

}  // namespace

base::Result<Json> runScanProcess(const ProcessRequest& request) {
    auto spawned = spawn(request);
    if (!spawned) {
        return base::Error{fmt::format("{}: {}", request.name, spawned.error().message)};
    }
    Child child(spawned->pid, spawned->output);
    Lines lines(request);
    if (auto status = drain(child, request, lines); !status) {
        return status.error();
    }
    const int status = child.wait();
    const auto& last = lines.last();
    if (last && last->contains("error") && (*last)["error"].is_string()) {
        return base::Error{(*last)["error"].get<std::string>()};
    }
    if (WIFSIGNALED(status)) {
        return base::Error{fmt::format("{}: this file cannot be decoded: the reader stopped (signal {})",
                                       request.name, WTERMSIG(status))};
    }
    if (WEXITSTATUS(status) != 0 || !last) {
        return base::Error{fmt::format("{}: this file cannot be decoded: the reader stopped (exit code {})",
                                       request.name, WEXITSTATUS(status))};
    }
    return *last;
}

}  // namespace highwater::scan
