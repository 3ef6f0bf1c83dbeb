#include "core/engine/books/device_books.h"

#include <gmock/gmock.h>

namespace highwater::engine {
namespace {

using base::kKiB;
using base::kMiB;
using Kind = memory::DeviceEvent::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kConv = "aten::cudnn_convolution";
constexpr Bytes kGemm = 32 * kMiB;

/// The report of LibTorch's allocator for a device with one segment.
struct BookedDevice {
    DeviceBooks books;

    BookedDevice() {
        books.start({});
        books.books().start(-1, nullptr);
        hear({Kind::SegmentAllocate, 0x1000000, 64 * kMiB, 0});
    }
    void hear(const memory::DeviceEvent& event, const char* op = nullptr) { books.took(event, op, kGemm); }
    std::uintptr_t take(std::uintptr_t offset, Bytes bytes, const char* op = nullptr) {
        const std::uintptr_t address = 0x1000000 + offset;
        hear({Kind::Allocate, static_cast<std::int64_t>(address), bytes, 0}, op);
        return address;
    }
    void free(std::uintptr_t address, Bytes bytes) {
        hear({Kind::FreeRequested, static_cast<std::int64_t>(address), bytes, 0});
        hear({Kind::FreeCompleted, static_cast<std::int64_t>(address), bytes, 0});
    }
    memory::Ledger ledger() { return books.books().ledger(); }
};

TEST(DeviceBooks, CountWhatWasAskedAndSplitTheRest) {
    BookedDevice device;
    const auto a = device.take(0, 5 * kMiB + 1);
    EXPECT_EQ(device.ledger()[Category::Temporaries], 5 * kMiB + 1);
    const memory::SegmentTotals held = device.books.now();
    EXPECT_EQ(held.requested, 5 * kMiB + 1);
    EXPECT_EQ(held.rounding, 511);
    EXPECT_EQ(held.reserved(), 64 * kMiB);
    EXPECT_EQ(held.split, 64 * kMiB - 5 * kMiB - 512);
    device.free(a, 5 * kMiB + 512);
    EXPECT_EQ(device.ledger().total(), 0);
    EXPECT_EQ(device.books.now().cache, 64 * kMiB);
    EXPECT_EQ(device.books.inconsistencies(), 0);
}

TEST(DeviceBooks, MoveATensorByItsAddress) {
    BookedDevice device;
    const auto a = device.take(0, 4 * kMiB);
    EXPECT_TRUE(device.books.retag(a, Category::Parameters, false));
    EXPECT_EQ(device.books.categoryOf(a), Category::Parameters);
    // It is not a temporary, so it keeps its category.
    EXPECT_TRUE(device.books.retag(a, Category::Activations, true));
    EXPECT_EQ(device.ledger()[Category::Parameters], 4 * kMiB);
    EXPECT_FALSE(device.books.retag(a + 512, Category::Input, false));
    EXPECT_EQ(device.books.categoryOf(a + 512), std::nullopt);
}

TEST(DeviceBooks, AConvolutionsOwnAllocationThatIsNoResultIsWorkspace) {
    BookedDevice device;
    device.books.expect({{}, {8 * kMiB, 4 * kMiB}});
    device.books.books().enter(Phase::Forward, 1);
    device.take(0, 8 * kMiB, kConv);                  // the output
    device.take(8 * kMiB, 3 * kMiB, kConv);           // cuDNN's workspace
    device.take(16 * kMiB, 2 * kMiB, "aten::empty");  // for an operator within it
    EXPECT_EQ(device.ledger()[Category::Workspace], 3 * kMiB);
    EXPECT_EQ(device.ledger()[Category::Temporaries], 10 * kMiB);
    device.books.books().enter(Phase::Backward, 1);
    device.take(24 * kMiB, 5 * kMiB, "aten::convolution_backward");
    device.take(32 * kMiB, 1 * kMiB + 512, "aten::convolution_backward");
    EXPECT_THAT(device.books.workspaces(), ElementsAre(wire::LayerWorkspace{1, Phase::Forward, 3 * kMiB},
                                                       wire::LayerWorkspace{1, Phase::Backward, 5 * kMiB}));
}

TEST(DeviceBooks, CublasOwnAllocationIsWorkspaceInAnyOperator) {
    BookedDevice device;
    device.take(0, kGemm, "aten::addmm");
    EXPECT_EQ(device.ledger()[Category::Workspace], kGemm);
    BookedDevice other;
    other.take(0, kGemm, "aten::empty");  // a tensor of the same size
    EXPECT_EQ(other.ledger()[Category::Workspace], 0);
}

TEST(DeviceBooks, KeepTheSegmentsAsTheyWereAtThePeak) {
    BookedDevice device;
    const auto a = device.take(0, 20 * kMiB);
    const auto b = device.take(20 * kMiB, 30 * kMiB);
    device.free(a, 20 * kMiB);
    device.free(b, 30 * kMiB);
    const memory::SegmentTotals peak = device.books.atPeak();
    EXPECT_EQ(peak.requested, 50 * kMiB);
    EXPECT_EQ(peak.split, 14 * kMiB);
    device.books.start({});
    device.take(0, 2 * kMiB);
    EXPECT_EQ(device.books.atPeak().requested, 2 * kMiB);
}

TEST(DeviceBooks, ARefusalHoldsThePlaceAndTheLedger) {
    BookedDevice device;
    device.books.books().enter(Phase::Backward, 3);
    device.take(0, 10 * kMiB);
    device.hear({Kind::OutOfMemory, 1 * kMiB, 90 * kMiB, 0}, kConv);
    device.hear({Kind::OutOfMemory, 1 * kMiB, 80 * kMiB, 0}, "aten::empty");
    const auto refusal = device.books.books().refusal();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->requested, 80 * kMiB);  // the latest
    EXPECT_EQ(refusal->place.layer, 3);
    EXPECT_EQ(refusal->ledger.total(), 10 * kMiB);
    EXPECT_EQ(device.books.workspacesRefused(), 0);  // not in a layer with convolutions
    ASSERT_TRUE(device.books.atRefusal());
    EXPECT_EQ(device.books.atRefusal()->requested, 10 * kMiB);
    device.books.expect({{}, {}, {}, {90 * kMiB - 100}});
    device.hear({Kind::OutOfMemory, 1 * kMiB, 90 * kMiB, 0}, kConv);  // a result, rounded
    EXPECT_EQ(device.books.workspacesRefused(), 0);
    device.hear({Kind::OutOfMemory, 1 * kMiB, 70 * kMiB, 0}, kConv);
    EXPECT_EQ(device.books.workspacesRefused(), 1);
    device.books.start({});
    EXPECT_FALSE(device.books.atRefusal());
    EXPECT_EQ(device.books.workspacesRefused(), 0);
}

TEST(DeviceBooks, AnUnheardFreeIsCountedAndTheBlockReplaced) {
    BookedDevice device;
    device.take(0, 4 * kMiB);
    device.take(0, 2 * kMiB);
    EXPECT_GT(device.books.inconsistencies(), 0);
    EXPECT_EQ(device.ledger().total(), 2 * kMiB);
    device.free(0x7000000, 512);  // unknown block
    EXPECT_EQ(device.ledger().total(), 2 * kMiB);
}

TEST(DeviceBooks, TheLogHoldsWhatHappenedWhileItWasOpen) {
    BookedDevice device;
    const auto a = device.take(0, 4 * kMiB);
    device.books.startLog();
    const auto b = device.take(4 * kMiB, 2 * kMiB);
    device.free(a, 4 * kMiB);
    device.free(b, 2 * kMiB);
    const auto log = device.books.stopLog();
    ASSERT_EQ(log.size(), 2U);
    EXPECT_EQ(log[0].bytes, 2 * kMiB);
    EXPECT_EQ(log[1].bytes, 0);
    EXPECT_EQ(log[0].address, log[1].address);
    device.take(0, kMiB);
    EXPECT_THAT(device.books.stopLog(), IsEmpty());
}

}  // namespace
}  // namespace highwater::engine
