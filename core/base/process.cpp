#include "core/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/text.h"

namespace highwater::base {

Result<Pipe> openPipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return Error{fmt::format("no pipe can be created: {}", std::strerror(errno))};
    }
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string readTail(int fd, std::size_t most) {
    struct stat facts{};
    if (fd < 0 || ::fstat(fd, &facts) != 0) {
        return {};
    }
    const off_t from = std::max<off_t>(0, facts.st_size - static_cast<off_t>(most));
    std::string text(static_cast<std::size_t>(facts.st_size - from), '\0');
    const ssize_t n = ::pread(fd, text.data(), text.size(), from);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
    return text;
}

void boundErrors(int fd) {
    constexpr off_t kMost = 4 << 20;
    struct stat facts{};
    if (fd >= 0 && ::fstat(fd, &facts) == 0 && facts.st_size > kMost) {
        [[maybe_unused]] const int cut = ::ftruncate(fd, 0);
        ::lseek(fd, 0, SEEK_SET);  // the program's own offset in it, unless it appends
    }
}

std::string lastLine(int fd, std::string_view name) {
    return lastLine(readTail(fd, 4096), name);
}

std::string lastLine(std::string text, std::string_view name) {
    text.erase(text.find_last_not_of('\n') + 1);
    text.erase(0, text.rfind('\n') + 1);
    const std::string start = fmt::format("{}: ", name);
    return oneLine(text.starts_with(start) ? text.substr(start.size()) : text);
}

