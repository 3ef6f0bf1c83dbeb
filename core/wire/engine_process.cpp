#include "core/wire/engine_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/wire/engine_launch.h"

namespace highwater::wire {

namespace {

constexpr std::size_t kMostPerRead = 4 << 20;
constexpr std::size_t kLongestLine = 64 << 20;
constexpr off_t kMostErrors = 4 << 20;
constexpr std::size_t kErrorTail = 4096;
constexpr int kPipeBytes = 1 << 20;

base::Launch launchOf(const EngineRequest& request, const std::filesystem::path& program) {
    base::Launch launch;
    launch.program = program;
    launch.arguments = {"--run",   request.runFolder.string(),    "--device", request.device,
                        "--steps", std::to_string(request.steps), "--warmup", std::to_string(request.warmup)};
    if (request.budget) {
        launch.arguments.insert(launch.arguments.end(), {"--budget", std::to_string(*request.budget)});
    }
    if (!request.trace) {
        launch.arguments.push_back("--no-trace");
    }
    return launch;
}

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
    const auto program = engineProgram(request.program);
    if (!program) {
        return program.error();
    }
    const auto volumes = ownCopies(request.volumeFds);
    if (!volumes) {
        return volumes.error();
    }
    EngineProcess process;
    const auto errorPath = request.runFolder / "stderr.txt";
    process.errors_ =
        base::Descriptor(::open(errorPath.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (process.errors_.get() < 0) {
        return base::Error{fmt::format("{}: {}", errorPath.string(), std::strerror(errno))};
    }
    auto pipe = base::openPipe();
    if (!pipe) {
        return pipe.error();
    }
    process.output_ = std::move(pipe->read);
    ::fcntl(process.output_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(process.output_.get(), F_SETPIPE_SZ, kPipeBytes);

    base::Launch launch = launchOf(request, *program);
    addVolumes(launch, *volumes);
    launch.output = pipe->write.get();
    launch.errors = process.errors_.get();
    auto started = base::Process::start(launch);
    if (!started) {
        return started.error();
    }
    process.process_ = std::move(*started);
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
    std::swap(pid_, other.pid_);
    std::swap(exitCode_, other.exitCode_);
    std::swap(reaped_, other.reaped_);
    std::swap(skipping_, other.skipping_);
    buffer_.swap(other.buffer_);
    errorText_.swap(other.errorText_);
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
    const ssize_t n = ::read(output_.get(), chunk, sizeof chunk);
    if (n > 0) {
        buffer_.append(chunk, static_cast<std::size_t>(n));
        return true;
    }
    if (n < 0 && errno == EINTR) {
        return true;
    }
    const bool nothing = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!nothing || gone) {
        output_ = base::Descriptor();
    }
    return false;
}

std::vector<Event> EngineProcess::read() {
    std::vector<Event> events;
    int bad = 0;
    for (std::size_t taken = 0; output_.get() >= 0 && taken < kMostPerRead;) {
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
            if (!skipping_ && ++bad == 1) {
                events.push_back(Warning{"the engine wrote a line that is too long to be an event"});
            }
            skipping_ = true;
            buffer_.clear();
        }
    }
    if (output_.get() < 0) {
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
    if (reaped_) {
        return true;
    }
    const auto code = process_.ended();
    if (!code) {
        return false;
    }
    reaped_ = true;
    exitCode_ = *code;
    boundErrors();
    errorText_ = base::readTail(errors_.get(), kErrorTail);
    return true;
}

/// Empties stderr.txt when it is larger than 4 MiB: a library that warns on every step must not fill the
/// disk.
void EngineProcess::boundErrors() {
    struct stat facts{};
    if (!reaped_ && errors_.get() >= 0 && ::fstat(errors_.get(), &facts) == 0 &&
        facts.st_size > kMostErrors) {
        [[maybe_unused]] const int cut = ::ftruncate(errors_.get(), 0);
    }
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
    // The pipe is closed or the process has ended. Only the exit code is missing, which normally follows at
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
