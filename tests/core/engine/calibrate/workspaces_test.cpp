#include "tests/gpu/convolutions/workspaces.h"

#include <gmock/gmock.h>

namespace highwater::engine {
namespace {

using predict::ConvKey;
using predict::GpuOpRow;
using ::testing::HasSubstr;
using Log = std::vector<LoggedAllocation>;
using Addresses = std::array<const void*, 3>;

const void* at(std::uintptr_t address) {
    return reinterpret_cast<const void*>(address);  // NOLINT
}

LoggedAllocation take(std::uintptr_t address, base::Bytes bytes) {
    return {at(address), bytes};
}
LoggedAllocation give(std::uintptr_t address) {
    return {at(address), 0};
}

ConvKey forward() {
    return *predict::parseConvKey("conv3d/f/n1/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b");
}
ConvKey backward(bool input, bool weight) {
    ConvKey key = forward();
    key.pass = ConvKey::Pass::Backward;
    key.inputGradient = input;
    key.weightGradient = weight;
    return key;
}

GpuOpRow row(const ConvKey& key, const Log& log, const Addresses& results) {
    const auto made = workspacesOf(key, log, results);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : GpuOpRow{};
}

TEST(Workspaces, OfAForwardPassIsWhatItGivesBackAfterItsOutput) {
    EXPECT_EQ(row(forward(), {take(1, 131072)}, {at(1)}).forward, 0);
    EXPECT_EQ(row(forward(), {take(1, 131072), take(2, 700), give(2)}, {at(1)}), (GpuOpRow{.forward = 700}));
}

TEST(Workspaces, ACopyBeforeTheFirstResultIsNone) {
    const Log log{take(3, 65536), take(1, 131072), take(2, 700), give(2), give(3)};
    EXPECT_EQ(row(forward(), log, {at(1)}).forward, 700);
}

TEST(Workspaces, OfGradientsFollowTheirResults) {
    const Log log{take(9, 131072), take(1, 65536),                 // a copy, then the input's gradient
                  take(2, 500),    give(2),        take(3, 3456),  // the weight's
                  take(2, 900),    give(2),        take(4, 32),    // the bias's
                  take(5, 4096),   give(5),        give(9)};
    const GpuOpRow made = row(backward(true, true), log, {at(1), at(3), at(4)});
    EXPECT_EQ(made, (GpuOpRow{.inputGradient = 500, .weightGradient = 900}));
}

TEST(Workspaces, ACopyOfAStridedGradientIsNoneInEitherPart) {
    ConvKey key = backward(true, true);
    key.gradientContiguous = false;
    const base::Bytes copy = 4 * key.outputElements();
    // As in LibTorch 2.11; the second part's workspace is as large as the copy.
    const Log log{take(1, 65536), take(2, copy), take(3, 500), give(3), give(2),    take(2, copy),
                  take(4, 3456),  take(3, copy), give(3),      give(2), take(5, 32)};
    EXPECT_EQ(row(key, log, {at(1), at(4), at(5)}), (GpuOpRow{.inputGradient = 500, .weightGradient = copy}));
    key.gradientContiguous = true;
    EXPECT_EQ(row(key, log, {at(1), at(4), at(5)}),
              (GpuOpRow{.inputGradient = copy + 500, .weightGradient = copy}));
}

TEST(Workspaces, OfTheFirstLayerHaveNoInputsGradient) {
    const Log log{take(3, 3456), take(2, 900), give(2), take(4, 32)};
    EXPECT_EQ(row(backward(false, true), log, {nullptr, at(3), at(4)}), (GpuOpRow{.weightGradient = 900}));
    EXPECT_EQ(row(backward(true, false), {take(3, 10), take(4, 5), give(4)}, {at(3), nullptr, nullptr}),
              (GpuOpRow{.inputGradient = 5}));
}

TEST(Workspaces, CountWhatIsHeldAtATime) {
    const Log inTurn{take(1, 131072), take(2, 700), give(2), take(2, 300), give(2)};
    EXPECT_EQ(row(forward(), inTurn, {at(1)}).forward, 700);
    const Log together{take(1, 131072), take(2, 700), take(3, 300), give(2), give(3)};
    EXPECT_EQ(row(forward(), together, {at(1)}).forward, 1000);
}

TEST(Workspaces, AnAddressThatIsUsedAgainIsToldApart) {
    // The weight's gradient is placed where the input's part had its workspace.
    const Log log{take(1, 65536), take(2, 500), give(2), take(2, 3456), take(3, 80), give(3)};
    EXPECT_EQ(row(backward(true, true), log, {at(1), at(2), nullptr}),
              (GpuOpRow{.inputGradient = 500, .weightGradient = 80}));
}

TEST(Workspaces, ThatCannotBeToldAreAnError) {
    const auto why = [](const Log& log, const Addresses& results) {
        const auto made = workspacesOf(forward(), log, results);
        return made ? "a row" : made.error().message;
    };
    EXPECT_THAT(why({take(1, 5)}, {at(7)}), HasSubstr("result 0 shares its memory"));
    EXPECT_THAT(why({take(1, 5), take(2, 6)}, {at(1)}), HasSubstr("outlives"));
}

}  // namespace
}  // namespace highwater::engine
