#include "core/wire/engine_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/wire/spawn.h"

namespace highwater::wire {

namespace {

constexpr std::size_t kMostPerRead = 4 << 20;
constexpr std::size_t kLongestLine = 64 << 20;
constexpr off_t kMostErrors = 4 << 20;
constexpr off_t kErrorTail = 4096;
constexpr int kPipeBytes = 1 << 20;

std::vector<std::string> arguments(const EngineRequest& request, const std::vector<Descriptor>& volumes) {
    std::vector<std::string> words = {
        "--run",   request.runFolder.string(),    "--device", request.device,
        "--steps", std::to_string(request.steps), "--warmup", std::to_string(request.warmup)};
    if (request.budget) {
        words.insert(words.end(), {"--budget", std::to_string(*request.budget)});
    }
    if (!request.trace) {
        words.push_back("--no-trace");
    }
    for (const Descriptor& volume : volumes) {
        words.insert(words.end(), {"--volume", std::to_string(volume.get())});
    }
    return words;
}

}  // namespace

base::Result<EngineProcess> EngineProcess::start(const EngineRequest& request) {
    const auto program = request.program.empty() ? base::siblingProgram("highwater-engine") : request.program;
    if (program.empty()) {
        return base::Error{fmt::format("highwater-engine is not beside this program in {}; install it there",
                                       base::programFolder().string())};
    }
    auto volumes = ownCopies(request.volumeFds);
    if (!volumes) {
        return volumes.error();
    }
    const auto errorPath = request.runFolder / "stderr.txt";
    Descriptor errors(::open(errorPath.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (errors.get() < 0) {
        return base::Error{fmt::format("{}: {}", errorPath.string(), std::strerror(errno))};
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return base::Error{fmt::format("no pipe to the engine: {}", std::strerror(errno))};
    }
    Descriptor output(ends[0]);
    const Descriptor input(ends[1]);
    ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(output.get(), F_SETPIPE_SZ, kPipeBytes);

    SpawnRequest spawned{program, arguments(request, *volumes), input.get(), errors.get(), {}};
    for (const Descriptor& volume : *volumes) {
        spawned.inherited.push_back(volume.get());
    }
    const auto pid = spawn(spawned);
    if (!pid) {
        return pid.error();
    }
    EngineProcess process;
    process.pid_ = *pid;
    process.fd_ = output.release();
    process.errorFd_ = errors.release();
    return process;
}

EngineProcess::EngineProcess(EngineProcess&& other) noexcept {
    swap(other);
}

EngineProcess& EngineProcess::operator=(EngineProcess&& other) noexcept {
    swap(other);
    return *this;
}

EngineProcess::~EngineProcess() {
    closeOutput();
    if (pid_ > 0 && !reaped_) {
        ::waitpid(pid_, nullptr, WNOHANG);
    }
    if (errorFd_ >= 0) {
        ::close(errorFd_);
    }
}

void EngineProcess::swap(EngineProcess& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(fd_, other.fd_);
    std::swap(errorFd_, other.errorFd_);
    std::swap(exitCode_, other.exitCode_);
    std::swap(reaped_, other.reaped_);
    std::swap(skipping_, other.skipping_);
    buffer_.swap(other.buffer_);
    errorText_.swap(other.errorText_);
}

void EngineProcess::closeOutput() {
    if (fd_ >= 0) {
        ::close(std::exchange(fd_, -1));
    }
}

void EngineProcess::parse(std::string_view line, std::vector<Event>& events, int& bad) {
    if (line.empty()) {
        return;
    }
    auto event = parseEvent(line);
    if (event) {
        events.push_back(std::move(*event));
    } else if (++bad == 1) {
        events.push_back(
            Warning{fmt::format("the engine wrote what is no event: {}", base::oneLine(line, 120))});
    }
}

/// Appends what can be read to the buffer; false at the end, or if there is nothing to read.
bool EngineProcess::readSome() {
    // Reap before the read: if the process has ended, "nothing to read" is final, even if a grandchild still
    // holds the pipe open.
    const bool gone = reap();
    char chunk[65536];
    const ssize_t n = ::read(fd_, chunk, sizeof chunk);
    if (n > 0) {
        buffer_.append(chunk, static_cast<std::size_t>(n));
        return true;
    }
    if (n < 0 && errno == EINTR) {
        return true;
    }
    const bool nothing = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!nothing || gone) {
        closeOutput();
    }
    return false;
}

std::vector<Event> EngineProcess::read() {
    std::vector<Event> events;
    int bad = 0;
    for (std::size_t taken = 0; fd_ >= 0 && taken < kMostPerRead;) {
        const std::size_t before = buffer_.size();
        if (!readSome()) {
            break;
        }
        taken += buffer_.size() - before;
        std::size_t begin = 0;
        for (std::size_t end = buffer_.find('\n', before); end != std::string::npos;
             end = buffer_.find('\n', begin)) {
            if (!std::exchange(skipping_, false)) {
                parse(std::string_view(buffer_).substr(begin, end - begin), events, bad);
            }
            begin = end + 1;
        }
        buffer_.erase(0, begin);
        if (skipping_ || buffer_.size() > kLongestLine) {
            bad += skipping_ ? 0 : 1;
            skipping_ = true;
            buffer_.clear();
        }
    }
    if (fd_ < 0) {
        parse(std::exchange(buffer_, {}), events, bad);
        skipping_ = false;
    }
    if (bad > 1) {
        events.push_back(Warning{fmt::format("the engine wrote {} more lines that are no events", bad - 1)});
    }
    boundErrors();
    return events;
}

bool EngineProcess::reap() {
    if (reaped_ || pid_ <= 0) {
        return reaped_;
    }
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
        return false;
    }
    reaped_ = true;
    if (got == pid_) {
        exitCode_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    boundErrors();
    struct stat facts{};
    if (errorFd_ >= 0 && ::fstat(errorFd_, &facts) == 0) {
        const off_t from = std::max<off_t>(0, facts.st_size - kErrorTail);
        errorText_.resize(static_cast<std::size_t>(facts.st_size - from));
        const ssize_t n = ::pread(errorFd_, errorText_.data(), errorText_.size(), from);
        errorText_.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
    }
    return true;
}

/// Empties stderr.txt when it is larger than 4 MiB: a library that warns on every step must not fill the
/// disk.
void EngineProcess::boundErrors() {
    struct stat facts{};
    if (!reaped_ && errorFd_ >= 0 && ::fstat(errorFd_, &facts) == 0 && facts.st_size > kMostErrors)
        [[maybe_unused]] {
        const int cut = ::ftruncate(errorFd_, 0);
    }
}

bool EngineProcess::finished() {
    return reap() && fd_ < 0;
}

void EngineProcess::wait(int timeoutMs) {
    if (finished()) {
        return;
    }
    if (fd_ >= 0 && !reaped_) {
        pollfd waiting{fd_, POLLIN, 0};
        ::poll(&waiting, 1, timeoutMs);
        return;
    }
    // The pipe is closed or the process has ended. Only the exit code is missing, which normally follows at
    // once.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
    while (!reap() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

void EngineProcess::cancel() {
    if (pid_ > 0 && !reap()) {
        ::kill(pid_, SIGINT);
    }
}

void EngineProcess::kill() {
    if (pid_ > 0 && !reap()) {
        ::kill(-pid_, SIGKILL);
    }
}

}  // namespace highwater::wire
