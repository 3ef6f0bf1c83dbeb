#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/capture/capture.h"
#include "tests/core/capture/python.h"
#include "tests/core/capture/random_trace.h"
#include "tests/core/temporary_folder.h"

namespace highwater::capture {
namespace {

using memory::Trace;
using memory::TraceEvent;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class SnapshotWrite : public testing::Test {
protected:
    void SetUp() override {
        if (!test::hasPython()) {
            GTEST_SKIP() << "python3 is not installed";
        }
    }
    nlohmann::json loaded(const Trace& trace) {
        const auto file = folder_.path() / "snapshot.pickle";
        const auto written = write(trace, Format::Snapshot, file);
        EXPECT_TRUE(written) << written.error().message;
        int status = 0;
        const std::string text = test::runPython("check_snapshot.py", "'" + file.string() + "'", status);
        EXPECT_EQ(status, 0) << text;
        return status == 0 ? nlohmann::json::parse(text) : nlohmann::json::object();
    }
    test::TemporaryFolder folder_;
};

TEST_F(SnapshotWrite, PythonLoadsTheDocumentedFields) {
    Trace trace;
    trace.layers = {"1 conv", "2 relu"};
    trace.labels = {"aten::convolution"};
    trace.blocks = {{1000, 1024, -1}, {70000, 70000, 0}, {0, 0, 0}};
    trace.alive = {{0, memory::Category::Parameters, 0}};
    trace.events = {
        {1000, 1, 0, TraceEvent::Kind::Allocate, memory::Category::Temporaries, memory::Phase::Forward},
        {1500, 1, 0, TraceEvent::Kind::Retag, memory::Category::Activations, memory::Phase::Forward},
        {2000, 2, 1, TraceEvent::Kind::Allocate, memory::Category::Gradients, memory::Phase::Backward},
        {9000, 1, 1, TraceEvent::Kind::Free, memory::Category::Activations, memory::Phase::Backward}};
    trace.steps = {{0, 4}};
    const auto summary = loaded(trace);
    EXPECT_EQ(summary["events"], 3);
    EXPECT_EQ(summary["peak_of_new"], 70000);
    EXPECT_EQ(summary["alive_at_end"], 1000);
    EXPECT_THAT(summary["steps"], Contains("ProfilerStep#4"));
    EXPECT_THAT(summary["names"], Contains("aten::convolution"));
    EXPECT_THAT(summary["names"], Contains("forward · 1 conv"));
    EXPECT_THAT(summary["names"], Contains("backward · 2 relu"));
    EXPECT_THAT(summary["names"], Contains("activations"));
    EXPECT_THAT(summary["names"], Not(Contains("temporaries")));  // a block has its final category
}

TEST_F(SnapshotWrite, RandomTracesKeepEveryRuleOfAnAllocator) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Trace trace = test::randomTrace(seed, {.events = 3000, .timed = seed % 2 == 0});
        const auto summary = loaded(trace);
        std::size_t events = 0;
        for (const TraceEvent& event : trace.events) {
            events += event.kind != TraceEvent::Kind::Retag;
        }
        EXPECT_EQ(summary["events"], events);
    }
}

TEST_F(SnapshotWrite, AnEmptyTraceIsASnapshotToo) {
    EXPECT_EQ(loaded(Trace{})["events"], 0);
}

TEST_F(SnapshotWrite, ABlockTooLargeForAnyAddressIsSaid) {
    Trace trace;
    trace.blocks = {{base::Bytes{1} << 62, base::Bytes{1} << 62, -1}, {1, 1, -1}};
    trace.events = {{0, 0, -1, TraceEvent::Kind::Allocate, memory::Category::Input, memory::Phase::Setup},
                    {0, 0, -1, TraceEvent::Kind::Free, memory::Category::Input, memory::Phase::Setup}};
    std::ostringstream out;
    EXPECT_TRUE(write(trace, Format::Snapshot, out));
    trace.blocks[1].reserved = (base::Bytes{1} << 62) + 1;
    trace.events[1] = {0, 1, -1, TraceEvent::Kind::Allocate, memory::Category::Input, memory::Phase::Setup};
    const auto written = write(trace, Format::Snapshot, out);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("2^62"));
}

TEST_F(SnapshotWrite, ATraceThatMakesNoSenseIsNotWritten) {
    Trace trace;
    trace.events = {{0, 7, -1, TraceEvent::Kind::Free, memory::Category::Input, memory::Phase::Setup}};
    for (const Format format : {Format::Snapshot, Format::Chrome, Format::Csv}) {
        EXPECT_FALSE(write(trace, format, folder_.path() / "file"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "file"));
}

TEST_F(SnapshotWrite, WhatTheDiskSaysIsSaid) {
    const Trace trace = test::randomTrace(1);
    const auto nowhere = write(trace, Format::Csv, folder_.path() / "none" / "file.csv");
    ASSERT_FALSE(nowhere);
    EXPECT_THAT(nowhere.error().message, HasSubstr("file.csv: cannot be written: No such file"));
    for (const char* other : {"/dev/null", "/tmp"}) {
        const auto there = write(trace, Format::Csv, std::filesystem::path(other));
        ASSERT_FALSE(there);
        EXPECT_THAT(there.error().message, HasSubstr("is not a regular file"));
    }
    std::ofstream full("/dev/full");
    const auto filled = write(trace, Format::Csv, full);
    ASSERT_FALSE(filled);
    EXPECT_THAT(filled.error().message, HasSubstr("No space left"));
}

TEST_F(SnapshotWrite, CancellingLeavesNothingBehind) {
    const Trace trace = test::randomTrace(1, {.events = 60000});
    for (const Format format : {Format::Snapshot, Format::Chrome, Format::Csv}) {
        double last = 0;
        const auto written = write(trace, format, folder_.path() / "file", [&](double share) {
            EXPECT_GE(share, last);
            EXPECT_LE(share, 1);
            last = share;
            return false;
        });
        ASSERT_FALSE(written);
        EXPECT_THAT(written.error().message, HasSubstr("cancelled"));
        EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    }
}

}  // namespace
}  // namespace highwater::capture
