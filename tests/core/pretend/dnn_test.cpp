#include <vector>

#include "core/pretend/workspace_rules.h"
#include "tests/core/pretend/dnn_fixture.h"

// The pretended cuDNN: descriptors of the backend API are stored, and workspace sizes follow the user's
// rules.
namespace highwater::pretend {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(PretendedWorkspaceRules, AreSumsOfTheOperandsBytes) {
    const OperandBytes operands{100, 20, 3};
    const char* rules = "forward=2*x+w+1.5*y+4|0,input=7,weight=x*0.5|y|w";
    EXPECT_EQ(workspaces(rules, "forward", operands), (Sizes{228, 0}));
    EXPECT_EQ(workspaces(rules, "input", operands), Sizes{7});
    EXPECT_EQ(workspaces(rules, "weight", operands), (Sizes{50, 3, 20}));
    EXPECT_EQ(workspaces(rules, "reserve", operands), Sizes{0});
    EXPECT_EQ(workspaces("", "forward", operands), Sizes{0});
}

TEST(PretendedWorkspaceRules, AreZeroWhereTheyCannotBeRead) {
    for (const char* bad : {"forward=", "forward=z", "forward=2**x", "forward=-1", "forward=1e30",
                            "forward=inf", "forward=x+", "forward=nan"}) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(workspaces(bad, "forward", {1, 1, 1}), Sizes{0}) << bad;
        EXPECT_NE(testing::internal::GetCapturedStderr().find("is not a sum such as 2*x+1024"),
                  std::string::npos)
            << bad;
    }
}

TEST(PretendedDnn, OffersAnEngineForEveryAlternative) {
    inDevice({{"WORKSPACE", "forward=x+w|1000"}}, [] {
        const auto found = configurations(forwardGraph(), CUDNN_HEUR_MODE_INSTANT);
        ASSERT_EQ(found.size(), 2U);
        constexpr std::int64_t kX = 2LL * 8 * 16 * 16 * 16 * 2;
        constexpr std::int64_t kW = 4LL * 8 * 27 * 2;
        EXPECT_EQ(workspaceOfPlan(found[0]), kX + kW);
        EXPECT_EQ(workspaceOfPlan(found[1]), 1000);
    });
}

TEST(PretendedDnn, RefusesAnAttributeWithoutValues) {
    const Descriptor one = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    for (const std::int64_t count : {3, -1}) {
        EXPECT_EQ(cudnnBackendSetAttribute(one.get(), CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, count,
                                           nullptr),
                  CUDNN_STATUS_BAD_PARAM);
    }
}

}  // namespace
}  // namespace highwater::pretend
