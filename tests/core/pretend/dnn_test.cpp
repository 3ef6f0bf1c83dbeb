#include <array>
#include <memory>
#include <vector>

#include "core/pretend/abi/dnn_graph.h"
#include "core/pretend/workspace_rules.h"
#include "tests/core/pretend/pretend_fixture.h"

// The pretended cuDNN: descriptors of the backend API are kept, and workspace sizes follow the user's rules.
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
        EXPECT_NE(testing::internal::GetCapturedStderr().find("is no sum such as 2*x+1024"),
                  std::string::npos)
            << bad;
    }
}

struct Destroy {
    void operator()(cudnnBackendDescriptor_t descriptor) const {
        EXPECT_EQ(cudnnBackendDestroyDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
    }
};
using Descriptor = std::unique_ptr<void, Destroy>;

Descriptor made(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t descriptor{};
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &descriptor), CUDNN_STATUS_SUCCESS);
    return Descriptor(descriptor);
}

void setOne(const Descriptor& to, cudnnBackendAttributeName_t name, const Descriptor& value) {
    const cudnnBackendDescriptor_t one = value.get();
    EXPECT_EQ(cudnnBackendSetAttribute(to.get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one),
              CUDNN_STATUS_SUCCESS);
}

Descriptor tensor(const std::vector<std::int64_t>& sizes) {
    Descriptor one = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const cudnnDataType_t half = CUDNN_DATA_HALF;
    cudnnBackendSetAttribute(one.get(), CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &half);
    cudnnBackendSetAttribute(one.get(), CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64,
                             static_cast<std::int64_t>(sizes.size()), sizes.data());
    EXPECT_EQ(cudnnBackendFinalize(one.get()), CUDNN_STATUS_SUCCESS);
    return one;
}

// Its operation and tensors are destroyed by their owner before it is used.
Descriptor forwardGraph() {
    const Descriptor operation = made(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor({2, 8, 16, 16, 16}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensor({4, 8, 3, 3, 3}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensor({2, 4, 16, 16, 16}));
    Descriptor graph = made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    setOne(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    return graph;
}

std::int64_t planWorkspace(const Descriptor& configuration) {
    const Descriptor plan = made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    setOne(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    EXPECT_EQ(cudnnBackendFinalize(plan.get()), CUDNN_STATUS_SUCCESS);
    std::int64_t count = 0;
    std::int64_t bytes = -1;
    EXPECT_EQ(cudnnBackendGetAttribute(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                                       1, &count, &bytes),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(cudnnBackendExecute(nullptr, plan.get(), nullptr), CUDNN_STATUS_SUCCESS);
    return bytes;
}

std::int64_t results(const Descriptor& heuristics, std::int64_t requested, void* configurations) {
    std::int64_t count = -1;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, requested, &count, configurations),
              CUDNN_STATUS_SUCCESS);
    return count;
}

TEST(PretendedDnn, OffersAnEngineForEveryAlternative) {
    inDevice({{"WORKSPACE", "forward=x+w|1000"}}, [] {
        const Descriptor heuristics = made(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        setOne(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, forwardGraph());
        ASSERT_EQ(results(heuristics, 0, nullptr), 2);
        const Descriptor first = made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        const Descriptor second = made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        std::array<cudnnBackendDescriptor_t, 2> configurations{first.get(), second.get()};
        ASSERT_EQ(results(heuristics, 2, configurations.data()), 2);
        constexpr std::int64_t kX = 2LL * 8 * 16 * 16 * 16 * 2;
        constexpr std::int64_t kW = 4LL * 8 * 27 * 2;
        EXPECT_EQ(planWorkspace(first), kX + kW);
        EXPECT_EQ(planWorkspace(second), 1000);
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
