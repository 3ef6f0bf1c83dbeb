#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "core/capture/capture.h"
#include "core/capture/segments_at.h"
#include "tests/core/capture/history_pickle.h"
#include "tests/core/capture/random_trace.h"
#include "tests/core/capture/replay/recorder.h"
#include "tests/core/capture/replay/replay.h"
#include "tests/fuzz/hostile/pickle_text.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::capture {
namespace {

using namespace std::string_literals;

std::string snapshot(std::uint64_t seed) {
    std::ostringstream out;
    const auto trace =
        test::randomTrace(seed, {.events = 5 + seed % 60, .layers = 3, .steps = 2, .alive = 4});
    EXPECT_TRUE(write(trace, Format::Snapshot, out));
    return out.str();
}

/// Fragments of pickles that may trip a parser, in any order.
std::string soup(std::mt19937_64& random) {
    static const std::string pieces[] = {"("s,
                                         ")"s,
                                         "]"s,
                                         "}"s,
                                         "e"s,
                                         "u"s,
                                         "a"s,
                                         "s"s,
                                         "l"s,
                                         "d"s,
                                         "t"s,
                                         "0"s,
                                         "1"s,
                                         "2"s,
                                         "\x85"s,
                                         "\x86"s,
                                         "\x87"s,
                                         "\x8f"s,
                                         "\x90"s,
                                         "\x91"s,
                                         "\x94"s,
                                         "h\x00"s,
                                         "h\x01"s,
                                         "q\x02"s,
                                         "h\x02"s,
                                         "K\x05"s,
                                         "N"s,
                                         "\x88"s,
                                         "I01\n"s,
                                         "J\xff\xff\xff\xff"s,
                                         "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00"s,
                                         "\x8c\x06"
                                         "action"s,
                                         "\x8c\x05"
                                         "alloc"s,
                                         "\x8c\x04"
                                         "addr"s,
                                         "\x8c\x04"
                                         "size"s,
                                         "\x8c\x06"
                                         "frames"s,
                                         "\x8c\x08"
                                         "filename"s,
                                         "\x8c\x04name"s,
                                         "\x8c\x05state"s,
                                         "\x8c\x0a"
                                         "total_size"s,
                                         "\x8c\x06"
                                         "blocks"s,
                                         "\x8c\x07history"s,
                                         "\x8c\x09real_size"s,
                                         "\x8c\x05stage"s,
                                         "\x8c\x08segments"s,
                                         "\x8c\x0d"
                                         "device_traces"s,
                                         "\x8c\x09highwater"s,
                                         "\x8c\x05steps"s};
    std::string text;
    for (auto n = 1 + random() % 60; n > 0; --n) {
        text += pieces[random() % std::size(pieces)];
    }
    return text;
}

/// A whole snapshot around the fragments, so that their result is examined.
std::string dressed(std::mt19937_64& random) {
    return "\x80\x04}(\x8c\x08segments]" + (random() % 2 ? "(" + soup(random) + "e" : ""s) +
           "\x8c\x0d"
           "device_traces](](" +
           soup(random) + "ee" + (random() % 2 ? "\x8c\x09highwater" + soup(random) : ""s) + "u.";
}

std::string recording(std::uint64_t seed) {
    memory::AllocatorConfig config;
    config.expandableSegments = seed % 2 == 0;
    test::Recorder recorder(config, 400 * base::kMiB);
    test::runProgram(recorder, seed, 60);
    test::PickleOf options;
    options.stacks = {{{"train.py", "step", 3}, {"??", "c10::alloc", 0}},
                      {{"C:\\net\\unet.py", "forward", 9}}};
    options.asList = seed % 7 == 3;
    return test::pickled(recorder.history(), options);
}

TEST(SnapshotFuzz, IsReplayedOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(6000);
    std::uint64_t played = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::mt19937_64 random(round);
        const auto history = readHistoryBytes(round % 5 == 0 ? fuzz::mutate(dressed(random), round)
                                                             : fuzz::mutate(recording(round % 37), round));
        if (!history) {
            fuzz::expectOneLine(history.error().message);
            continue;
        }
        for (const DeviceReplay& device : replay(*history).devices) {
            played += device.notReplayed.empty();
            if (!device.notReplayed.empty()) {
                fuzz::expectOneLine(device.notReplayed);
            }
        }
    }
    EXPECT_GT(played, rounds / 50);
}

