#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/e2e/disk_fixture.h"

namespace highwater::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kShortMs = 400, kLongMs = 60'000;

/// A store of runs on a file server that does not respond for a while.
class StalledStore : public DiskTest {
protected:
    void SetUp() override {
        DiskTest::SetUp();
        std::filesystem::create_directories(disk());
    }
    std::vector<std::string> here(std::vector<std::string> command) const {
        command.insert(command.end(), {"--store", disk().string()});
        return command;
    }
    /// A program whose read or write is blocked.
    std::unique_ptr<Program> waiting(const std::vector<std::string>& command, const Full& full) const {
        auto program = start(command, full);
        EXPECT_TRUE(eventually([&] { return !failed().empty(); }));
        return program;
    }
    static void interrupt(const Program& program) {
        program.signal(SIGINT);
        std::this_thread::sleep_for(milliseconds(150));  // a signal that is already pending is not counted
    }
};

TEST_F(StalledStore, IsWaitedForAndNothingIsMissing) {
    const std::string small = experiment();
    for (const auto& [file, at] : {std::pair(".new-", 2), {"events.jsonl", 5}, {"index.db", 4}}) {
        SCOPED_TRACE(file);
        const auto begin = steady_clock::now();
        const Trial done = trial(here({"run", small, "--steps", "2", "--json"}),
                                 {.at = at, .stallMs = kShortMs, .only = file});
        EXPECT_NE(done.failed, "");
        EXPECT_GE(steady_clock::now() - begin, milliseconds(kShortMs));
        EXPECT_EQ(done.finished.exit, 0) << done.finished.err;
        EXPECT_EQ(done.finished.err, "");
        EXPECT_EQ(parse(done.finished.out)["losses"].size(), 5U);  // 3 are warm-up steps
    }
    const Trial listed =
        trial(here({"runs", "list", "--json"}), {.at = 1, .stallMs = kShortMs, .only = "index.db"});
    EXPECT_EQ(listed.finished.exit, 0) << listed.finished.err;
    EXPECT_EQ(parse(listed.finished.out)["runs"].size(), 3U);
}

TEST_F(StalledStore, ARunIsCancelledWhileItWaits) {
    const std::vector<std::string> run = here(longRun(longExperiment()));
    for (const bool atOnce : {false, true}) {
        SCOPED_TRACE(atOnce ? "two interrupts" : "one interrupt");
        const auto program =
            waiting(run, {.at = 30, .stallMs = atOnce ? kLongMs : 3 * kShortMs, .only = "events.jsonl"});
        const auto begin = steady_clock::now();
        interrupt(*program);
        if (atOnce) {
            interrupt(*program);
        }
        EXPECT_EQ(program->wait().exit, 130);
        EXPECT_LT(steady_clock::now() - begin, seconds(20));
        EXPECT_EQ(runsThere().back()["status"], "cancelled");
    }
}

/// Another program has locked it and is stopped: existing runs are listed, and waiting operations say so.
TEST_F(StalledStore, ALockedStoreIsListedAndWaitedFor) {
    ASSERT_EQ(cli({"run", experiment(), "--steps", "1"}).exit, 0);
    const int lock = ::open((store() / "lock").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(lock, LOCK_EX), 0);
    EXPECT_EQ(runs().size(), 1U);
    Program label("highwater-cli", withStore({"runs", "label", "1", "--name", "later"}), folder_.path());
    EXPECT_TRUE(
        eventually([&] { return label.err().find("waiting for another program") != std::string::npos; }));
    ::close(lock);
    EXPECT_EQ(label.wait().exit, 0);
    EXPECT_EQ(runs().back()["name"], "later");
}

/// The command line itself waits, in a call that an interrupt does not end.
TEST_F(StalledStore, TheThirdInterruptEndsTheCommandLine) {
    const auto program = waiting(here({"run", experiment()}), {.at = 1, .stallMs = kLongMs, .only = ".new-"});
    const auto begin = steady_clock::now();
    for (int i = 0; i < 3; ++i) {
        interrupt(*program);
    }
    EXPECT_EQ(program->wait().exit, 128 + SIGINT);
    EXPECT_LT(steady_clock::now() - begin, seconds(20));
    EXPECT_EQ(runsThere(), Json::array());
}

/// The window continues to paint while its reads or writes in the store wait.
class StalledWindow : public StalledStore {
protected:
    void SetUp() override {
        StalledStore::SetUp();
        if (!std::filesystem::exists(programPath("highwater"))) {
            GTEST_SKIP() << "highwater is not built";
        }
        setenv("QT_QPA_PLATFORM", "offscreen", 1);
        setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
    }
    std::string stalls() const { return (folder_.path() / "stalls.json").string(); }
};

TEST_F(StalledWindow, GoesOnWhileItReadsWhatTheEngineSaid) {
    const Trial done =
        trial(here({experiment(), "--run", "--steps", "5", "--stalls", stalls(), "--quit"}),
              {.at = 2, .stallMs = 4 * kShortMs, .only = "stderr.txt", .program = "highwater"});
    EXPECT_NE(done.failed, "");
    EXPECT_EQ(done.finished.exit, 0) << done.finished.err;
    EXPECT_LT(parse(textOf(stalls()))["max_ms"], 2 * kShortMs);
    EXPECT_EQ(runsThere().back()["status"], "done");
}

TEST_F(StalledWindow, GoesOnWhileItsSessionIsWritten) {
    const auto window =
        start(here({experiment(), "--stalls", stalls()}),
              {.at = 2, .stallMs = 4 * kShortMs, .only = "session.json", .program = "highwater"});
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(disk() / "desktop" / "session.json"); }));
    EXPECT_NE(failed(), "");
    window->signal(SIGTERM);
    const Finished done = window->wait();
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_LT(parse(textOf(stalls()))["max_ms"], 2 * kShortMs);
}

}  // namespace
}  // namespace highwater::e2e
