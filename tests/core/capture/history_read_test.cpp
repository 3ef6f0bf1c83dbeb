#include "tests/core/capture/history_read.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/core/capture/history_pickle.h"
#include "tests/core/temporary_folder.h"

namespace highwater::capture {
namespace {

using base::kMiB;
using ::testing::HasSubstr;
using EventKind = HistoryEvent::Kind;
using BlockIs = HistoryBlock::State;

constexpr std::uint64_t kHistoryAddress = 0x7f0000000000;

/// Two devices, with every kind of event and block.
History historyOfAll() {
    History history;
    DeviceHistory& first = history.devices.emplace_back();
    for (int kind = 0; kind <= static_cast<int>(EventKind::Snapshot); ++kind) {
        first.events.push_back({static_cast<EventKind>(kind),
                                kHistoryAddress + static_cast<std::uint64_t>(kind),
                                512 * kind,
                                0x55d000000040,
                                1000 + kind,
                                {0, kind}});
    }
    first.segments.push_back({kHistoryAddress, 2 * kMiB, 0x55d000000040, true, true, {0, 7}, {}});
    for (const BlockIs state : {BlockIs::Allocated, BlockIs::Waiting, BlockIs::Free}) {
        const auto offset = 512 * static_cast<std::uint64_t>(state);
        first.segments.front().blocks.push_back({kHistoryAddress + offset, 512, 100, state});
    }
    DeviceHistory& second = history.devices.emplace_back();
    second.device = 1;
    second.segments.push_back({kHistoryAddress, 20 * kMiB, 0, false, false, {}, {}});
    HistorySettings settings;
    settings.text = "max_split_size_mb:64";
    settings.maxSplitSize = 64 * kMiB;
    settings.expandableSegments = true;
    settings.roundupDivisions[3] = 4;
    history.settings = settings;
    return history;
}

History readBack(const std::string& bytes) {
    const auto history = readHistoryBytes(bytes);
    EXPECT_TRUE(history) << history.error().message;
    return history ? *history : History{};
}

TEST(HistoryRead, EveryKindOfEventSegmentAndBlock) {
    const History expected = historyOfAll(), history = readBack(test::pickled(expected));
    ASSERT_EQ(history.devices.size(), 2U);
    const DeviceHistory &device = history.devices[0], &same = expected.devices[0];
    ASSERT_EQ(device.events.size(), same.events.size());
    for (std::size_t i = 0; i < same.events.size(); ++i) {
        const HistoryEvent &event = device.events[i], &written = same.events[i];
        EXPECT_EQ(event.kind, written.kind);
        EXPECT_EQ(event.address, written.address);
        EXPECT_EQ(event.size, written.size);
        EXPECT_EQ(event.stream, written.stream);
        EXPECT_EQ(event.time, written.time);
        EXPECT_EQ(event.pool, written.pool);
    }
    ASSERT_EQ(device.segments.size(), 1U);
    const HistorySegment &segment = device.segments[0], &written = same.segments[0];
    EXPECT_EQ(segment.address, written.address);
    EXPECT_EQ(segment.size, written.size);
    EXPECT_EQ(segment.stream, written.stream);
    EXPECT_TRUE(segment.small);
    EXPECT_TRUE(segment.expandable);
    EXPECT_EQ(segment.pool, written.pool);
    ASSERT_EQ(segment.blocks.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(segment.blocks[i].address, written.blocks[i].address);
        EXPECT_EQ(segment.blocks[i].size, 512);
        EXPECT_EQ(segment.blocks[i].requested, 100);
        EXPECT_EQ(segment.blocks[i].state, written.blocks[i].state);
    }
    EXPECT_EQ(history.devices[1].device, 1);
    EXPECT_FALSE(history.devices[1].segments.at(0).small);
    EXPECT_FALSE(history.own);
}

TEST(HistoryRead, TheSettings) {
    const History history = readBack(test::pickled(historyOfAll()));
    ASSERT_TRUE(history.settings);
    EXPECT_EQ(history.settings->text, "max_split_size_mb:64");
    EXPECT_EQ(history.settings->maxSplitSize, 64 * kMiB);
    EXPECT_TRUE(history.settings->expandableSegments);
    EXPECT_EQ(history.settings->roundupDivisions, historyOfAll().settings->roundupDivisions);
    EXPECT_FALSE(readBack(test::pickled(historyOfAll(), {{2, 2}})).settings);
}

TEST(HistoryRead, WhichReleasesWriteSuchAFile) {
    const auto span = [](int minor) { return readBack(test::pickled(historyOfAll(), {{2, minor}})).torch; };
    EXPECT_EQ(span(0), (TorchSpan{{2, 0}, memory::TorchVersion{2, 0}}));
    EXPECT_EQ(span(1), (TorchSpan{{2, 1}, memory::TorchVersion{2, 1}}));
    EXPECT_EQ(span(2), (TorchSpan{{2, 2}, memory::TorchVersion{2, 2}}));
    EXPECT_EQ(span(4), (TorchSpan{{2, 3}, memory::TorchVersion{2, 4}}));
    EXPECT_EQ(span(6), (TorchSpan{{2, 5}, memory::TorchVersion{2, 7}}));
    EXPECT_EQ(span(9), (TorchSpan{{2, 7}, memory::TorchVersion{2, 9}}));
    EXPECT_EQ(span(11), (TorchSpan{{2, 10}, memory::TorchVersion{2, 11}}));
    EXPECT_EQ(span(12), (TorchSpan{{2, 12}, std::nullopt}));
}

/// Before 2.1 blocks have no addresses: they follow each other.
TEST(HistoryRead, BlocksWithoutAddresses) {
    const History history = readBack(test::pickled(historyOfAll(), {{2, 0}}));
    const auto& blocks = history.devices.at(0).segments.at(0).blocks;
    ASSERT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks[2].address, kHistoryAddress + 1024);
}

TEST(HistoryRead, AListOfSegments) {
    const History history = readBack(test::pickled(historyOfAll(), {{2, 12}, true}));
    ASSERT_EQ(history.devices.size(), 2U);
    EXPECT_TRUE(history.devices[0].events.empty());
    EXPECT_EQ(history.devices[0].segments.size(), 1U);
}

TEST(HistoryRead, WhatIsNone) {
    const auto failure = [](std::string_view bytes) {
        const auto history = readHistoryBytes(bytes);
        EXPECT_FALSE(history);
        return history ? "" : history.error().message;
    };
    EXPECT_THAT(failure("{}"), HasSubstr("cannot be read as a pickle"));
    EXPECT_THAT(failure(std::string_view("\x80\x04]K\x01"
                                         "a.",
                                         7)),
                HasSubstr("a list of something other than segments"));
    EXPECT_THAT(failure("\x80\x04}."), HasSubstr("it has no list \"segments\""));
    EXPECT_THAT(failure("\x80\x04K\x05."), HasSubstr("is not a memory snapshot"));
}

TEST(HistoryRead, NamesTheFile) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "some.pickle";
    std::ofstream(file) << "no pickle";
    EXPECT_THAT(readHistory(file).error().message, HasSubstr("some.pickle: cannot be read as a pickle"));
    EXPECT_THAT(readHistory(folder.path() / "missing").error().message, HasSubstr("missing"));
    std::ofstream(file) << test::pickled(historyOfAll());
    EXPECT_TRUE(readHistory(file));
}

TEST(HistoryRead, AFileOfAnotherKindIsCalledWhatItIs) {
    const test::TemporaryFolder folder;
    const auto errorOf = [&](const std::string& text) {
        const auto history = readHistory(folder.write("snapshot.pickle", text));
        return history ? std::string("read") : history.error().message;
    };
    EXPECT_THAT(errorOf("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
                HasSubstr("snapshot.pickle: is a pointer of Git LFS, not the file itself; run git lfs pull"));
    EXPECT_THAT(
        errorOf(R"({"schemaVersion": 1, "traceEvents": []})"),
        HasSubstr("is a trace of PyTorch's profiler or of Chrome's format (JSON); a memory snapshot"));
    EXPECT_THAT(errorOf("\x80\x04."), HasSubstr("cannot be read as a pickle"));
}

}  // namespace
}  // namespace highwater::capture
