#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/capture/capture.h"
#include "tests/core/capture/python.h"
#include "tests/core/temporary_folder.h"

namespace highwater::capture {
namespace {

using memory::Category;
using memory::Phase;
using memory::Trace;
using memory::TraceEvent;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class SnapshotRead : public testing::Test {
protected:
    void SetUp() override {
        if (!test::hasPython()) {
            GTEST_SKIP() << "python3 is not installed";
        }
    }
    nlohmann::json make(const std::string& options) {
        int status = 0;
        const std::string text =
            test::runPython("make_snapshot.py", "'" + file().string() + "' " + options, status);
        EXPECT_EQ(status, 0) << text;
        return status == 0 ? nlohmann::json::parse(text) : nlohmann::json::object();
    }
    std::filesystem::path file() const { return folder_.path() / "snapshot.pickle"; }
    Trace read() {
        auto trace = readSnapshot(file());
        EXPECT_TRUE(trace) << trace.error().message;
        return trace ? *trace : Trace{};
    }
    std::string failure() {
        const auto trace = readSnapshot(file());
        EXPECT_FALSE(trace);
        return trace ? "" : trace.error().message;
    }
    test::TemporaryFolder folder_;
};

void expectMatches(const Trace& trace, const nlohmann::json& expected) {
    EXPECT_EQ(trace.allEvents, expected["events"]);
    EXPECT_EQ(memory::findPeak(trace).ledger.total(), expected["peak"]);
    EXPECT_EQ(trace.before().total(), expected["before"]);
    base::Bytes total = trace.before().total();
    std::int64_t allocations = 0;
    std::vector<bool> lives(trace.blocks.size());
    for (const auto& each : trace.alive) {
        lives[each.block] = true;
    }
    for (const TraceEvent& event : trace.events) {
        const bool born = event.kind == TraceEvent::Kind::Allocate;
        total += born ? trace.blocks[event.block].bytes : -trace.blocks[event.block].bytes;
        allocations += born;
        lives[event.block] = born;
    }
    EXPECT_EQ(total, expected["at_end"]);
    EXPECT_EQ(allocations, expected["allocations"]);
    base::Bytes reserved = 0;
    for (std::size_t i = 0; i < lives.size(); ++i) {
        reserved += lives[i] ? trace.blocks[i].reserved : 0;
    }
    EXPECT_EQ(reserved, expected["reserved_at_end"]);
}

TEST_F(SnapshotRead, EveryProtocolOfPickle) {
    for (const char* protocol : {"0", "1", "2", "3", "4", "5"}) {
        const auto expected = make(std::string("--protocol ") + protocol);
        expectMatches(read(), expected);
        ASSERT_FALSE(HasFailure()) << "protocol " << protocol;
    }
}

TEST_F(SnapshotRead, EveryEraOfPyTorch) {
    for (const std::string version : {"2.0", "2.1", "2.5", "2.6", "2.11"}) {
        for (const char* protocol : {"2", "4"}) {
            const auto expected = make("--version " + version + " --protocol " + protocol);
            const Trace trace = read();
            expectMatches(trace, expected);
            EXPECT_EQ(trace.timed, version != "2.0");  // version 2.0 had no clock
            EXPECT_EQ(trace.steps.size(), version == "2.6" || version == "2.11" ? 1U : 0U);
            EXPECT_EQ(trace.layers.size(), version == "2.11" ? 1U : 0U);
            EXPECT_THAT(trace.labels, Contains("model.py:57 forward"));
            ASSERT_FALSE(HasFailure()) << "PyTorch " << version << " protocol " << protocol;
        }
    }
}

TEST_F(SnapshotRead, CategoriesAndPhasesComeFromTheStackAndTheLife) {
    make("--version 2.5");
    const Trace trace = read();
    std::map<base::Bytes, std::pair<Category, Phase>> born;
    for (const TraceEvent& event : trace.events) {
        if (event.kind == TraceEvent::Kind::Allocate) {
            born[trace.blocks[event.block].bytes] = {event.category, event.phase};
        }
    }
    EXPECT_EQ(born[400], std::pair(Category::Parameters, Phase::Setup));
    EXPECT_EQ(born[1000000], std::pair(Category::Input, Phase::Data));
    EXPECT_EQ(born[300000], std::pair(Category::Activations, Phase::Forward));
    EXPECT_EQ(born[500000], std::pair(Category::Temporaries, Phase::Forward));
    EXPECT_EQ(born[401 + 5], std::pair(Category::Gradients, Phase::Backward));
    EXPECT_EQ(born[700000].first, Category::Temporaries);
    EXPECT_EQ(born[800], std::pair(Category::OptimizerState, Phase::Optimizer));
    EXPECT_EQ(born[5000], std::pair(Category::Temporaries, Phase::Optimizer));
}

TEST_F(SnapshotRead, TimesAreFromTheFirstEventAndStepsFromTheProfiler) {
    make("--version 2.11");
    const Trace trace = read();
    EXPECT_EQ(trace.events[0].time, 0);
    EXPECT_EQ(trace.events[1].time, 7000);
    ASSERT_EQ(trace.steps.size(), 1U);
    EXPECT_EQ(trace.steps[0].index, 3);
    // 50 us after the clock's zero, events every 7 us from 7: the first at or after it is at 56, 49 from the
    // start.
    EXPECT_EQ(trace.events[trace.steps[0].event].time, 49000);
    EXPECT_THAT(trace.layers, ElementsAre("encoder"));
}

TEST_F(SnapshotRead, WhatTheRingBufferLostIsAliveAtTheStart) {
    for (const char* lost : {"1", "5", "12", "40", "77"}) {
        const auto expected = make(std::string("--lost ") + lost);
        const Trace trace = read();
        EXPECT_GT(trace.alive.size(), 0U);
        expectMatches(trace, expected);
        ASSERT_FALSE(HasFailure()) << lost;
    }
}

TEST_F(SnapshotRead, FreesThatWereRequestedCountWhereCompletionsWereNotRecorded) {
    expectMatches(read(), make("--only requested"));
}

TEST_F(SnapshotRead, TheLargestDeviceIsChosen) {
    const auto expected = make("--devices 4");
    expectMatches(read(), expected);
    const auto info = inspectSnapshot(file());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->devices.size(), 4U);
    EXPECT_EQ(info->device, 3);
    EXPECT_EQ(info->events, expected["events"]);
    EXPECT_EQ(info->peak, expected["peak"]);
    EXPECT_EQ(info->skipped, 0);
    EXPECT_EQ(info->fileBytes, static_cast<std::int64_t>(std::filesystem::file_size(file())));
}

TEST_F(SnapshotRead, EventsThatMakeNoSenseAreLeftOutAndCounted) {
    const auto expected = make("--damage nonsense");
    const Trace trace = read();
    expectMatches(trace, expected);
    EXPECT_THAT(trace.labels, Contains("8 events of the capture make no sense and are left out"));
    EXPECT_EQ(inspectSnapshot(file())->skipped, 8);
}

TEST_F(SnapshotRead, AHistoryThatWasNotRecordedIsSaidWithTheRemedy) {
    make("--damage 'no history' --devices 2");
    EXPECT_THAT(failure(), HasSubstr("snapshot.pickle: contains no allocation history of allocations"));
    EXPECT_THAT(failure(), HasSubstr("torch.cuda.memory._record_memory_history()"));
    const auto info = inspectSnapshot(file());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->devices.size(), 2U);
    EXPECT_EQ(info->device, 1) << "it has segments";
    EXPECT_EQ(info->events, 0);
}