/// Every device can be opened, its trace is consistent, and its segments can be computed for any moment.
void openEvery(const std::string& bytes, const DeviceSnapshot& first) {
    for (const SnapshotDevice& device : first.info.devices) {
        SnapshotRequest request;
        request.device = device.device;
        const auto snapshot = openSnapshotBytes(bytes, request);
        ASSERT_TRUE(snapshot) << snapshot.error().message;
        if (snapshot->trace) {
            const auto valid = memory::check(*snapshot->trace);
            EXPECT_TRUE(valid) << valid.error().message;
        }
        for (const std::size_t count : {std::size_t{0}, snapshot->events.size() / 2}) {
            const auto segments = segmentsAt(snapshot->events, count, snapshot->segments);
            ASSERT_TRUE(segments);
            for (const HistorySegment& segment : *segments) {
                for (const HistoryBlock& block : segment.blocks) {
                    ASSERT_TRUE(block.stack == -1 ||
                                (snapshot->stacks && snapshot->stacks->has(block.stack)));
                }
            }
        }
    }
}

TEST(SnapshotFuzz, OpensEveryDeviceOrSaysOneLine) {
    const std::uint64_t rounds = fuzz::rounds(6000);
    std::uint64_t opened = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::mt19937_64 random(round);
        const std::string bytes = round % 5 == 0   ? fuzz::mutate(dressed(random), round)
                                  : round % 5 == 1 ? fuzz::mutate(snapshot(round % 97), round)
                                                   : fuzz::mutate(recording(round % 37), round);
        const auto first = openSnapshotBytes(bytes);
        if (!first) {
            fuzz::expectOneLine(first.error().message);
            continue;
        }
        ++opened;
        if (first->info.devices.size() < 20) {
            openEvery(bytes, *first);
        }
    }
    EXPECT_GT(opened, rounds / 50);
}

/// A few bytes that represent many: whatever the damage, they are counted before anything is allocated for
/// them.
TEST(SnapshotFuzz, ReferencesGiveASnapshotOrOneLine) {
    const std::string seeds[] = {fuzz::oneSegmentManyTimes(300), fuzz::segmentsThatShareBlocks(60),
                                 fuzz::devicesThatShareEvents(60), fuzz::framesOfLongTexts(60),
                                 fuzz::emptyDevices(3000)};
    for (const std::string& whole : seeds) {
        const bool opens = openSnapshotBytes(whole).ok();
        EXPECT_EQ(opens, &whole == &seeds[3]) << &whole - seeds;
    }
    for (std::uint64_t round = 0; round < fuzz::rounds(1000); ++round) {
        const auto opened = openSnapshotBytes(fuzz::mutate(seeds[round % std::size(seeds)], round));
        if (!opened) {
            fuzz::expectOneLine(opened.error().message);
        }
    }
}

TEST(SnapshotFuzz, GivesATraceThatHoldsTogetherOrOneLine) {
    const std::uint64_t rounds = fuzz::rounds(6000);
    std::uint64_t accepted = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::mt19937_64 random(round);
        std::string bytes = round % 3 == 0 ? dressed(random) : snapshot(round % 97);
        if (round % 3 != 0 || round % 2 == 0) {
            bytes = fuzz::mutate(std::move(bytes), round);
        }
        const auto trace = readSnapshotBytes(bytes);
        if (!trace) {
            EXPECT_LT(trace.error().message.size(), 600U);
            EXPECT_EQ(trace.error().message.find_first_of("\n\r"), std::string::npos)
                << trace.error().message;
            continue;
        }
        ++accepted;
        const auto valid = memory::check(*trace);
        EXPECT_TRUE(valid) << round << ": " << valid.error().message;
        const auto part = readSnapshotBytes(bytes, Range{trace->allEvents / 2, 5});
        EXPECT_EQ(part.ok(), trace->allEvents > 0) << round;
        for (const Format format : {Format::Snapshot, Format::Chrome, Format::Csv}) {
            std::ostringstream out;
            EXPECT_TRUE(write(*trace, format, out)) << round;
        }
    }
    EXPECT_GT(accepted, rounds / 50);
    EXPECT_LT(accepted, rounds);
}

}  // namespace
}  // namespace highwater::capture
