#include "core/base/process.h"
#include "tests/core/temporary_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace highwater::base {
namespace {

using ::testing::ElementsAre;
using Clock = std::chrono::steady_clock;

/// A shell that runs `script`.
Launch shell(const std::string& script) {
    Launch launch;
    launch.program = "/bin/sh";
    launch.arguments = {"-c", script};
    return launch;
}

struct Followed {
    Result<int> code;
    std::string output;
};

/// Follows it to its end; gives up after `patience` without output.
Followed follow(Launch launch, Clock::duration patience = std::chrono::seconds(20)) {
    auto pipe = openPipe();
    launch.output = pipe->write.get();
    auto process = Process::start(launch);
    if (!process) {
        return {process.error(), {}};
    }
    pipe->write = Descriptor();
    std::string output;
    auto code = process->follow(
        pipe->read.get(),
        [&](std::string_view text) {
            output += text;
            return Status();
        },
        [&](Clock::duration silence) { return silence > patience ? Status(Error{"silent"}) : Status(); });
    return {std::move(code), std::move(output)};
}

/// Endless output on stderr is discarded, except for the last lines.
TEST(Process, ErrorsWithoutEndAreBounded) {
    const Descriptor errors(::memfd_create("errors", MFD_CLOEXEC));
    Launch launch = shell("head -c 20000000 /dev/zero >&2; echo; read go; echo last words >&2");
    auto pipe = openPipe(), go = openPipe();
    launch.errors = errors.get();
    launch.input = go->read.get();
    launch.output = pipe->write.get();
    auto process = Process::start(launch);
    ASSERT_TRUE(process) << process.error().message;
    pipe->write = Descriptor();
    off_t before = 0;
    const auto code = process->follow(
        pipe->read.get(),
        [&](std::string_view) {
            before = ::lseek(errors.get(), 0, SEEK_END);
            boundErrors(errors.get());
            return ::write(go->write.get(), "\n", 1) == 1 ? Status() : Status(Error{"closed"});
        },
        [](Clock::duration) { return Status(); });
    EXPECT_EQ(*code, 0);
    EXPECT_EQ(before, 20'000'000);
    EXPECT_EQ(::lseek(errors.get(), 0, SEEK_END), 11);
    EXPECT_EQ(lastLine(errors.get(), "sh"), "last words");
}

bool exists(int pid) {
    return ::kill(pid, 0) == 0 || errno != ESRCH;
}

/// Whether it has ended: it is gone, or waits for init to reap it. Returns false if it still runs after some
/// seconds.
bool ends(int pid) {
    for (int i = 0; i < 500; ++i) {
        const Descriptor file(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY));
        char text[64]{};
        if (::read(file.get(), text, sizeof text - 1) <= 0 ||
            std::string(text).find(") Z") != std::string::npos) {
            return true;
        }
        ::usleep(10000);
    }
    return false;
}

TEST(Process, OutputArrivesAndTheExitCode) {
    const auto [code, output] = follow(shell("echo one; echo two; exit 7"));
    ASSERT_TRUE(code.ok()) << code.error().message;
    EXPECT_EQ(*code, 7);
    EXPECT_EQ(output, "one\ntwo\n");
}

TEST(Process, ReadsItsInputFromAFile) {
    const Descriptor file(::memfd_create("input", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), "one\ntwo\n", 8), 8);
    ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
    Launch launch = shell("wc -l");
    launch.input = file.get();
    EXPECT_EQ(follow(std::move(launch)).output, "2\n");
    EXPECT_EQ(follow(shell("wc -c")).output, "0\n") << "without one there is nothing to read";
}

TEST(Process, TheLastLineIsWithoutTheProgramsName) {
    const Descriptor file(::memfd_create("errors", MFD_CLOEXEC));
    EXPECT_EQ(lastLine(file.get(), "prog"), "");
    const std::string text = "first\nprog: it did not work\n\n";
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(lastLine(file.get(), "prog"), "it did not work");
    EXPECT_EQ(lastLine(file.get(), "other"), "prog: it did not work");
}

