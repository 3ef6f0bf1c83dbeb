#include "core/pretend/asker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/pretend/abi/dnn.h"
#include "core/pretend/report.h"
#include "core/pretend/runtime.h"
#include "core/pretend/settings.h"

namespace highwater::pretend {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostStarts = 4;
constexpr std::uint64_t kLoading = 4;  // multiple of the patience for the first answer, which includes
                                       // loading cuDNN
constexpr std::size_t kLongestLine = 1 << 20;

struct Asker {
    std::mutex mutex;
    int socket = -1;  // to the program's stdin and from its stdout
    pid_t child = 0;
    int starts = 0;
    std::uint64_t patience = 0;  // seconds, for the next answer
    bool silent = false;         // it did not answer in time: do not ask again
    std::string read;            // data read after the last line
};

// The asker of this process. A child creates a new one: the socket belongs to its parent.
std::atomic<Asker*> theAsker{nullptr};

void forgetInChild() {
    if (Asker* const parents = theAsker.exchange(nullptr); parents && parents->socket >= 0) {
        close(parents->socket);
    }
}

Asker& asker() {
    static const int registered = pthread_atfork(nullptr, nullptr, forgetInChild);
    static_cast<void>(registered);
    Asker* existing = theAsker;
    if (!existing) {
        auto* const made = new Asker;
        if (theAsker.compare_exchange_strong(existing, made)) {
            return *made;
        }
        delete made;
    }
    return *existing;
}

// The folder of the real libcudnn.so.9 that this process loaded, or the one in the settings.
std::string cudnnFolder() {
    Dl_info info{};
    void* const real = realAddress("cudnnGetVersion");
    if (!settings().cudnnFolder.empty() || !real || dladdr(real, &info) == 0 || !info.dli_fname) {
        return settings().cudnnFolder;
    }
    std::error_code failed;
    const auto file = std::filesystem::absolute(info.dli_fname, failed);
    return failed ? "" : file.parent_path().string();
}

std::vector<char*> environmentOfChild() {
    std::vector<char*> kept;
    for (char** at = environ; *at; ++at) {
        const std::string_view each = *at;
        if (!each.starts_with("LD_PRELOAD=") && !each.starts_with("HIGHWATER_PRETEND_")) {
            kept.push_back(*at);
        }
    }
    kept.push_back(nullptr);
    return kept;
}

void end(Asker& a) {
    if (a.socket >= 0) {
        close(a.socket);
        a.socket = -1;
    }
    if (a.child > 0) {
        kill(a.child, SIGKILL);
        waitpid(a.child, nullptr, 0);
        a.child = 0;
    }
    a.read.clear();
}

bool start(Asker& a) {
    ++a.starts;
    a.patience = kLoading * settings().patience;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return false;
    }
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    std::vector<std::string> words{settings().asked,
                                   "--run",
                                   settings().gpu.id,
                                   "--version",
                                   std::to_string(cudnnGetVersion()),
                                   "--cuda",
                                   std::to_string(runtime / 1000)};
    if (const std::string folder = cudnnFolder(); !folder.empty()) {
        words.insert(words.end(), {"--cudnn", folder});
    }
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // An interrupt from the script's terminal is for the script: this process must not get it, and ends with
    // the script.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int failed = posix_spawn(&a.child, settings().asked.c_str(), &files, &attributes, arguments.data(),
                                   environmentOfChild().data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    a.socket = ends[0];
    if (failed) {
        a.child = 0;
        end(a);
        sayOnce("HIGHWATER_PRETEND_ASK=" + settings().asked + " cannot be started (" + std::strerror(failed) +
                "): cuDNN's workspaces are guessed");
        a.starts = kMostStarts;
    }
    return !failed;
}

bool send(Asker& a, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::send(a.socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return true;
}

// The next line; false at end of file, or if no line arrives before `deadline`.
bool receive(Asker& a, Clock::time_point deadline, std::string& line) {
    std::size_t length = a.read.find('\n');
    while (length == std::string::npos) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd one{a.socket, POLLIN, 0};
        const int ready = left > 0 ? poll(&one, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            a.silent = true;
            return false;
        }
        char part[4096];
        const ssize_t bytes = recv(a.socket, part, sizeof part, 0);
        if (bytes < 0 && errno == EINTR) {
            continue;
        }
        if (bytes <= 0 || a.read.size() > kLongestLine) {
            return false;
        }
        a.read.append(part, static_cast<std::size_t>(bytes));
        length = a.read.find('\n');
    }
    line = a.read.substr(0, length);
    a.read.erase(0, length + 1);
    return true;
}

// An answer may be preceded by lines "say WORDS".
bool answered(Asker& a, const std::string& question, std::string& line) {
    constexpr std::string_view kSay = "say ";
    const auto deadline = Clock::now() + std::chrono::seconds(a.patience);
    if (!send(a, question + "\n")) {
        return false;
    }
    while (receive(a, deadline, line)) {
        if (!line.starts_with(kSay)) {
            a.patience = settings().patience;
            return true;
        }
        sayOnce(line.substr(kSay.size()));
    }
    return false;
}

}  // namespace

std::string askCudnn(const std::string& question) {
    if (question.empty()) {
        return "";
    }
    Asker& a = asker();
    const std::lock_guard lock(a.mutex);
    if (a.socket < 0) {
        reportCudnn(cudnnGetVersion());
        if (a.silent || a.starts >= kMostStarts || !start(a)) {
            return "";
        }
    }
    std::string answer;
    if (!answered(a, question, answer)) {
        end(a);
        sayOnce(a.silent ? "highwater-cudnn did not answer for " + std::to_string(a.patience) +
                               " s: cuDNN's workspaces are guessed"
                         : "highwater-cudnn died: the workspace of " + question + " is guessed");
        return "";
    }
    return answer;
}

}  // namespace highwater::pretend
