#include <gtest/gtest.h>

#include <map>

#include "core/memory/device_segments.h"
#include "tests/core/memory/allocator_dice.h"
#include "tests/fuzz/rounds.h"

namespace highwater::memory {
namespace {

using testing::Bytes;
using testing::Dice;

constexpr int kStreams = 3;

/// Maps the simulator's stream numbers to the picture's.
AllocatorSnapshot renumbered(AllocatorSnapshot segments, const std::map<Stream, Stream>& numbers) {
    for (auto& segment : segments) {
        segment.stream = numbers.at(segment.stream);
    }
    return segments;
}

/// A random trace on the simulated allocator, and the picture derived from its reports.
class Watch {
public:
    explicit Watch(std::uint64_t seed)
        : dice_(seed),
          allocator_(testing::allocatorOf(testing::randomConfig(dice_), testing::randomDevice(dice_))),
          picture_(allocator_.config()) {
        allocator_.observe([this](const DeviceEvent& event) { see(event); });
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void step() {
        const Bytes roll = dice_.below(100);
        if (roll < 50 || alive_.empty()) {
            allocate();
        } else if (roll < 85) {
            free();
        } else if (roll < 92) {
            allocator_.recordStream(any(), stream());
        } else if (roll < 98) {
            allocator_.streamDone(stream());
        } else {
            allocator_.emptyCache(), picture_.cacheEmptied();
        }
    }

    void compare() const {
        const AllocatorStats& stats = allocator_.stats();
        const PoolStats& all = stats.all;
        const SegmentTotals& totals = picture_.totals();
        const SegmentCounts& counts = picture_.counts();
        ASSERT_EQ(counts.inconsistencies, 0);
        ASSERT_EQ(totals.allocated(), all.allocatedBytes.current);
        ASSERT_EQ(totals.active(), all.activeBytes.current);
        ASSERT_EQ(totals.reserved(), all.reservedBytes.current);
        ASSERT_EQ(totals.requested + totals.pendingRequested, all.requestedBytes.current);
        if (!allocator_.config().expandableSegments) {
            ASSERT_EQ(totals.split, all.inactiveSplitBytes.current);
        }
        ASSERT_EQ(counts.allocations, all.allocations.current);
        ASSERT_EQ(counts.allocations + counts.pending, all.active.current);
        ASSERT_EQ(counts.segments, all.segments.current);
        ASSERT_EQ(counts.outOfMemories, stats.outOfMemories);
        ASSERT_EQ(counts.deviceAllocations, stats.deviceAllocations);
        ASSERT_EQ(counts.deviceFrees, stats.deviceFrees);
        ASSERT_EQ(picture_.snapshot(), renumbered(allocator_.snapshot(), numbers_));
    }

    /// The picture's statements about the cache are correct, as long as nothing is returned to it meanwhile.
    void expectTrueOfTheCache() {
        if (picture_.counts().pending > 0) {
            return;
        }
        if (!allocator_.config().expandableSegments || allocator_.config().maxSplitSize == kUnlimited) {
            expectFit();
        }
        if (::testing::Test::HasFatalFailure()) {
            return;
        }
        const Bytes kept = picture_.totals().reserved() - picture_.totals().cache;
        allocator_.emptyCache();
        picture_.cacheEmptied();
        ASSERT_EQ(allocator_.stats().all.reservedBytes.current, kept);
    }

    const CachingAllocator& allocator() const { return allocator_; }
    const SegmentCounts& counts() const { return picture_.counts(); }

private:
    void expectFit() {
        const auto device = [&] { return allocator_.stats().deviceAllocations; };
        const Bytes fit = picture_.largestFit();
        if (fit > 0) {
            const auto before = device();
            const auto block = allocator_.allocate(fit);
            ASSERT_TRUE(block);
            ASSERT_EQ(device(), before) << fit;
            allocator_.free(*block);
        }
        for (const Bytes more : {Bytes{1}, Bytes{513}, testing::kMiB + 1}) {
            const auto before = device();
            const Bytes asked = picture_.largestFit() + more;
            if (const auto block = allocator_.allocate(asked)) {
                ASSERT_GT(device(), before) << asked;
                allocator_.free(*block);
            }
        }
    }

    void see(const DeviceEvent& event) {
        DeviceEvent handle = event;
        handle.stream = event.stream * 4096;
        last_ = picture_.take(handle);
        if (event.kind == DeviceEvent::Kind::SegmentAllocate || event.kind == DeviceEvent::Kind::SegmentMap) {
            numbers_.try_emplace(static_cast<Stream>(event.stream), static_cast<Stream>(numbers_.size()));
        }
    }

    void allocate() {
        const auto block = allocator_.allocate(testing::randomSize(dice_), dice_.oneIn(3) ? stream() : 0);
        if (!block) {
            return;
        }
        const Block& given = allocator_.block(*block);
        ASSERT_EQ(last_, (BlockInfo{given.address, given.size, given.requested, BlockState::Allocated}));
        alive_.push_back(*block);
    }

    void free() {
        const BlockIndex block = any();
        allocator_.free(block);
        std::erase(alive_, block);
    }

    BlockIndex any() { return alive_[static_cast<std::size_t>(dice_.below(std::ssize(alive_)))]; }
    Stream stream() { return static_cast<Stream>(dice_.below(kStreams)); }

    Dice dice_;
    CachingAllocator allocator_;
    DeviceSegments picture_;
    std::optional<BlockInfo> last_;
    std::map<Stream, Stream> numbers_{{0, 0}};
    std::vector<BlockIndex> alive_;
};

TEST(DeviceSegmentsProperty, IsTheSimulatorsStateAfterEveryEvent) {
    const std::uint64_t rounds = fuzz::rounds(300);
    std::int64_t failures = 0, retries = 0, seen = 0, expandable = 0, divided = 0, oversize = 0;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        Watch watch(seed);
        for (int event = 0; event < 200; ++event) {
            watch.step();
            watch.compare();
            if (event % 20 == 19) {
                watch.expectTrueOfTheCache();
            }
            if (HasFatalFailure()) {
                FAIL() << "seed " << seed << ", event " << event;
            }
        }
        const AllocatorConfig& config = watch.allocator().config();
        failures += watch.counts().outOfMemories;
        expandable += config.expandableSegments;
        divided += config.roundupDivisions[3] > 1;
        oversize += config.maxSplitSize != kUnlimited;
        if (config.maxSplitSize == kUnlimited && config.garbageCollectionThreshold == 0) {
            retries += watch.allocator().stats().allocationRetries;
            seen += watch.counts().retries;
        }
    }
    const auto n = static_cast<std::int64_t>(rounds);
    EXPECT_GT(failures, n);
    EXPECT_GT(expandable, n / 5);
    EXPECT_GT(divided, n / 5);
    EXPECT_GT(oversize, n / 5);
    EXPECT_LE(seen, retries);
    EXPECT_GE(seen, retries - retries / 100) << "a retry that a block freed meanwhile serves is not seen";
}

}  // namespace
}  // namespace highwater::memory
