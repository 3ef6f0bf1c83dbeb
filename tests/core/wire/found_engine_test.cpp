#include "core/wire/found_engine.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/base/process.h"
#include "tests/core/temporary_folder.h"
#include "tests/core/waiting_process.h"

namespace highwater::wire {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kPatience = 30s;
constexpr std::size_t kMostPerTurn = 256 << 10;

/// An engine that writes its events into the run's folder itself, and is found through it.
class FoundEngineTest : public ::testing::Test {
protected:
    void begin(const std::string& behave) {
        folder_.write("behave", behave);
        const base::Descriptor events(open("events.jsonl")), errors(open("stderr.txt"));
        base::Launch launch;
        launch.program = HIGHWATER_FAKE_ENGINE;
        launch.arguments = {"--run", folder_.path().string()};
        launch.output = events.get();
        launch.errors = errors.get();
        auto started = base::Process::start(launch);
        ASSERT_TRUE(started.ok()) << started.error().message;
        process_ = std::move(*started);
    }
    int open(const char* file) const {
        return ::open((folder_.path() / file).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
    std::unique_ptr<FoundEngine> found() {
        auto engine = FoundEngine::open(folder_.path(), base::identityOf(process_.pid()));
        EXPECT_TRUE(engine.ok()) << engine.error().message;
        return std::move(*engine);
    }
    bool appears(const std::string& file) const {
        return reached([&] { return std::filesystem::exists(folder_.path() / file); });
    }
    static bool reached(const std::function<bool()>& met) {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!met()) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            std::this_thread::sleep_for(1ms);
        }
        return true;
    }
    /// The messages of its warnings until its end.
    static std::vector<std::string> toEnd(FoundEngine& engine) {
        std::vector<std::string> all;
        EXPECT_TRUE(reached([&] {
            append(all, engine.read());
            return engine.finished();
        }));
        return all;
    }
    static void append(std::vector<std::string>& all, const std::vector<Event>& events) {
        for (const Event& event : events) {
            all.push_back(std::get<Warning>(event).message);
        }
    }
    highwater::test::TemporaryFolder folder_;
    base::Process process_;
};

std::string line(const std::string& message) {
    return R"({"event":"warning","message":")" + message + "\"}";
}

TEST_F(FoundEngineTest, SaysWhatWasSaidBeforeItWasFoundAndAfter) {
    begin("print " + line("before") + "\nmark ready\nhang\nprint " + line("after") + "\nexit 0\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    EXPECT_TRUE(engine->behind());
    std::vector<std::string> first;
    append(first, engine->read());
    EXPECT_EQ(first, std::vector<std::string>{"before"});
    EXPECT_FALSE(engine->behind());
    EXPECT_FALSE(engine->finished());
    EXPECT_TRUE(engine->read().empty()) << "nothing is said twice";
    engine->cancel();
    EXPECT_EQ(toEnd(*engine), std::vector<std::string>{"after"});
    EXPECT_TRUE(engine->read().empty());
}

TEST_F(FoundEngineTest, ALongFileIsReadInManyTurns) {
    begin("flood 40000\nmark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    // The engine buffers its last output until it exits: it has not been flushed.
    std::size_t bytes = 0, turns = 0, events = 0;
    do {
        std::size_t turn = 0;
        for (const Event& event : engine->read()) {
            turn += toLine(event).size();
            ++events;
        }
        EXPECT_LE(turn, kMostPerTurn + 100) << "the rest of one line was there before";
        bytes += turn;
        ++turns;
    } while (engine->behind());
    EXPECT_GE(turns, bytes / kMostPerTurn);
    EXPECT_GT(turns, 3U);
    EXPECT_FALSE(engine->finished());
    engine->cancel();
    EXPECT_EQ(events + toEnd(*engine).size(), 40000U);
}

TEST_F(FoundEngineTest, ItsFileMayComeLater) {
    highwater::test::WaitingProcess process;
    auto engine = FoundEngine::open(folder_.path(), process.identity());
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    EXPECT_TRUE((*engine)->read().empty());
    EXPECT_FALSE((*engine)->behind());
    EXPECT_FALSE((*engine)->finished());
    folder_.write("events.jsonl", line("late") + "\n" + line("torn"));
    std::vector<std::string> said;
    append(said, (*engine)->read());
    EXPECT_EQ(said, std::vector<std::string>{"late"});
    process.end();
    EXPECT_EQ(toEnd(**engine), std::vector<std::string>{"torn"}) << "its last line needs no newline";
}

TEST_F(FoundEngineTest, WhatIsNoEventIsOneWarning) {
    begin("print hello\nprint x\nprint " + line("real") + "\nmark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    engine->cancel();
    const auto said = toEnd(*engine);
    ASSERT_EQ(said.size(), 3U);
    EXPECT_THAT(said[0], HasSubstr("an invalid event: hello"));
    EXPECT_EQ(said[1], "real");
    EXPECT_EQ(said[2], "the engine wrote 1 more lines that are not events");
}

TEST_F(FoundEngineTest, StopsWhenAsked) {
    begin("mark ready\nhang\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    engine->cancel();
    EXPECT_TRUE(toEnd(*engine).empty());
    EXPECT_EQ(engine->exitCode(), 128 + SIGINT);
    EXPECT_EQ(process_.ended(), 130);
    engine->cancel();  // it is gone: does nothing
    engine->kill();
    EXPECT_EQ(engine->exitCode(), 128 + SIGINT);
}

TEST_F(FoundEngineTest, IsKilledIfItDoesNotListen) {
    begin("error it hurts\nmark ready\nstubborn\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    engine->cancel();
    EXPECT_TRUE(engine->read().empty());
    EXPECT_FALSE(engine->finished());
    engine->kill();
    toEnd(*engine);
    EXPECT_EQ(engine->exitCode(), 128 + SIGKILL);
    EXPECT_EQ(engine->errorText(), "it hurts\n");
}

TEST_F(FoundEngineTest, HowItEndedByItselfIsUnknown) {
    begin("mark ready\nerror it hurts\nhang\nexit 7\n");
    ASSERT_TRUE(appears("ready"));
    auto engine = found();
    process_.interrupt();
    toEnd(*engine);
    EXPECT_EQ(engine->exitCode(), -1);
    EXPECT_EQ(engine->errorText(), "it hurts\n");
}

TEST_F(FoundEngineTest, WhatItWritesOnStderrIsBounded) {
    highwater::test::WaitingProcess process;
    folder_.write("stderr.txt", std::string((4 << 20) + 1, 'x'));
    auto engine = FoundEngine::open(folder_.path(), process.identity());
    ASSERT_TRUE(engine.ok());
    (*engine)->read();
    EXPECT_EQ(std::filesystem::file_size(folder_.path() / "stderr.txt"), 0U);
}

TEST_F(FoundEngineTest, AnotherProcessWithItsNumberIsLeftAlone) {
    const highwater::test::WaitingProcess process;
    const auto engine = FoundEngine::open(folder_.path(), process.reused());
    ASSERT_FALSE(engine.ok());
    EXPECT_THAT(engine.error().message, EndsWith(" has ended"));
    EXPECT_TRUE(process.alive());
}

TEST_F(FoundEngineTest, LettingItGoStopsNothing) {
    highwater::test::WaitingProcess process;
    (void)FoundEngine::open(folder_.path(), process.identity()).ok();
    EXPECT_TRUE(process.alive());
}

}  // namespace
}  // namespace highwater::wire