TEST_F(SnapshotRead, WhatIsNoSnapshotSaysWhichKeyIsMissing) {
    make("--damage 'without segments'");
    EXPECT_THAT(failure(), HasSubstr("is not a memory snapshot: it has no list \"segments\""));
    make("--damage 'without device_traces'");
    EXPECT_THAT(failure(), HasSubstr("it has no list \"device_traces\""));
    make("--damage list");
    EXPECT_THAT(failure(), HasSubstr("contains no allocation history of allocations"));
}

TEST_F(SnapshotRead, ATruncatedFileIsAnErrorAtEveryLength) {
    make("");
    std::ifstream in(file(), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    ASSERT_TRUE(readSnapshotBytes(whole));
    for (std::size_t length = 0; length < whole.size(); length += length < 300 ? 1 : 97) {
        const auto part = readSnapshotBytes(std::string_view(whole).substr(0, length));
        ASSERT_FALSE(part) << length;
        EXPECT_THAT(part.error().message, testing::AnyOf(HasSubstr("truncated"), HasSubstr("is empty")))
            << length;
    }
}

TEST_F(SnapshotRead, FilesThatAreNone) {
    EXPECT_THAT(failure(), HasSubstr("no such file"));
    std::ofstream(file()) << "";
    EXPECT_THAT(failure(), HasSubstr("the file is empty"));
    std::ofstream(file()) << "\xff";
    EXPECT_THAT(failure(),
                HasSubstr("cannot be read as a pickle: byte 1: this is not a pickle, or it is damaged"));
    std::ofstream(file()) << "{\"segments\": []}";
    EXPECT_THAT(failure(),
                HasSubstr("is JSON; a memory snapshot, as torch.cuda.memory._dump_snapshot() writes"));
    std::ofstream(file()) << "{\"schemaVersion\": 1, \"traceEvents\": []}";
    EXPECT_THAT(failure(),
                HasSubstr("is a trace of PyTorch's profiler or of Chrome's format (JSON); a memory"));
    EXPECT_THAT(readSnapshot(folder_.path()).error().message, HasSubstr("is a directory"));
}

TEST_F(SnapshotRead, CancellingIsNoticed) {
    make("");
    const auto trace = readSnapshot(file(), {}, [](double) { return false; });
    ASSERT_FALSE(trace);
    EXPECT_THAT(trace.error().message, HasSubstr("cancelled"));
}

}  // namespace
}  // namespace highwater::capture
