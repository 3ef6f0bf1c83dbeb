#include "core/wire/engine_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/wire/engine_launch.h"
#include "core/wire/follower.h"

namespace highwater::wire {

namespace {

constexpr std::size_t kMostPerRead = 4 << 20;
constexpr int kPipeBytes = 1 << 20;

}  // namespace

base::Result<std::filesystem::path> engineProgram(const std::filesystem::path& program) {
    auto found = program.empty() ? base::siblingProgram("highwater-engine") : program;
    if (found.empty()) {
        return base::Error{fmt::format("highwater-engine is not beside this program in {}; install it there",
                                       base::programFolder().string())};
    }
    return found;
}

base::Result<EngineProcess> EngineProcess::start(const EngineRequest& request) {
    const auto program = HIGHWATER_TRY(engineProgram(request.program));
    const auto volumes = HIGHWATER_TRY(ownCopies(request.volumeFds));
    base::Launch launch = engineLaunch(request, program);
    addVolumes(launch, volumes);
    return start(std::move(launch), request.runFolder);
}

base::Result<EngineProcess> EngineProcess::start(base::Launch launch,
                                                 const std::filesystem::path& runFolder) {
    EngineProcess process;
    const auto errorPath = runFolder / "stderr.txt";
    auto errors = HIGHWATER_TRY(base::openRegular(errorPath, O_RDWR | O_CREAT | O_APPEND));
    process.errors_ = EngineErrors(std::move(errors));
    auto pipe = HIGHWATER_TRY(base::openPipe());
    process.output_ = std::move(pipe.read);
    ::fcntl(process.output_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(process.output_.get(), F_SETPIPE_SZ, kPipeBytes);
    launch.output = pipe.write.get();
    launch.errors = process.errors_.fd();
    launch.beforeItBegins = [&](int pid) { return followRun(runFolder, base::identityOf(pid)); };
    process.process_ = HIGHWATER_TRY(base::Process::start(launch));
    process.pid_ = process.process_.pid();
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
    output_ = base::Descriptor();
    process_.release();
}

void EngineProcess::swap(EngineProcess& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(output_, other.output_);
    std::swap(errors_, other.errors_);
    std::swap(lines_, other.lines_);
    std::swap(pid_, other.pid_);
    std::swap(exitCode_, other.exitCode_);
    std::swap(reaped_, other.reaped_);
    errorText_.swap(other.errorText_);
}

/// Reads the available data; 0 bytes at the end, or if there is nothing to read.
std::size_t EngineProcess::readSome() {
    // Reap before the read: if the process has ended, "nothing to read" is final, even if a grandchild still
    // holds the pipe open.
    const bool gone = reap();
    char chunk[65536];
    ssize_t n = 0;
    do {
        n = ::read(output_.get(), chunk, sizeof chunk);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        lines_.add({chunk, static_cast<std::size_t>(n)});
        return static_cast<std::size_t>(n);
    }
    const bool nothing = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!nothing || gone) {
        output_ = base::Descriptor();
        lines_.end();
    }
    return 0;
}

std::vector<Event> EngineProcess::read() {
    for (std::size_t taken = 0; output_.get() >= 0 && taken < kMostPerRead;) {
        const std::size_t some = readSome();
        if (some == 0) {
            break;
        }
        taken += some;
    }
    if (!reaped_) {
        errors_.bound();
    }
    return lines_.take();
}

bool EngineProcess::reap() {
    if (reaped_) {
        return true;
    }
    const auto code = process_.ended();
    if (!code) {
        return false;
    }
    reaped_ = true;
    exitCode_ = *code;
    errorText_ = errors_.tail();
    return true;
}

bool EngineProcess::finished() {
    return reap() && output_.get() < 0;
}

void EngineProcess::wait(int timeoutMs) {
    if (finished()) {
        return;
    }
    if (output_.get() >= 0 && !reaped_) {
        pollfd waiting{output_.get(), POLLIN, 0};
        ::poll(&waiting, 1, timeoutMs);
        return;
    }
    // The pipe is closed or the process has ended. Only the exit code is missing, which normally arrives at
    // once.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMs);
    while (!reap() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

void EngineProcess::cancel() {
    if (!reap()) {
        process_.interrupt();
    }
}

void EngineProcess::kill() {
    if (!reap()) {
        process_.kill();
    }
}

}  // namespace highwater::wire