namespace {

constexpr int kFirstOwn = 10;  // descriptors used during the start are above those passed to the program
constexpr int kLookMillis = 30;

/// Everything that the child needs, prepared before the fork: after it only async-signal-safe calls are
/// allowed.
struct Child {
    const Launch* launch;
    std::vector<char*> argv;
    int nothing;      ///< /dev/null
    int status;       ///< errno is written here if the program cannot be executed
    int go;           ///< a byte arrives here when the program may begin; EOF means that the starter has
                      ///< ended
    int startersEnd;  ///< the starter's end of the `go` pipe
    pid_t starter;
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

/// Gives the program its descriptors and closes all others at the exec.
bool arrangeDescriptors(const Child& child) {
    const Launch& launch = *child.launch;
    if (::dup2(launch.input < 0 ? child.nothing : launch.input, 0) < 0 ||
        ::dup2(launch.output < 0 ? child.nothing : launch.output, 1) < 0 ||
        ::dup2(launch.errors < 0 ? child.nothing : launch.errors, 2) < 0) {
        return false;
    }
    closeOnExec();
    for (const int fd : launch.inherited) {
        ::fcntl(fd, F_SETFD, 0);
    }
    return !launch.handed || (launch.handed->fd == launch.handed->number
                                  ? ::fcntl(launch.handed->fd, F_SETFD, 0) >= 0
                                  : ::dup2(launch.handed->fd, launch.handed->number) >= 0);
}

/// False if the starter ended before that.
bool mayBegin(const Child& child) {
    ::close(child.startersEnd);
    char byte = 0;
    ssize_t n = 0;
    do {
        n = ::read(child.go, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1;
}

[[noreturn]] void becomeProgram(const Child& child) {
    ::setsid();
    resetSignals();
    if (child.launch->endsWithStarter) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != child.starter) {
            ::_exit(1);
        }
    }
    if (!mayBegin(child)) {
        ::_exit(1);
    }
    if (arrangeDescriptors(child)) {
        ::execv(child.launch->program.c_str(), child.argv.data());
    }
    const int code = errno;
    [[maybe_unused]] const auto told = ::write(child.status, &code, sizeof code);
    ::_exit(127);
}

/// A pipe whose descriptors are above all those passed to the program.
Result<Pipe> openOwnPipe() {
    auto pipe = HIGHWATER_TRY(openPipe());
    Pipe own{Descriptor(::fcntl(pipe.read.get(), F_DUPFD_CLOEXEC, kFirstOwn)),
             Descriptor(::fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, kFirstOwn))};
    if (own.read.get() < 0 || own.write.get() < 0) {
        return Error{fmt::format("no pipe can be created: {}", std::strerror(errno))};
    }
    return own;
}

/// The array that exec takes; it points into `words`.
std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// The errno that the child wrote because exec failed; 0 if it succeeded.
int errorOf(int told) {
    int code = 0;
    ssize_t n = 0;
    do {
        n = ::read(told, &code, sizeof code);
    } while (n < 0 && errno == EINTR);
    return n == sizeof code ? code : 0;
}

/// The status of a child that has ended or is about to.
int waitFor(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace

Result<Process> Process::start(const Launch& launch) {
    const auto failure = [&](int code) {
        return Error{fmt::format("{} cannot be started: {}", launch.program.string(), std::strerror(code))};
    };
    auto said = openOwnPipe(), allowed = openOwnPipe();
    if (!said || !allowed) {
        return said ? allowed.error() : said.error();
    }
    const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (nothing.get() < 0) {
        return failure(errno);
    }
    std::vector<std::string> words = launch.arguments;
    words.insert(words.begin(), launch.program.filename().string());
    const Child child{&launch,           pointersTo(words),   nothing.get(),
                      said->write.get(), allowed->read.get(), allowed->write.get(),
                      ::getpid()};
    Process process(::fork());
    if (process.pid_ < 0) {
        return failure(errno);
    }
    if (process.pid_ == 0) {
        becomeProgram(child);
    }
    said->write = Descriptor();
    if (launch.beforeItBegins) {
        if (const auto good = launch.beforeItBegins(process.pid_); !good) {
            allowed->write = Descriptor();
            return good.error();
        }
    }
    [[maybe_unused]] const auto told = ::write(allowed->write.get(), "", 1);
    if (const int code = errorOf(said->read.get()); code != 0) {
        waitFor(std::exchange(process.pid_, -1));
        return failure(code);
    }
    return process;
}

Process::Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
}

Process::~Process() {
    if (pid_ > 0) {
        kill();
        waitFor(pid_);
    }
}

std::optional<int> Process::ended() {
    if (pid_ <= 0) {
        return std::nullopt;
    }
    siginfo_t facts{};
    const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &facts, WEXITED | WNOHANG | WNOWAIT);
    if (found != 0 && errno == ECHILD) {
        pid_ = -1;
        return -1;
    }
    if (found != 0 || facts.si_pid != pid_) {
        return std::nullopt;
    }
    kill();  // the group first: until its leader is reaped, its id cannot be reused
    const int status = waitFor(std::exchange(pid_, -1));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Process::interrupt() {
    if (pid_ > 0) {
        ::kill(pid_, SIGINT);
    }
}

void Process::kill() {
    if (pid_ > 0) {
        ::kill(-pid_, SIGKILL);
    }
}

void Process::release() {
    // Reaped if it has ended already; otherwise init reaps it once this program has ended.
    if (pid_ > 0) {
        ::waitpid(std::exchange(pid_, -1), nullptr, WNOHANG);
    }
}

Result<int> Process::follow(int output, const Take& take, const Look& look) {
    using Clock = std::chrono::steady_clock;
    auto lastSign = Clock::now();
    std::array<char, 65536> buffer;
    for (;;) {
        HIGHWATER_TRY(look(Clock::now() - lastSign));
        pollfd waiting{output, POLLIN, 0};
        if (::poll(&waiting, 1, kLookMillis) <= 0) {
            continue;
        }
        const ssize_t n = ::read(output, buffer.data(), buffer.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        lastSign = Clock::now();
        HIGHWATER_TRY(take({buffer.data(), static_cast<std::size_t>(n)}));
    }
    // The output is closed: the program usually ends right after that.
    for (lastSign = Clock::now();;) {
        if (const auto code = ended()) {
            return *code;
        }
        HIGHWATER_TRY(look(Clock::now() - lastSign));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace highwater::base
