#pragma once

#include <memory>
#include <vector>

#include "core/pretend/abi/dnn_graph.h"
#include "tests/core/pretend/pretend_fixture.h"

// Graphs of cuDNN's backend interface, made as LibTorch makes them.
namespace highwater::pretend {

struct DestroyDescriptor {
    void operator()(cudnnBackendDescriptor_t descriptor) const {
        EXPECT_EQ(cudnnBackendDestroyDescriptor(descriptor), CUDNN_STATUS_SUCCESS);
    }
};
using Descriptor = std::unique_ptr<void, DestroyDescriptor>;

inline Descriptor made(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t descriptor{};
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &descriptor), CUDNN_STATUS_SUCCESS);
    return Descriptor(descriptor);
}

inline void setOne(const Descriptor& to, cudnnBackendAttributeName_t name, const Descriptor& value) {
    const cudnnBackendDescriptor_t one = value.get();
    EXPECT_EQ(cudnnBackendSetAttribute(to.get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one),
              CUDNN_STATUS_SUCCESS);
}

inline void setIntegers(const Descriptor& to, cudnnBackendAttributeName_t name,
                        const std::vector<std::int64_t>& values) {
    EXPECT_EQ(cudnnBackendSetAttribute(to.get(), name, CUDNN_TYPE_INT64,
                                       static_cast<std::int64_t>(values.size()), values.data()),
              CUDNN_STATUS_SUCCESS);
}

inline Descriptor tensor(const std::vector<std::int64_t>& sizes) {
    Descriptor one = made(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const cudnnDataType_t half = CUDNN_DATA_HALF;
    cudnnBackendSetAttribute(one.get(), CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &half);
    setIntegers(one, CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
    EXPECT_EQ(cudnnBackendFinalize(one.get()), CUDNN_STATUS_SUCCESS);
    return one;
}

// A convolution in fp16 of 2 x 8 x 16 x 16 x 16 to `channels` channels. Its operation and tensors are
// destroyed by their owner before it is used.
inline Descriptor forwardGraph(std::int64_t channels = 4) {
    const Descriptor how = made(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    setIntegers(how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {1, 1, 1});
    setIntegers(how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {1, 1, 1});
    setIntegers(how, CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1, 1});
    const Descriptor operation = made(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how);
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor({2, 8, 16, 16, 16}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, tensor({channels, 8, 3, 3, 3}));
    setOne(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensor({2, channels, 16, 16, 16}));
    Descriptor graph = made(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    setOne(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    return graph;
}

inline std::int64_t workspaceOfPlan(const Descriptor& configuration) {
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

inline std::int64_t results(const Descriptor& heuristics, std::int64_t requested, void* configurations) {
    std::int64_t count = -1;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, requested, &count, configurations),
              CUDNN_STATUS_SUCCESS);
    return count;
}

// The engine configurations of one of the two lists.
inline std::vector<Descriptor> configurations(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
    const Descriptor heuristics = made(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    setOne(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    EXPECT_EQ(cudnnBackendSetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1,
                                       &mode),
              CUDNN_STATUS_SUCCESS);
    std::vector<Descriptor> made_;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = results(heuristics, 0, nullptr); i > 0; --i) {
        made_.push_back(made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
        raw.push_back(made_.back().get());
    }
    EXPECT_EQ(results(heuristics, static_cast<std::int64_t>(raw.size()), raw.data()),
              static_cast<std::int64_t>(raw.size()));
    return made_;
}

}  // namespace highwater::pretend
