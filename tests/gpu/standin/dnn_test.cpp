#include <cudnn.h>

#include <array>
#include <vector>

#include "tests/gpu/standin/standin_fixture.h"
#include "tests/gpu/standin/workspace_rules.h"

// The stand-in's cuDNN: descriptors of the backend API are kept, and workspace sizes follow the user's rules.
namespace highwater::standin {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(StandinWorkspaceRules, AreSumsOfTheOperandsBytes) {
    const OperandBytes operands{100, 20, 3};
    const char* rules = "forward=2*x+w+1.5*y+4|0,input=7,weight=x*0.5|y|w";
    EXPECT_EQ(workspaces(rules, "forward", operands), (Sizes{228, 0}));
    EXPECT_EQ(workspaces(rules, "input", operands), Sizes{7});
    EXPECT_EQ(workspaces(rules, "weight", operands), (Sizes{50, 3, 20}));
    EXPECT_EQ(workspaces(rules, "reserve", operands), Sizes{0});
    EXPECT_EQ(workspaces("", "forward", operands), Sizes{0});
}

TEST(StandinWorkspaceRules, AreZeroWhereTheyCannotBeRead) {
    for (const char* bad : {"forward=", "forward=z", "forward=2**x", "forward=-1", "forward=1e30",
                            "forward=inf", "forward=x+", "forward=nan"}) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(workspaces(bad, "forward", {1, 1, 1}), Sizes{0}) << bad;
        EXPECT_NE(testing::internal::GetCapturedStderr().find("is no sum such as 2*x+1024"),
                  std::string::npos)
            << bad;
    }
}

cudnnBackendDescriptor_t made(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t descriptor{};
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &descriptor), CUDNN_STATUS_SUCCESS);
    return descriptor;
}

void setOne(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name, cudnnBackendDescriptor_t value) {
    EXPECT_EQ(cudnnBackendSetAttribute(to, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value),
              CUDNN_STATUS_SUCCESS);
}

cudnnBackendDescriptor_t tensor(const std::vector<std::int64_t>& sizes) {
    const cudnnBackendDescriptor_t one = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const cudnnDataType_t half = CUDNN_DATA_HALF;
    cudnnBackendSetAttribute(one, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &half);
    cudnnBackendSetAttribute(one, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64,
                             static_cast<std::int64_t>(sizes.size()), sizes.data());
    EXPECT_EQ(cudnnBackendFinalize(one), CUDNN_STATUS_SUCCESS);
    return one;
}

cudnnBackendDescriptor_t forwardGraph() {
    const auto operation = made(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor({2, 8, 16, 16, 16}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensor({4, 8, 3, 3, 3}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensor({2, 4, 16, 16, 16}));
    const auto graph = made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    setOne(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    EXPECT_EQ(cudnnBackendDestroyDescriptor(operation), CUDNN_STATUS_SUCCESS);
    return graph;
}

std::int64_t planWorkspace(cudnnBackendDescriptor_t configuration) {
    const auto plan = made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    setOne(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    EXPECT_EQ(cudnnBackendFinalize(plan), CUDNN_STATUS_SUCCESS);
    std::int64_t count = 0;
    std::int64_t bytes = -1;
    EXPECT_EQ(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                       &count, &bytes),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(cudnnBackendExecute(nullptr, plan, nullptr), CUDNN_STATUS_SUCCESS);
    return bytes;
}

TEST(StandinDnn, OffersAnEngineForEveryAlternative) {
    inDevice({{"WORKSPACE", "forward=x+w|1000"}}, [] {
        const auto heuristics = made(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        setOne(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, forwardGraph());
        std::int64_t count = 0;
        cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                 &count, nullptr);
        ASSERT_EQ(count, 2);
        std::array<cudnnBackendDescriptor_t, 2> configurations{made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
                                                               made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)};
        cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2,
                                 &count, configurations.data());
        ASSERT_EQ(count, 2);
        constexpr std::int64_t kX = 2LL * 8 * 16 * 16 * 16 * 2;
        constexpr std::int64_t kW = 4LL * 8 * 27 * 2;
        EXPECT_EQ(planWorkspace(configurations[0]), kX + kW);
        EXPECT_EQ(planWorkspace(configurations[1]), 1000);
    });
}

TEST(StandinDnn, RefusesAnAttributeWithoutValues) {
    const auto one = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    EXPECT_EQ(cudnnBackendSetAttribute(one, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 3, nullptr),
              CUDNN_STATUS_BAD_PARAM);
    EXPECT_EQ(cudnnBackendSetAttribute(one, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, -1, nullptr),
              CUDNN_STATUS_BAD_PARAM);
    EXPECT_EQ(cudnnBackendDestroyDescriptor(one), CUDNN_STATUS_SUCCESS);
}

}  // namespace
}  // namespace highwater::standin
