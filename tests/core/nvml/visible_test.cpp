#include <gmock/gmock.h>

#include "core/nvml/nvml.h"

namespace highwater::nvml {
namespace {

std::vector<Gpu> four() {
    std::vector<Gpu> gpus(4);
    for (int i = 0; i < 4; ++i) {
        gpus[i].index = i;
        gpus[i].uuid = "GPU-" + std::string(i < 2 ? "aa" : "bb") + std::to_string(i) + "-0000";
    }
    return gpus;
}

std::string seen(std::optional<std::string_view> variable, const std::vector<Gpu>& gpus = four()) {
    std::string indices;
    for (const Gpu& gpu : visibleToCuda(gpus, variable)) {
        indices += std::to_string(gpu.index);
    }
    return indices;
}

TEST(VisibleToCuda, AllWhereNothingIsSaid) {
    EXPECT_EQ(seen({}), "0123");
    EXPECT_EQ(seen({}, {}), "");
}

TEST(VisibleToCuda, ByNumberInTheOrderGiven) {
    EXPECT_EQ(seen("2"), "2");
    EXPECT_EQ(seen("3,0"), "30");
    EXPECT_EQ(seen(" 3 , 1 "), "31");
}

TEST(VisibleToCuda, ByTheBeginningOfAUuid) {
    EXPECT_EQ(seen("GPU-bb3,GPU-aa0-0000"), "30");
    EXPECT_EQ(seen("GPU-aa"), "") << "two begin so";
    EXPECT_EQ(seen("1,GPU-bb2"), "12");
}

TEST(VisibleToCuda, TheFirstThatIsNoGpuEndsTheList) {
    EXPECT_EQ(seen(""), "");
    EXPECT_EQ(seen("-1"), "");
    EXPECT_EQ(seen("0,-1,1"), "0");
    EXPECT_EQ(seen("1,7,0"), "1");
    EXPECT_EQ(seen("1,,0"), "1");
    EXPECT_EQ(seen("NoDevFiles"), "");
    EXPECT_EQ(seen("0,MIG-aa0"), "0");
    EXPECT_EQ(seen("99999999999999999999999"), "");
}

TEST(VisibleToCuda, NoneWhereOneIsNamedTwice) {
    EXPECT_EQ(seen("1,1"), "");
}

TEST(VisibleToCuda, GpusThatCannotBeUsedAreNotCounted) {
    auto gpus = four();
    gpus[1].problem = "has fallen off the bus";
    EXPECT_EQ(seen({}, gpus), "023");
    EXPECT_EQ(seen("1", gpus), "2");
}

}  // namespace
}  // namespace highwater::nvml
