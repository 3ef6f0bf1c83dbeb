#include "core/wire/gpu_words.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "tests/core/wire/gpu_run.h"

namespace highwater::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GpuWords, ThePartsSumToWhatNvidiaSmiShows) {
    for (const bool outOfMemory : {false, true}) {
        const RunResult result = highwater::wire::test::gpuResult({.outOfMemory = outOfMemory});
        for (const auto& device : {result.deviceAtPeak, result.deviceAtEnd}) {
            Bytes sum = 0;
            for (const DevicePart& part : deviceParts(*device)) {
                sum += part.bytes;
            }
            EXPECT_EQ(sum, device->used());
        }
        EXPECT_EQ(result.deviceAtPeak->tensors, result.peakAllocated);
    }
}

TEST(GpuWords, AContextThatTheDriverDoesNotNameIsCalledAnEstimate) {
    DeviceMemory device;
    EXPECT_EQ(partName(deviceParts(device)[4]), "context");
    device.contextKnown = false;
    EXPECT_EQ(partName(deviceParts(device)[4]), "context (an estimate)");
}

TEST(GpuWords, MebibytesSumToTheirRoundedSum) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<Bytes> values(1 + random() % 9);
        for (Bytes& value : values) {
            value = static_cast<Bytes>(random() >> (22 + random() % 40));
        }
        const auto rounded = inMebibytes(values);
        const Bytes sum = std::accumulate(values.begin(), values.end(), Bytes{0});
        const std::int64_t shown = std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0});
        EXPECT_EQ(shown, inMebibytes({sum}).front());
        EXPECT_LE(std::abs(shown * base::kMiB - sum), base::kMiB / 2);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_LT(std::abs(rounded[i] * base::kMiB - values[i]), base::kMiB + 1);
            EXPECT_GE(rounded[i], 0);
        }
    }
}

TEST(GpuWords, ConditionsSayWhatTheDriverSays) {
    EXPECT_EQ(conditionsText({1980, 1980, 3201, 54, 512.7, {}}), "1980 MHz of 1980, 54 °C, 513 W");
    EXPECT_EQ(conditionsText({1980, 0, 0, 0, std::nan(""), {}}), "1980 MHz");
    EXPECT_EQ(conditionsText({}), "");
    EXPECT_EQ(throttledText(GpuConditions{.throttled = {"power cap"}},
                            GpuConditions{.throttled = {"power cap", "thermal"}}),
              "slowed down by power cap, thermal");
    EXPECT_EQ(throttledText(GpuConditions{}, {}), "");
}

TEST(GpuWords, TheHostIsTheSlowerOneWhereTheGpuTakesNoLonger) {
    const PhaseTimes gpu{1, 20, 0, 40, 1};
    EXPECT_FALSE(hostIsSlower(gpu, {1, 4, 0, 6, 1}));
    EXPECT_TRUE(hostIsSlower(gpu, {1, 20, 0, 39, 1}));
    EXPECT_FALSE(hostIsSlower({}, {})) << "nothing was measured";
}

TEST(GpuWords, PressureIsSaidOnlyWhereThereWasSome) {
    RunResult result;
    EXPECT_THAT(pressureLines(result), IsEmpty());
    result.workspacesRefused = 3;
    result.allocationRetries = 1;
    EXPECT_THAT(pressureLines(result), ElementsAre(HasSubstr("could not use its first choice 3 times"),
                                                   HasSubstr("emptied its cache once")));
}

TEST(GpuWords, ALayersWorkspaceIsItsLargest) {
    const RunResult result = highwater::wire::test::gpuResult({});
    EXPECT_EQ(workspaceOf(result, 6), 640 * base::kMiB);
    EXPECT_EQ(workspaceOf(result, 1), 0);
}

/// The made-up run can be sent over the wire.
TEST(GpuRun, SurvivesTheWire) {
    for (const bool outOfMemory : {false, true}) {
        for (const Event& event : highwater::wire::test::gpuRunEvents({.outOfMemory = outOfMemory})) {
            const auto back = parseEvent(toLine(event));
            ASSERT_TRUE(back) << back.error().message;
            EXPECT_EQ(*back, event);
        }
    }
}

}  // namespace
}  // namespace highwater::wire
