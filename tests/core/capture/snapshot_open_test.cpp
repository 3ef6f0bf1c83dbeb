#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/capture/history.h"
#include "tests/core/capture/history_pickle.h"
#include "tests/core/capture/python.h"
#include "tests/core/temporary_folder.h"

namespace highwater::capture {
namespace {

using base::kGiB;
using base::kMiB;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Does = HistoryEvent::Kind;
using State = HistoryBlock::State;

constexpr std::uint64_t kFirst = 0x7f0000000000;

HistoryEvent event(Does kind, std::uint64_t address, base::Bytes size, std::int64_t time) {
    return {kind, address, size, 0, time, {}};
}

/// Three GPUs: the first has most events, the second ran out of memory, the third has no history.
History threeGpus() {
    History history;
    history.devices.resize(3);
    DeviceHistory &busy = history.devices[0], &full = history.devices[1], &silent = history.devices[2];
    for (int i = 0; i < 10; ++i) {
        const auto at = kFirst + static_cast<std::uint64_t>(i) * 512;
        busy.events.push_back(event(Does::Allocate, at, 512, 100 + i));
        busy.events.push_back(event(Does::FreeCompleted, at, 512, 200 + i));
    }
    busy.segments.push_back({kFirst, 2 * kMiB, 0, true, false, {}, {{kFirst, 2 * kMiB, 0, State::Free}}});
    full.device = 1;
    full.events = {event(Does::SegmentAllocate, kFirst, 20 * kMiB, 1000),
                   event(Does::Allocate, kFirst, 15 * kMiB, 1010),
                   event(Does::Allocate, kFirst + 15 * kMiB, kMiB, 1020),
                   event(Does::FreeRequested, kFirst + 15 * kMiB, kMiB, 1030),
                   event(Does::OutOfMemory, 38 * kMiB, 64 * kMiB, 1040),
                   event(Does::Snapshot, 0, 0, 1050)};
    full.segments.push_back({kFirst,
                             20 * kMiB,
                             0,
                             false,
                             false,
                             {},
                             {{kFirst, 15 * kMiB, 15 * kMiB, State::Allocated},
                              {kFirst + 15 * kMiB, kMiB, kMiB, State::Waiting},
                              {kFirst + 16 * kMiB, 4 * kMiB, 0, State::Free}}});
    full.segments.push_back({kFirst + kGiB, 78 * kGiB, 0, false, true, {}, {}});
    silent.device = 2;
    silent.segments.push_back({kFirst, kMiB, 0, true, false, {}, {{kFirst, 512, 500, State::Allocated}}});
    return history;
}

DeviceSnapshot opened(const std::string& bytes, std::optional<std::int64_t> device = {}) {
    SnapshotRequest request;
    request.device = device;
    auto snapshot = openSnapshotBytes(bytes, request);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    return snapshot ? std::move(*snapshot) : DeviceSnapshot{};
}

TEST(SnapshotOpen, SaysOfEveryDeviceWhatItHoldsAndOpensTheOneThatRanOutOfMemory) {
    const DeviceSnapshot snapshot = opened(test::pickled(threeGpus()));
    EXPECT_THAT(snapshot.info.devices,
                ElementsAre(SnapshotDevice{0, 20, 0, 1, 1, 2 * kMiB, 0},
                            SnapshotDevice{1, 6, 1, 2, 3, 78 * kGiB + 20 * kMiB, 15 * kMiB},
                            SnapshotDevice{2, 0, 0, 1, 1, kMiB, 512}));
    EXPECT_EQ(snapshot.info.device, 1);
    EXPECT_EQ(snapshot.device, 1);
    EXPECT_EQ(snapshot.segments.size(), 2U);
    ASSERT_TRUE(snapshot.trace);
    EXPECT_EQ(snapshot.info.peak, 16 * kMiB);
}

TEST(SnapshotOpen, WithoutARefusalTheDeviceWithMostEventsThenWithMostReserved) {
    History history = threeGpus();
    history.devices[1].events.erase(history.devices[1].events.begin() + 4);
    EXPECT_EQ(opened(test::pickled(history)).device, 0);
    EXPECT_EQ(opened(test::pickled(history, {{2, 12}, true})).device, 1);
    EXPECT_EQ(chosenDevice({}), -1);
    EXPECT_EQ(chosenDevice({SnapshotDevice{}}), -1);
}

TEST(SnapshotOpen, ADeviceWithoutHistoryHasItsSegments) {
    const std::string bytes = test::pickled(threeGpus());
    const DeviceSnapshot snapshot = opened(bytes, 2);
    EXPECT_FALSE(snapshot.trace);
    ASSERT_EQ(snapshot.segments.size(), 1U);
    EXPECT_EQ(snapshot.segments[0].blocks.at(0).requested, 500);
    EXPECT_EQ(snapshot.segments[0].blocks.at(0).age, -1);
    SnapshotRequest none;
    none.device = 7;
    EXPECT_THAT(openSnapshotBytes(bytes, none).error().message, HasSubstr("holds nothing of GPU 7"));
}

TEST(SnapshotOpen, WhatIsReservedAndRefusedStandsBesideTheEvents) {
    const auto snapshot = opened(test::pickled(threeGpus()));
    const memory::Trace& trace = *snapshot.trace;
    EXPECT_THAT(trace.reserved, ElementsAre(memory::TraceReserved{0, 78 * kGiB + 20 * kMiB}))
        << "the segment comes before the first allocation";
    EXPECT_THAT(trace.refusals, ElementsAre(memory::TraceRefusal{3, 40'000, 64 * kMiB, 38 * kMiB, -1}));
    EXPECT_EQ(opened(test::pickled(threeGpus()), 0).trace->reserved.front().bytes, 2 * kMiB);
}

TEST(SnapshotOpen, TheAgeOfABlockCountsToTheLastEvent) {
    const auto snapshot = opened(test::pickled(threeGpus()));
    const auto& blocks = snapshot.segments.at(0).blocks;
    EXPECT_EQ(blocks.at(0).age, 40);
    EXPECT_EQ(blocks.at(1).age, 30);
    EXPECT_EQ(blocks.at(2).age, -1) << "it is free";
}

TEST(SnapshotOpen, StacksAreKeptOnceAndNamedByTheUsersOwnCode) {
    test::PickleOf options;
    options.stacks = {{{"??", "c10::alloc", 0},
                       {"/usr/lib/python3/site-packages/torch/nn/modules/conv.py", "forward", 712},
                       {"C:\\net\\models\\unet.py", "forward", 57},
                       {"train.py", "<module>", 9}},
                      {{"/usr/lib/python3/site-packages/torch/optim/adam.py", "_init_group", 180}}};
    const auto snapshot = opened(test::pickled(threeGpus(), options));
    ASSERT_TRUE(snapshot.stacks);
    EXPECT_EQ(snapshot.stacks->stacks.size(), 2U);
    EXPECT_EQ(snapshot.stacks->frames.size(), 5U);
    EXPECT_EQ(snapshot.stacks, snapshot.trace->stacks);
    const auto& first = snapshot.trace->blocks.at(1);  // segments and the other GPUs are written before
    ASSERT_GE(first.stack, 0);
    ASSERT_EQ(snapshot.stacks->framesOf(first.stack).size(), 4U);
    EXPECT_EQ(*snapshot.stacks->bestOf(first.stack),
              (memory::StackFrame{"C:\\net\\models\\unet.py", "forward", 57}));
    EXPECT_EQ(snapshot.trace->labels.at(static_cast<std::size_t>(first.label)), "unet.py:57 forward");
    EXPECT_EQ(snapshot.stacks->bestOf(snapshot.trace->blocks.at(0).stack)->function, "_init_group")
        << "there is nothing better";
    EXPECT_GE(snapshot.trace->refusals.at(0).stack, 0);
    EXPECT_GE(snapshot.segments.at(0).blocks.at(0).stack, 0);
    EXPECT_EQ(snapshot.segments.at(0).blocks.at(2).stack, -1);
}

TEST(SnapshotOpen, ARangeTakesItsMarksAlong) {
    SnapshotRequest request;
    request.range = Range{1, 2};
    const auto snapshot = openSnapshotBytes(test::pickled(threeGpus()), request);
    ASSERT_TRUE(snapshot) << snapshot.error().message;
    EXPECT_EQ(snapshot->trace->events.size(), 2U);
    EXPECT_THAT(snapshot->trace->reserved, ElementsAre(memory::TraceReserved{0, 78 * kGiB + 20 * kMiB}));
    EXPECT_THAT(snapshot->trace->refusals,
                ElementsAre(memory::TraceRefusal{2, 40'000, 64 * kMiB, 38 * kMiB, -1}));
    EXPECT_EQ(snapshot->trace->guessed.size(), snapshot->trace->blocks.size());
    EXPECT_TRUE(memory::check(*snapshot->trace));
}

TEST(SnapshotOpen, ALargeTraceIsLeftOutButItsSizeIsSaid) {
    SnapshotRequest request;
    request.mostEvents = 2;
    const auto snapshot = openSnapshotBytes(test::pickled(threeGpus()), request);
    ASSERT_TRUE(snapshot);
    EXPECT_FALSE(snapshot->trace);
    EXPECT_EQ(snapshot->info.events, 3);
    EXPECT_EQ(snapshot->segments.size(), 2U);
}

class SnapshotOpenFile : public testing::Test {
protected:
    void SetUp() override {
        if (!test::hasPython()) {
            GTEST_SKIP() << "python3 is not installed";
        }
    }
    DeviceSnapshot make(const std::string& options) {
        int status = 0;
        const auto file = folder_.path() / "snapshot.pickle";
        const auto said = test::runPython("make_snapshot.py", "'" + file.string() + "' " + options, status);
        EXPECT_EQ(status, 0) << said;
        auto snapshot = openSnapshot(file);
        EXPECT_TRUE(snapshot) << snapshot.error().message;
        return snapshot ? std::move(*snapshot) : DeviceSnapshot{};
    }
    test::TemporaryFolder folder_;
};

TEST_F(SnapshotOpenFile, ListsOfSegmentsInEveryProtocol) {
    for (const std::string protocol : {"0", "2", "3", "4", "5"}) {
        const auto snapshot = make("--damage list --devices 3 --protocol " + protocol);
        EXPECT_FALSE(snapshot.trace);
        EXPECT_EQ(snapshot.device, 2);
        ASSERT_EQ(snapshot.segments.size(), 1U) << protocol;
        EXPECT_EQ(snapshot.segments[0].size, kGiB);
        EXPECT_GT(snapshot.segments[0].blocks.size(), 5U);
        ASSERT_TRUE(snapshot.stacks) << "of the blocks";
        EXPECT_EQ(snapshot.stacks->bestOf(snapshot.segments[0].blocks[0].stack)->line, 9);
    }
}

TEST_F(SnapshotOpenFile, OnlyWhatNobodySaysIsGuessed) {
    const auto snapshot = make("--version 2.5");
    std::map<base::Bytes, bool> guessed;
    for (std::uint32_t block = 0; block < snapshot.trace->blocks.size(); ++block) {
        guessed[snapshot.trace->blocks[block].bytes] = snapshot.trace->isGuessed(block);
    }
    EXPECT_FALSE(guessed[400]) << "Module._apply makes parameters";
    EXPECT_FALSE(guessed[1'000'000]) << "the data loader's memory is input";
    EXPECT_FALSE(guessed[800]) << "the optimizer's state";
    EXPECT_TRUE(guessed[300'000]);
    EXPECT_TRUE(guessed[700'000]);
    EXPECT_LE(snapshot.stacks->stacks.size(), 10U) << "each list of frames was pickled apart";
}

TEST_F(SnapshotOpenFile, NoHistoryIsNoErrorAndCancellingIs) {
    const auto snapshot = make("--damage 'no history'");
    EXPECT_FALSE(snapshot.trace);
    EXPECT_EQ(snapshot.segments.size(), 1U);
    EXPECT_EQ(snapshot.info.events, 0);
    const auto cancelled = openSnapshot(folder_.path() / "snapshot.pickle", {}, [](double) { return false; });
    EXPECT_THAT(cancelled.error().message, HasSubstr("cancelled"));
    EXPECT_THAT(openSnapshot(folder_.path() / "none").error().message, HasSubstr("no such file"));
}

/// A device in the format of sum_snapshot.py.
std::string summed(const SnapshotDevice& device) {
    std::ostringstream line;
    line << device.device << ' ' << device.events << ' ' << device.refusals << ' ' << device.segments << ' '
         << device.blocks << ' ' << device.reserved << ' ' << device.allocated;
    return line.str();
}

/// Snapshots from public sources, which are not part of the project: every device of every file can be opened
/// and agrees with the list of devices, and with what Python reads from the file.
TEST(SnapshotOpen, PublicFilesHoldWhatTheirDevicesSay) {
    const char* const folder = std::getenv("HIGHWATER_TEST_SNAPSHOTS");
    if (folder == nullptr || *folder == '\0') {
        GTEST_SKIP() << "HIGHWATER_TEST_SNAPSHOTS names no folder of snapshots";
    }
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const auto first = openSnapshot(file.path());
        ASSERT_TRUE(first) << first.error().message;
        int status = 0;
        std::istringstream read(test::runPython("sum_snapshot.py", "'" + file.path().string() + "'", status));
        EXPECT_EQ(status, 0) << file.path();
        std::map<std::string, std::string>
            python;  // by device; one without events and segments may be left out
        for (std::string line; std::getline(read, line);) {
            python[line.substr(0, line.find(' '))] = line;
        }
        for (const SnapshotDevice& said : first->info.devices) {
            SnapshotRequest request;
            request.device = said.device;
            const auto opened = openSnapshot(file.path(), request);
            ASSERT_TRUE(opened) << opened.error().message;
            SnapshotDevice found{said.device, static_cast<std::int64_t>(opened->events.size())};
            for (const HistoryEvent& each : opened->events) {
                found.refusals += each.kind == Does::OutOfMemory;
            }
            for (const HistorySegment& segment : opened->segments) {
                ++found.segments;
                found.reserved += segment.size;
                for (const HistoryBlock& block : segment.blocks) {
                    ++found.blocks;
                    found.allocated += block.state == State::Allocated ? block.size : 0;
                }
            }
            EXPECT_EQ(found, said) << file.path() << ", device " << said.device;
            EXPECT_EQ(summed(found), python[std::to_string(said.device)]) << file.path();
            python.erase(std::to_string(said.device));
        }
        EXPECT_TRUE(python.empty()) << file.path() << ": " << python.size() << " devices were not found";
    }
}

}  // namespace
}  // namespace highwater::capture
