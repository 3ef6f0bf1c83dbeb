#include "core/cases/cases.h"

#include <gmock/gmock.h>

#include "tests/core/cases/plan_of.h"

namespace highwater::cases {
namespace {

using testing::geometryOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Json;
using testing::planOf;
using testing::plansWithSpacing;
using Way = CaseNeed::Way;

CasesRequest requestOf(const char* gpu, std::int64_t classes = 5, const char* configuration = "3d_fullres") {
    CasesRequest request;
    request.plan = planOf(plansWithSpacing({1.0, 1.0, 1.0}), classes, configuration);
    auto target = predict::gpuTarget(gpu, request.plan.network.experiment);
    EXPECT_TRUE(target) << target.error().message;
    request.target = *target;
    return request;
}

CaseNeed needOf(const CasesRequest& request, std::int64_t size, double spacing = 1) {
    CaseNeed need = caseNeed(request, "case", geometryOf({size, size, size}, {spacing, spacing, spacing}));
    EXPECT_EQ(need.problem, "");
    return need;
}

/// Where torch.isinf(logits) is the peak: the logits, their absolute values and one byte for each; the image
/// in fp32 and the sum of weights.
TEST(Cases, LargeOnesNeedFiveBytesForEachClass) {
    const CasesRequest request = requestOf("h200", 40);
    const auto voxels = [](std::int64_t size) { return size * size * size; };
    const CaseNeed small = needOf(request, 512), large = needOf(request, 640);
    EXPECT_NEAR(static_cast<double>(large.onDevice.allocated - small.onDevice.allocated),
                static_cast<double>((5 * 40 + 4 + 2) * (voxels(640) - voxels(512))), 64 * 1024 * 1024);
    EXPECT_EQ(large.onHost.allocated, small.onHost.allocated);
    EXPECT_EQ(large.way, Way::OnDevice);
}

TEST(Cases, FallBackToTheHostWhereTheLogitsDoNotFit) {
    const CasesRequest request = requestOf("rtx3060", 40);
    const CaseNeed need = needOf(request, 400);
    EXPECT_EQ(need.way, Way::FallsBack);
    EXPECT_THAT(need.onDevice.outOfMemory, HasSubstr("isinf"));
    EXPECT_EQ(need.onHost.fits, predict::Fits::Yes);
    EXPECT_EQ(need.hostPeak, need.onHost.hostPeak);
    EXPECT_TRUE(need.fits());
    EXPECT_THAT(whatHelps(request, need), ::testing::Contains(HasSubstr("--not_on_device")));
    CasesRequest onHost = request;
    onHost.onDevice = false;
    EXPECT_EQ(needOf(onHost, 400).way, Way::OnHost);
}

TEST(Cases, TheHostsMemoryIsALimit) {
    CasesRequest request = requestOf("h200", 40);
    request.host = 4 * base::kGiB;
    const CaseNeed need = needOf(request, 300, 1.2);
    EXPECT_EQ(need.way, Way::OnDevice);
    EXPECT_FALSE(need.hostSuffices);
    EXPECT_FALSE(need.fits());
    EXPECT_THAT(whatHelps(request, need), ::testing::Contains(HasSubstr("the host's peak is in export")));
    request.host = need.hostPeak;
    EXPECT_TRUE(needOf(request, 300, 1.2).fits());
}

TEST(Cases, ANetworkThatDoesNotFitIsSaid) {
    CasesRequest request = requestOf("rtx3060");
    request.target.others = request.target.memory - 700 * base::kMiB;
    const CaseNeed need = needOf(request, 200);
    EXPECT_EQ(need.way, Way::NoGpu);
    EXPECT_FALSE(need.fits());
    EXPECT_THAT(whatHelps(request, need), ::testing::Not(IsEmpty()));
}

/// A mirrored copy of the window and of its logits, where the forward is the peak.
TEST(Cases, MirroringAddsOneWindowAtMost) {
    CasesRequest request = requestOf("h200");
    const base::Bytes mirrored = needOf(request, 200).onHost.allocated;
    request.mirror = false;
    const base::Bytes plain = needOf(request, 200).onHost.allocated;
    EXPECT_GE(mirrored, plain);
    EXPECT_LE(mirrored - plain, 128 * 128 * 128 * (4 + 2 * 5) + 4096);
}

TEST(Cases, ResidualNetworksToo) {
    const CaseNeed need = needOf(requestOf("rtx3060", 5, "resenc"), 200);
    EXPECT_GT(need.onHost.allocated, 4 * 80'000'000);  // its weights, about 100 M parameters
    EXPECT_EQ(need.way, Way::OnDevice);
}

TEST(Cases, ASizeThatMakesNoSenseIsAProblemOfItsRow) {
    const CaseNeed need =
        caseNeed(requestOf("rtx3060"), "case", geometryOf({100000, 100000, 100000}, {1, 1, 1}));
    EXPECT_THAT(need.problem, HasSubstr("is its spacing"));
    EXPECT_FALSE(need.fits());
    EXPECT_THAT(whatHelps(requestOf("rtx3060"), need), IsEmpty());
}

TEST(Cases, AFolderWithoutScansIsAnError) {
    const highwater::test::TemporaryFolder folder;
    EXPECT_FALSE(casesOf(requestOf("rtx3060"), folder.path()));
    EXPECT_FALSE(casesOf(requestOf("rtx3060"), folder.path() / "none"));
}

}  // namespace
}  // namespace highwater::cases
