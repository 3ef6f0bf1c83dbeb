#include "core/wire/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/open_files.h"

namespace highwater::wire {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

Descriptor::~Descriptor() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

int Descriptor::release() {
    return std::exchange(fd_, -1);
}

namespace {

/// The child's data, prepared before the fork: after it only async-signal-safe calls are allowed.
struct Child {
    const char* program;
    std::vector<char*> argv;
    const SpawnRequest* request;
    int null;
    int status;  ///< pipe that errno is written to if the program cannot be executed
};

void closeOnExec() {
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) {
        return;
    }
    const int most = static_cast<int>(std::min(::sysconf(_SC_OPEN_MAX), 65536L));
    for (int fd = 3; fd < most; ++fd) {
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

void resetSignals() {
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    for (int signal = 1; signal < 32; ++signal) {
        if (signal != SIGKILL && signal != SIGSTOP) {
            ::sigaction(signal, &plain, nullptr);
        }
    }
    plain.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &plain, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void becomeProgram(const Child& child) {
    ::setsid();
    resetSignals();
    const bool wired = ::dup2(child.null, 0) >= 0 && ::dup2(child.request->output, 1) >= 0 &&
                       ::dup2(child.request->errors, 2) >= 0;
    if (wired) {
        closeOnExec();
        for (const int fd : child.request->inherited) {
            ::fcntl(fd, F_SETFD, 0);
        }
        ::execv(child.program, child.argv.data());
    }
    const int code = errno;
    [[maybe_unused]] const auto told = ::write(child.status, &code, sizeof code);
    ::_exit(127);
}

}  // namespace

base::Result<std::vector<Descriptor>> ownCopies(const std::vector<int>& fds) {
    if (const auto room = base::allowOpenFiles(2 * fds.size()); !room) {
        return room.error();
    }
    std::vector<Descriptor> volumes;
    for (const int fd : fds) {
        volumes.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (volumes.back().get() < 0) {
            return base::Error{fmt::format("volume {} cannot be handed to the engine: {}", volumes.size(),
                                           std::strerror(errno))};
        }
    }
    return volumes;
}

base::Result<int> spawn(const SpawnRequest& request) {
    const auto failure = [&](int code) {
        return base::Error{
            fmt::format("{} cannot be started: {}", request.program.string(), std::strerror(code))};
    };
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return failure(errno);
    }
    const Descriptor told(ends[0]);
    Descriptor status(ends[1]);
    const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (null.get() < 0) {
        return failure(errno);
    }

    std::vector<std::string> words = request.arguments;
    words.insert(words.begin(), request.program.filename().string());
    Child child{request.program.c_str(), {}, &request, null.get(), status.get()};
    for (std::string& word : words) {
        child.argv.push_back(word.data());
    }
    child.argv.push_back(nullptr);

    const pid_t pid = ::fork();
    if (pid < 0) {
        return failure(errno);
    }
    if (pid == 0) {
        becomeProgram(child);
    }
    status = Descriptor();
    int code = 0;
    ssize_t n = 0;
    do {
        n = ::read(told.get(), &code, sizeof code);
    } while (n < 0 && errno == EINTR);
    if (n != sizeof code) {
        return static_cast<int>(pid);
    }
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return failure(code);
}

}  // namespace highwater::wire
