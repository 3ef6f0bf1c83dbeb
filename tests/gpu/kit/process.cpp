#include "tests/gpu/kit/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

pid_t startSelf(const std::vector<std::string>& arguments, int in, int out) {
    std::vector<std::string> words = {"gpu_kit"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (in >= 0) {
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    }
    if (out >= 0) {
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    }
    pid_t process = -1;
    const int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::runtime_error(fmt::format("gpu_kit cannot start itself: {}", std::strerror(error)));
    }
    return process;
}

std::optional<std::string> waitFor(pid_t process, double until) {
    bool killed = false;
    for (int status = 0;;) {
        const pid_t ended = waitpid(process, &status, killed ? 0 : WNOHANG);
        if (ended < 0 && errno != EINTR) {
            return "it is lost";
        }
        if (ended == process) {
            if (killed) {
                return "it did not end in time and was killed";
            }
            if (WIFSIGNALED(status)) {
                return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                                   strsignal(WTERMSIG(status)));
            }
            if (WEXITSTATUS(status) != 0) {
                return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
            }
            return std::nullopt;
        }
        if (secondsNow() > until && !killed) {
            ::kill(process, SIGKILL);
            killed = true;
        }
        if (!killed) {
            ::usleep(20'000);
        }
    }
}

}  // namespace highwater::kit
