#include "core/wire/engine_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "core/wire/follower.h"
#include "tests/core/temporary_folder.h"

namespace highwater::wire {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr auto kDeadline = 30s;

class EngineProcessTest : public ::testing::Test {
protected:
    EngineRequest request(const std::string& behave) {
        std::ofstream(folder_.path() / "behave") << behave;
        EngineRequest request;
        request.runFolder = folder_.path();
        request.program = HIGHWATER_FAKE_ENGINE;
        return request;
    }
    EngineProcess start(const std::string& behave) {
        auto process = EngineProcess::start(request(behave));
        EXPECT_TRUE(process) << process.error().message;
        return std::move(*process);
    }
    static std::vector<Event> readToEnd(EngineProcess& process) {
        std::vector<Event> all;
        const auto end = std::chrono::steady_clock::now() + kDeadline;
        while (!process.finished() && std::chrono::steady_clock::now() < end) {
            process.wait(100);
            for (Event& event : process.read()) {
                all.push_back(std::move(event));
            }
        }
        EXPECT_TRUE(process.finished());
        return all;
    }
    static std::string message(const Event& event) { return std::get<Warning>(event).message; }
    bool appears(const std::string& file) const {
        const auto end = std::chrono::steady_clock::now() + kDeadline;
        while (!std::filesystem::exists(folder_.path() / file)) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            std::this_thread::sleep_for(5ms);
        }
        return true;
    }
    std::string text(const std::string& file) const {
        const auto read = base::readFile(folder_.path() / file);
        return read ? *read : read.error().message;
    }
    highwater::test::TemporaryFolder folder_;
};

TEST_F(EngineProcessTest, HandsOverEventsInOrderAndTheExitCode) {
    auto process = start(
        "print {\"event\":\"warning\",\"message\":\"one\"}\n"
        "raw {\"event\":\"warning\",\nsleep 30\nprint \"message\":\"two\"}\nexit 4\n");
    const auto events = readToEnd(process);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(message(events[0]), "one");
    EXPECT_EQ(message(events[1]), "two");
    EXPECT_EQ(process.exitCode(), 4);
    EXPECT_EQ(process.fd(), -1);
}

TEST_F(EngineProcessTest, PassesTheRequestOn) {
    auto asked = request("");
    asked.device = "cuda:1";
    asked.steps = 7;
    asked.warmup = 2;
    asked.budget = 12345678901;
    asked.trace = false;
    auto process = EngineProcess::start(asked);
    ASSERT_TRUE(process) << process.error().message;
    readToEnd(*process);
    EXPECT_EQ(text("arguments"), "--run " + folder_.path().string() +
                                     " --device cuda:1 --steps 7 --warmup 2 --budget 12345678901 --no-trace");
}

TEST_F(EngineProcessTest, InheritsItsVolumesAndNothingElse) {
    const int stray = ::open("/dev/null", O_RDONLY);  // not CLOEXEC, as a library might leave it
    const int volume = ::memfd_create("volume", MFD_CLOEXEC);
    auto asked = request("fds\n");
    asked.volumeFds = {volume, 0};
    auto process = EngineProcess::start(asked);
    ::close(stray);
    ::close(volume);
    ASSERT_TRUE(process) << process.error().message;
    const auto events = readToEnd(*process);
    ASSERT_EQ(events.size(), 1U);
    int a = 0, b = 0;
    const std::string arguments = text("arguments");
    ASSERT_EQ(std::sscanf(arguments.c_str() + arguments.find("--volume"), "--volume %d --volume %d", &a, &b),
              2);
    std::vector<int> open;
    std::istringstream list(message(events[0]));
    for (int fd = 0; list >> fd;) {
        open.push_back(fd);
    }
    EXPECT_THAT(open, ::testing::IsSupersetOf({0, 1, 2, a, b}));
    EXPECT_EQ(open.size(), 6U) << message(events[0]);  // the sixth is its own file of commands
    EXPECT_GT(a, 2);
    EXPECT_GT(b, 2);
}

TEST_F(EngineProcessTest, ADescriptorThatIsNotOpenIsRefused) {
    auto asked = request("");
    asked.volumeFds = {9999};
    const auto process = EngineProcess::start(asked);
    ASSERT_FALSE(process);
    EXPECT_THAT(process.error().message, HasSubstr("volume 1"));
}

TEST_F(EngineProcessTest, AProgramThatCannotRunIsAnError) {
    auto asked = request("");
    asked.program = folder_.path() / "behave";
    const auto process = EngineProcess::start(asked);
    ASSERT_FALSE(process);
    EXPECT_THAT(process.error().message, HasSubstr("behave cannot be started: Permission denied"));
}

TEST_F(EngineProcessTest, WhatIsNoEventIsOneWarning) {
    auto process =
        start("print hello\nprint {\"event\":\"warning\",\"message\":\"real\"}\nprint x\nprint y\nexit 0\n");
    std::string all;
    int real = 0;
    for (const Event& event : readToEnd(process)) {
        all += message(event) + "\n";
        real += message(event) == "real" ? 1 : 0;
    }
    EXPECT_EQ(real, 1);
    EXPECT_THAT(all, HasSubstr("an invalid event: hello"));
}

TEST_F(EngineProcessTest, TheLastLineNeedsNoNewline) {
    auto process = start("raw {\"event\":\"warning\",\"message\":\"last\"}\nexit 0\n");
    const auto events = readToEnd(process);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(message(events[0]), "last");
}

TEST_F(EngineProcessTest, AFloodArrivesWhole) {
    auto process = start("flood 200000\nexit 0\n");
    const auto events = readToEnd(process);
    ASSERT_EQ(events.size(), 200000U);
    EXPECT_EQ(message(events.front()), "200000");
    EXPECT_EQ(message(events.back()), "1");
}

