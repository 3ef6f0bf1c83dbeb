#include "app/cli/engine_call.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/paths.h"

namespace highwater::cli {

namespace {

constexpr int kWaitMs = 200;

/// Starts the process; -1, with a message on stderr, if that fails.
pid_t start(const std::string& program, const std::vector<std::string>& arguments, int output) {
    std::vector<std::string> words = arguments;
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) {
        return pid;
    }
    complain(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
    return -1;
}

/// Reads to the end. Passes interrupts on: the first as SIGINT, the next as SIGKILL.
std::string readAll(int fd, pid_t pid) {
    std::string text;
    char buffer[4096];
    for (int told = 0;;) {
        pollfd ready{fd, POLLIN, 0};
        const int n = ::poll(&ready, 1, kWaitMs);
        if (interrupts() > told) {
            told = interrupts();
            ::kill(pid, told == 1 ? SIGINT : SIGKILL);
        }
        if (n <= 0) {
            continue;
        }
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return text;
        }
        text.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
}

}  // namespace

EngineAnswer callEngine(const std::vector<std::string>& arguments) {
    const std::string program = base::siblingProgram("highwater-engine").string();
    if (program.empty()) {
        return {complain("highwater-engine is not installed: nothing can be measured", kEngineFailed), {}};
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return {complain(std::strerror(errno), kEngineFailed), {}};
    }
    const pid_t pid = start(program, arguments, ends[1]);
    ::close(ends[1]);
    EngineAnswer answer{kEngineFailed, {}};
    if (pid > 0) {
        answer.output = readAll(ends[0], pid);
        int status = 0;
        while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFEXITED(status)) {
            answer.exitCode = WEXITSTATUS(status);
        } else if (interrupts() > 1) {
            answer.exitCode = kInterrupted;
        } else {
            complain(fmt::format("the engine was ended by signal {}", WTERMSIG(status)));
        }
    }
    ::close(ends[0]);
    return answer;
}

}  // namespace highwater::cli
