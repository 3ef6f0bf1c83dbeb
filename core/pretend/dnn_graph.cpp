#include "core/pretend/dnn_graph.h"

#include <algorithm>
#include <cstring>

#include "core/pretend/dnn.h"
#include "core/pretend/told_plans.h"
#include "core/pretend/workspace_rules.h"

namespace highwater::pretend {
namespace {

struct Convolution {
    cudnnBackendDescriptorType_t type;
    const char* name;
    const char* rule;
    int x;
    int w;
    int y;
};

constexpr Convolution kConvolutions[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, "convolution-forward", "forward",
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, "convolution-input", "input",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, "convolution-weight", "weight",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
};

const Convolution* convolutionOf(const Node& operation) {
    const auto found = std::find_if(std::begin(kConvolutions), std::end(kConvolutions),
                                    [&](const Convolution& one) { return one.type == operation.type; });
    return found == std::end(kConvolutions) ? nullptr : found;
}

double tensorBytes(const Node& operation, int attribute) {
    const auto tensor = child(operation, attribute);
    if (!tensor) {
        return 0;
    }
    double bytes = 4;
    const auto type = tensor->attributes.find(CUDNN_ATTR_TENSOR_DATA_TYPE);
    if (type != tensor->attributes.end() && type->second.bytes.size() >= sizeof(cudnnDataType_t)) {
        cudnnDataType_t value;
        std::memcpy(&value, type->second.bytes.data(), sizeof value);
        bytes = dataTypeBytes(value);
    }
    for (const std::int64_t size : integers(*tensor, CUDNN_ATTR_TENSOR_DIMENSIONS)) {
        bytes *= static_cast<double>(size);
    }
    return bytes;
}

int convolutionDescriptor(const Convolution& convolution) {
    switch (convolution.type) {
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
            return CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC;
        case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
            return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC;
        default:
            return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC;
    }
}

std::string typeText(const Node& tensor) {
    const auto type = tensor.attributes.find(CUDNN_ATTR_TENSOR_DATA_TYPE);
    cudnnDataType_t value = CUDNN_DATA_FLOAT;
    if (type != tensor.attributes.end() && type->second.bytes.size() >= sizeof value) {
        std::memcpy(&value, type->second.bytes.data(), sizeof value);
    }
    return value == CUDNN_DATA_HALF ? " fp16" : value == CUDNN_DATA_BFLOAT16 ? " bf16" : " fp32";
}

// Its channels lie next to each other, and it has several of them and of anything else.
bool liesChannelsLast(const Node& tensor) {
    const auto sizes = integers(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto strides = integers(tensor, CUDNN_ATTR_TENSOR_STRIDES);
    bool space = false;
    for (std::size_t i = 2; i < sizes.size(); ++i) {
        space = space || sizes[i] > 1;
    }
    return space && sizes.size() > 2 && strides.size() == sizes.size() && sizes[1] > 1 && strides[1] == 1;
}

std::string list(const char* name, const std::vector<std::int64_t>& values) {
    std::string text = name;
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text;
}

Attribute integerAttribute(std::int64_t value) {
    Attribute attribute{CUDNN_TYPE_INT64, 1, std::vector<char>(sizeof value), {}};
    std::memcpy(attribute.bytes.data(), &value, sizeof value);
    return attribute;
}

Attribute nodeAttribute(const std::shared_ptr<Node>& node) {
    return {CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {node}};
}

}  // namespace

std::size_t elementBytes(cudnnBackendAttributeType_t type) {
    switch (type) {
        case CUDNN_TYPE_HANDLE:
        case CUDNN_TYPE_INT64:
        case CUDNN_TYPE_DOUBLE:
        case CUDNN_TYPE_VOID_PTR:
        case CUDNN_TYPE_BACKEND_DESCRIPTOR:
            return 8;
        case CUDNN_TYPE_BOOLEAN:
        case CUDNN_TYPE_CHAR:
            return 1;
        case CUDNN_TYPE_FRACTION:
            return 16;
        default:
            return 4;
    }
}

std::shared_ptr<Node> child(const Node& node, int attribute) {
    const auto found = node.attributes.find(attribute);
    return found == node.attributes.end() || found->second.nodes.empty() ? nullptr : found->second.nodes[0];
}

std::vector<std::int64_t> integers(const Node& node, int attribute) {
    const auto found = node.attributes.find(attribute);
    if (found == node.attributes.end() || found->second.type != CUDNN_TYPE_INT64) {
        return {};
    }
    std::vector<std::int64_t> values(found->second.count);
    std::memcpy(values.data(), found->second.bytes.data(), found->second.bytes.size());
    return values;
}

std::string operationName(const Node& graph) {
    const auto operation = child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (!operation) {
        return "operation";
    }
    const Convolution* convolution = convolutionOf(*operation);
    return convolution ? convolution->name : "operation-" + std::to_string(operation->type);
}

std::string operationText(const Node& graph) {
    const auto operation = child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    const Convolution* convolution = operation ? convolutionOf(*operation) : nullptr;
    const auto x = convolution ? child(*operation, convolution->x) : nullptr;
    const auto w = convolution ? child(*operation, convolution->w) : nullptr;
    const auto y = convolution ? child(*operation, convolution->y) : nullptr;
    const auto how = convolution ? child(*operation, convolutionDescriptor(*convolution)) : nullptr;
    if (!x || !w || !y || !how) {
        return "";
    }
    return std::string(convolution->rule) + typeText(*x) +
           (liesChannelsLast(*x) || liesChannelsLast(*y) || liesChannelsLast(*w) ? " channels_last" : "") +
           list(" x", integers(*x, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" w", integers(*w, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" y", integers(*y, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" stride", integers(*how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)) +
           list(" padding", integers(*how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)) +
           list(" dilation", integers(*how, CUDNN_ATTR_CONVOLUTION_DILATIONS));
}

std::vector<std::uint64_t> engineWorkspaces(const Node& graph) {
    const auto operation = child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    const Convolution* convolution = operation ? convolutionOf(*operation) : nullptr;
    if (!convolution) {
        return {0};
    }
    if (const auto told = toldWorkspace(operationText(graph))) {
        return {*told};
    }
    return workspaces(convolution->rule,
                      {tensorBytes(*operation, convolution->x), tensorBytes(*operation, convolution->w),
                       tensorBytes(*operation, convolution->y)});
}

std::vector<std::shared_ptr<Node>> engineConfigurations(const std::shared_ptr<Node>& graph) {
    std::vector<std::shared_ptr<Node>> configurations;
    const std::size_t count = engineWorkspaces(*graph).size();
    for (std::size_t index = 0; index < count; ++index) {
        auto engine = std::make_shared<Node>(Node{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true, {}});
        engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = nodeAttribute(graph);
        engine->attributes[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] = integerAttribute(index);
        auto one = std::make_shared<Node>(Node{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true, {}});
        one->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = nodeAttribute(engine);
        configurations.push_back(one);
    }
    return configurations;
}

std::shared_ptr<Node> planGraph(const Node& plan) {
    const auto configuration = child(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    const auto engine = configuration ? child(*configuration, CUDNN_ATTR_ENGINECFG_ENGINE) : nullptr;
    return engine ? child(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH) : nullptr;
}

std::uint64_t planWorkspace(const Node& plan) {
    const auto graph = planGraph(plan);
    if (!graph) {
        return 0;
    }
    const auto engine =
        child(*child(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG), CUDNN_ATTR_ENGINECFG_ENGINE);
    const auto index = integers(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
    const auto sizes = engineWorkspaces(*graph);
    const std::size_t at = index.empty() || index[0] < 0 ? 0 : static_cast<std::size_t>(index[0]);
    return at < sizes.size() ? sizes[at] : 0;
}

}  // namespace highwater::pretend