TEST_F(EngineProcessTest, ALineTooLongToBeAnEventIsSkipped) {
    auto process = start("long 70000000\nprint {\"event\":\"warning\",\"message\":\"after\"}\nexit 0\n");
    const auto events = readToEnd(process);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(message(events.front()), "the engine wrote a line that is too long to be an event");
    EXPECT_EQ(message(events.back()), "after");
}

TEST_F(EngineProcessTest, DeathBySignalIsSeen) {
    auto process = start("error it hurts\nsignal 9\n");
    readToEnd(process);
    EXPECT_EQ(process.exitCode(), 128 + SIGKILL);
    EXPECT_EQ(process.errorText(), "it hurts\n");
    EXPECT_EQ(text("stderr.txt"), "it hurts\n");
}

TEST_F(EngineProcessTest, ErrorTextKeepsTheEnd) {
    std::string behave;
    for (int i = 0; i < 2000; ++i) {
        behave += "error line " + std::to_string(i) + "\n";
    }
    auto process = start(behave + "exit 1\n");
    readToEnd(process);
    EXPECT_LE(process.errorText().size(), 4096U);
    EXPECT_THAT(process.errorText(), EndsWith("line 1999\n"));
}

TEST_F(EngineProcessTest, CancelInterrupts) {
    auto process = start("mark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    EXPECT_FALSE(process.finished());
    process.cancel();
    readToEnd(process);
    EXPECT_EQ(process.exitCode(), 130);
    process.cancel();  // the process is gone: does nothing
    process.kill();
}

TEST_F(EngineProcessTest, KillEndsWhatDoesNotListen) {
    auto process = start("mark ready\nstubborn\n");
    ASSERT_TRUE(appears("ready"));
    process.cancel();
    process.wait(50);
    EXPECT_FALSE(process.finished());
    process.kill();
    readToEnd(process);
    EXPECT_EQ(process.exitCode(), 128 + SIGKILL);
}

TEST_F(EngineProcessTest, ClosedOutputIsNotTheEnd) {
    auto process = start("close\nmark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    process.wait(1000);
    EXPECT_TRUE(process.read().empty());
    EXPECT_EQ(process.fd(), -1);
    EXPECT_FALSE(process.finished());
    process.wait(20);
    EXPECT_FALSE(process.finished());
    process.cancel();
    readToEnd(process);
    EXPECT_EQ(process.exitCode(), 130);
}

TEST_F(EngineProcessTest, WaitGivesUpAfterItsTime) {
    auto process = start("mark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    process.wait(1);
    EXPECT_TRUE(process.read().empty());
    process.kill();
    readToEnd(process);
}

TEST_F(EngineProcessTest, HasASessionOfItsOwn) {
    auto process = start("mark session\nexit 0\n");
    readToEnd(process);
    int pid = 0, session = 0;
    std::ifstream(folder_.path() / "session") >> pid >> session;
    EXPECT_EQ(pid, process.pid());
    EXPECT_EQ(session, pid);
}

TEST_F(EngineProcessTest, ItsFollowerIsNotedBeforeItBegins) {
    auto process = start("mark ready\nhang\n");
    const auto follower = readFollower(folder_.path());
    ASSERT_TRUE(follower && *follower);
    EXPECT_EQ((*follower)->follower, base::thisProcess());
    EXPECT_EQ((*follower)->engine.pid, process.pid());
    EXPECT_EQ((*follower)->engine, base::identityOf(process.pid()));
    EXPECT_EQ(base::lifeOf((*follower)->engine), base::Life::Alive);
    process.kill();
    readToEnd(process);
    EXPECT_EQ(base::lifeOf((*follower)->engine), base::Life::Gone);
}

TEST_F(EngineProcessTest, ItDoesNotBeginIfItsFollowerCannotBeNoted) {
    std::filesystem::create_directories(folder_.path() / "follower.json" / "in the way");
    const auto process = EngineProcess::start(request("mark begun\n"));
    ASSERT_FALSE(process);
    EXPECT_THAT(process.error().message, HasSubstr("follower.json"));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "begun"));
}

/// The parent is a separate process here, killed while the engine still has much to write.
TEST_F(EngineProcessTest, OutlivesItsParent) {
    const auto asked = request("mark started\nsleep 200\nflood 100000\nmark survived\nexit 0\n");
    const pid_t parent = ::fork();
    ASSERT_GE(parent, 0);
    if (parent == 0) {
        const auto process = EngineProcess::start(asked);
        if (!process) {
            ::_exit(1);
        }
        for (;;) {
            ::pause();
        }
    }
    ASSERT_TRUE(appears("started"));
    ::kill(parent, SIGKILL);
    ::waitpid(parent, nullptr, 0);
    EXPECT_TRUE(appears("survived"));
}

TEST_F(EngineProcessTest, DestroyingTheObjectStopsNothing) {
    {
        const auto process = start("mark started\nsleep 100\nflood 100000\nmark survived\nexit 0\n");
    }
    EXPECT_TRUE(appears("survived"));
}

TEST_F(EngineProcessTest, MovesWithItsProcess) {
    auto first = start("print {\"event\":\"warning\",\"message\":\"m\"}\nexit 0\n");
    EngineProcess second(std::move(first));
    EXPECT_EQ(first.pid(), -1);
    EXPECT_EQ(readToEnd(second).size(), 1U);
    EXPECT_EQ(second.exitCode(), 0);
}

}  // namespace
}  // namespace highwater::wire
