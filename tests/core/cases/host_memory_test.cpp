#include "core/cases/host_memory.h"

#include <gtest/gtest.h>

namespace highwater::cases {
namespace {

CaseSize sizes(const Size& original, const Size& resampled) {
    CaseSize size;
    size.original = original;
    size.resampled = size.padded = resampled;
    size.data = {3, 0, -1};
    size.probabilities = {1, 0, -1};
    return size;
}

HostOptions options(std::int64_t heads) {
    HostOptions made;
    made.heads = heads;
    made.patch = 1000;
    return made;
}

constexpr Size kFrom{10, 10, 10}, kTo{20, 10, 10};

TEST(ResamplingMemory, CopiesAllChannelsToFloat64) {
    // Three channels: the result in float16, the copy, and one resized channel.
    EXPECT_EQ(resamplingMemory(3, kFrom, kTo, {1, 0, -1}, 2), 2 * 3 * 2000 + 8 * 3 * 1000 + 8 * 2000);
    // Splines of order 3 filter a copy padded by 12 on each side.
    EXPECT_EQ(resamplingMemory(1, kFrom, kTo, {3, 0, -1}, 4),
              4 * 2000 + 8 * 1000 + 8 * 2000 + 16 * 34 * 34 * 34);
    EXPECT_EQ(resamplingMemory(3, kFrom, kFrom, {1, 0, -1}, 2), 0);
}

TEST(ResamplingMemory, CoordinatesOfSlicesCount) {
    const base::Bytes all = 2 * 2 * 2000 + 8 * 2 * 1000;
    EXPECT_EQ(resamplingMemory(2, kFrom, kTo, {1, 0, 0}, 2), all + 8 * 1000 + 9 * 8 * 2000 + 8 * 2000);
    EXPECT_EQ(resamplingMemory(2, kFrom, kTo, {1, 0, 1}, 2), all + 8 * 2000);  // as many slices as before
}

TEST(HostMemory, ExportHoldsTheLogitsThreeTimes) {
    const HostMemory need = hostMemory(sizes(kTo, kFrom), options(10));
    const base::Bytes held = 4 * 1000 + 2 * 10 * 1000;
    EXPECT_EQ(need.exporting, held + 2 * 10 * 2000 + 8 * 10 * 1000 + 8 * 2000);
    EXPECT_EQ(need.windows, held);
    const HostMemory many = hostMemory(sizes({100, 100, 100}, {100, 100, 100}), options(50));
    EXPECT_STREQ(many.phase(), "export");
    EXPECT_EQ(many.peak(), many.exporting);
}

TEST(HostMemory, WithoutResamplingArgmaxCopies) {
    const HostMemory need = hostMemory(sizes(kTo, kTo), options(10));
    EXPECT_EQ(need.exporting, 4 * 2000 + 2 * 10 * 2000 + 2 * 10 * 2000 + 8 * 2000);
}

TEST(HostMemory, LogitsOnTheHostAreCheckedThere) {
    HostOptions host = options(10);
    host.onDevice = false;
    const CaseSize size = sizes(kTo, kTo);
    EXPECT_EQ(hostMemory(size, host).windows,
              4 * 2000 + 5 * 10 * 2000 + 2 * 2000 + 4 * 4 * 1000 + 2 * 2 * 10 * 1000);
    host.folds = 2;
    EXPECT_EQ(hostMemory(size, host).windows - hostMemory(size, options(10)).windows,
              (5 * 10 * 2000 + 2 * 2000 + 4 * 4 * 1000 + 2 * 2 * 10 * 1000));
}

TEST(HostMemory, ProbabilitiesAndRegionsNeedMore) {
    const CaseSize size = sizes(kTo, kTo);
    HostOptions regions = options(10), probabilities = options(10);
    regions.regions = probabilities.probabilities = true;
    EXPECT_EQ(hostMemory(size, regions).exporting, 4 * 2000 + 2 * 10 * 2000 + 8 * 10 * 2000);
    EXPECT_EQ(hostMemory(size, probabilities).exporting, 4 * 2000 + 2 * 10 * 2000 + 8 * 10 * 2000 + 8 * 2000);
}

TEST(HostMemory, FewClassesLeaveThePeakToPreprocessing) {
    const HostMemory need = hostMemory(sizes({100, 100, 100}, {50, 50, 50}), options(2));
    EXPECT_STREQ(need.phase(), "preprocessing");
    EXPECT_EQ(need.preprocessing, 9 * 1000000 + 4 * 125000 + 8 * 1000000 + 8 * 125000 + 16 * 124 * 124 * 124);
}

}  // namespace
}  // namespace highwater::cases