TEST(Process, ArgumentsAreNotReadByAShell) {
    Launch launch;
    launch.program = "/bin/echo";
    launch.arguments = {"$HOME", "a b", "; exit 3", ""};
    const auto [code, output] = follow(launch);
    ASSERT_TRUE(code.ok());
    EXPECT_EQ(*code, 0);
    EXPECT_EQ(output, "$HOME a b ; exit 3 \n");
}

TEST(Process, ASignalIs128AndItsNumber) {
    const auto [code, output] = follow(shell("kill -SEGV $$"));
    ASSERT_TRUE(code.ok());
    EXPECT_EQ(*code, 128 + SIGSEGV);
}

TEST(Process, AProgramThatIsNotThereIsNamed) {
    Launch launch;
    launch.program = test::nowhere();
    const auto process = Process::start(launch);
    ASSERT_FALSE(process.ok());
    EXPECT_EQ(process.error().message, test::nowhere() + " cannot be started: No such file or directory");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST(Process, AnErrorOfTheWatcherEndsTheWaitingAndTheProgram) {
    for (const char* script : {"echo $$; sleep 1000", "echo $$; exec >&-; sleep 1000"}) {
        const auto [code, output] = follow(shell(script), std::chrono::milliseconds(200));
        ASSERT_FALSE(code.ok()) << script;
        EXPECT_EQ(code.error().message, "silent");
        EXPECT_TRUE(ends(std::stoi(output))) << script;
    }
}

TEST(Process, WhatItStartedGoesWithIt) {
    const auto [code, output] = follow(shell("sleep 1000 >&- & echo $!"));
    ASSERT_TRUE(code.ok());
    EXPECT_TRUE(ends(std::stoi(output)));
}

TEST(Process, DestroyingItKillsAndReaps) {
    int pid = 0;
    {
        auto process = Process::start(shell("sleep 1000"));
        ASSERT_TRUE(process.ok());
        pid = process->pid();
        Process moved = std::move(*process);
        EXPECT_EQ(process->pid(), -1);
        EXPECT_FALSE(moved.ended());
    }
    EXPECT_FALSE(exists(pid));
}

TEST(Process, ReleasedItGoesOn) {
    int pid = 0;
    {
        auto process = Process::start(shell("sleep 1000"));
        ASSERT_TRUE(process.ok());
        pid = process->pid();
        process->release();
        EXPECT_EQ(process->pid(), -1);
    }
    EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "it still runs";
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
}

TEST(Process, AnInterruptReachesIt) {
    auto process = Process::start(shell("trap 'exit 5' INT; while :; do sleep 0.01; done"));
    ASSERT_TRUE(process.ok());
    std::optional<int> code;
    // Repeated, because the trap may be set late.
    for (int i = 0; i < 2000 && !(code = process->ended()); ++i) {
        process->interrupt();
        ::usleep(10000);
    }
    ASSERT_TRUE(code);
    EXPECT_TRUE(*code == 5 || *code == 128 + SIGINT) << *code;
    EXPECT_EQ(process->pid(), -1);
}

TEST(Process, ItHasTheDescriptorsItIsGivenAndNoOthers) {
    const int stray = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as a library may leave it
    const Descriptor file(::memfd_create("handed", MFD_CLOEXEC));
    const Descriptor kept(::fcntl(file.get(), F_DUPFD_CLOEXEC, 20));
    Launch launch = shell(
        "n=0; while [ $n -lt 200 ]; do [ -e /proc/$$/fd/$n ] && echo $n; n=$((n+1)); done; echo written >&3");
    launch.handed = {file.get(), 3};
    launch.inherited = {kept.get()};
    const auto [code, output] = follow(launch);
    ::close(stray);
    ASSERT_TRUE(code.ok());
    std::istringstream list(output);
    std::vector<int> open;
    for (int fd = 0; list >> fd;) {
        open.push_back(fd);
    }
    EXPECT_THAT(open, ElementsAre(0, 1, 2, 3, kept.get()));
    EXPECT_EQ(readTail(file.get(), 100), "written\n");
}

TEST(Process, LeadsASessionOfItsOwn) {
    const auto [code, output] = follow(shell("cut -d' ' -f1,5,6 /proc/$$/stat"));
    ASSERT_TRUE(code.ok());
    int pid = 0, group = 0, session = 0;
    std::istringstream(output) >> pid >> group >> session;
    EXPECT_GT(pid, 0);
    EXPECT_EQ(group, pid);
    EXPECT_EQ(session, pid);
}

/// The starter is a separate process here, which is killed.
TEST(Process, EndsWithItsStarterIfAsked) {
    auto pipe = openPipe();
    const pid_t starter = ::fork();
    ASSERT_GE(starter, 0);
    if (starter == 0) {
        Launch launch = shell("echo $$; exec sleep 1000");
        launch.output = pipe->write.get();
        launch.endsWithStarter = true;
        auto process = Process::start(launch);
        for (;;) {
            ::pause();
        }
    }
    pipe->write = Descriptor();
    char text[32]{};
    ASSERT_GT(::read(pipe->read.get(), text, sizeof text - 1), 0);
    EXPECT_TRUE(exists(std::stoi(text)));
    ::kill(starter, SIGKILL);
    ::waitpid(starter, nullptr, 0);
    EXPECT_TRUE(ends(std::stoi(text)));
}

/// For another process, it is visible which program it runs.
TEST(Process, ItBeginsWhenItsStarterHasHeardOfIt) {
    std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe"), early;
    Launch launch = shell("exit 3");
    int told = 0;
    launch.beforeItBegins = [&](int pid) {
        told = pid;
        early = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe");
        return Status();
    };
    auto pipe = openPipe();
    launch.output = pipe->write.get();
    auto process = Process::start(launch);
    ASSERT_TRUE(process.ok());
    EXPECT_EQ(process->pid(), told);
    EXPECT_EQ(early, self) << "not yet the program";
    pipe->write = Descriptor();
    char byte = 0;
    EXPECT_EQ(::read(pipe->read.get(), &byte, 1), 0) << "it has run";
    siginfo_t facts{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(told), &facts, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(process->ended(), 3);
}

TEST(Process, ItNeverBeginsIfItsStarterRefuses) {
    auto pipe = openPipe();
    Launch launch = shell("echo begun");
    launch.output = pipe->write.get();
    launch.beforeItBegins = [](int) { return Status(Error{"no room to note it"}); };
    const auto process = Process::start(launch);
    ASSERT_FALSE(process.ok());
    EXPECT_EQ(process.error().message, "no room to note it");
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    pipe->write = Descriptor();
    char byte = 0;
    EXPECT_EQ(::read(pipe->read.get(), &byte, 1), 0) << "nothing was said";
}

/// The starter is a separate process here, which is killed while the program waits.
TEST(Process, ItNeverBeginsIfItsStarterIsGone) {
    auto told = openPipe(), output = openPipe();
    const pid_t starter = ::fork();
    ASSERT_GE(starter, 0);
    if (starter == 0) {
        Launch launch = shell("echo begun");
        launch.output = output->write.get();
        launch.beforeItBegins = [&](int pid) {
            [[maybe_unused]] const auto n = ::write(told->write.get(), &pid, sizeof pid);
            for (;;) {
                ::pause();
            }
            return Status();
        };
        (void)Process::start(launch).ok();
    }
    int pid = 0;
    ASSERT_EQ(::read(told->read.get(), &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    EXPECT_TRUE(exists(pid));
    ::kill(starter, SIGKILL);
    ::waitpid(starter, nullptr, 0);
    EXPECT_TRUE(ends(pid));
    output->write = Descriptor();
    char byte = 0;
    EXPECT_EQ(::read(output->read.get(), &byte, 1), 0) << "nothing was said";
}

TEST(ReadTail, IsTheEndOfAFile) {
    const Descriptor file(::memfd_create("text", MFD_CLOEXEC));
    ASSERT_EQ(::write(file.get(), "0123456789", 10), 10);
    EXPECT_EQ(readTail(file.get(), 4), "6789");
    EXPECT_EQ(readTail(file.get(), 100), "0123456789");
    EXPECT_EQ(readTail(-1, 4), "");
}

}  // namespace
}  // namespace highwater::base
