#include "core/pretend/dnn_graph.h"

#include <algorithm>
#include <cstring>

#include "core/pretend/dnn.h"

namespace highwater::pretend {
namespace {

struct Convolution {
    cudnnBackendDescriptorType_t type;
    const char* name;
    const char* rule;
    int x;
    int w;
    int y;
    int how;
};

constexpr Convolution kConvolutions[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, "convolution-forward", "forward",
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, "convolution-input", "input",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, "convolution-weight", "weight",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC},
};

const Convolution* kindOf(const Node& operation) {
    const auto found = std::find_if(std::begin(kConvolutions), std::end(kConvolutions),
                                    [&](const Convolution& one) { return one.type == operation.type; });
    return found == std::end(kConvolutions) ? nullptr : found;
}

std::string typeText(const Node& tensor) {
    const cudnnDataType_t type = typeOf(tensor);
    return type == CUDNN_DATA_HALF ? " fp16" : type == CUDNN_DATA_BFLOAT16 ? " bf16" : " fp32";
}

std::string list(const char* name, const std::vector<std::int64_t>& values) {
    std::string text = name;
    for (std::size_t i = 0; i < values.size(); ++i) {
        text += (i > 0 ? "," : "") + std::to_string(values[i]);
    }
    return text;
}

// The sizes without samples and channels.
std::vector<std::int64_t> axes(const std::vector<std::int64_t>& sizes) {
    return {sizes.begin() + 2, sizes.end()};
}

bool liesChannelsLast(const ConvolutionNodes& c) {
    return liesChannelsLast(*c.x) || liesChannelsLast(*c.y) || liesChannelsLast(*c.w);
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

cudnnDataType_t typeOf(const Node& tensor) {
    cudnnDataType_t value = CUDNN_DATA_FLOAT;
    const auto type = tensor.attributes.find(CUDNN_ATTR_TENSOR_DATA_TYPE);
    if (type != tensor.attributes.end() && type->second.bytes.size() >= sizeof value) {
        std::memcpy(&value, type->second.bytes.data(), sizeof value);
    }
    return value;
}

double bytesOf(const Node& tensor) {
    double bytes = dataTypeBytes(typeOf(tensor));
    for (const std::int64_t size : integers(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS)) {
        bytes *= static_cast<double>(size);
    }
    return bytes;
}

bool liesChannelsLast(const Node& tensor) {
    const auto sizes = integers(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto strides = integers(tensor, CUDNN_ATTR_TENSOR_STRIDES);
    bool space = false;
    for (std::size_t i = 2; i < sizes.size(); ++i) {
        space = space || sizes[i] > 1;
    }
    return space && sizes.size() > 2 && strides.size() == sizes.size() && sizes[1] > 1 && strides[1] == 1;
}

ConvolutionNodes convolutionOf(const Node& graph) {
    const auto operation = child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    const Convolution* kind = operation ? kindOf(*operation) : nullptr;
    if (!kind) {
        return {};
    }
    return {kind->name,
            kind->rule,
            child(*operation, kind->x),
            child(*operation, kind->w),
            child(*operation, kind->y),
            child(*operation, kind->how)};
}

std::string operationName(const Node& graph) {
    const auto operation = child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (!operation) {
        return "operation";
    }
    const Convolution* convolution = kindOf(*operation);
    return convolution ? convolution->name : "operation-" + std::to_string(operation->type);
}

std::string operationText(const ConvolutionNodes& c) {
    return std::string(c.rule) + typeText(*c.x) + (liesChannelsLast(c) ? " channels_last" : "") +
           list(" x", integers(*c.x, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" w", integers(*c.w, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" y", integers(*c.y, CUDNN_ATTR_TENSOR_DIMENSIONS)) +
           list(" stride", integers(*c.how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)) +
           list(" padding", integers(*c.how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)) +
           list(" dilation", integers(*c.how, CUDNN_ATTR_CONVOLUTION_DILATIONS));
}

std::string questionText(const ConvolutionNodes& c) {
    const cudnnDataType_t type = typeOf(*c.x);
    const char* const word = type == CUDNN_DATA_FLOAT      ? ""
                             : type == CUDNN_DATA_HALF     ? "/fp16"
                             : type == CUDNN_DATA_BFLOAT16 ? "/bf16"
                                                           : nullptr;
    const auto x = integers(*c.x, CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto w = integers(*c.w, CUDNN_ATTR_TENSOR_DIMENSIONS);
    const auto y = integers(*c.y, CUDNN_ATTR_TENSOR_DIMENSIONS);
    if (!word || typeOf(*c.w) != type || typeOf(*c.y) != type || x.size() < 3 || x.size() > 5 ||
        w.size() != x.size() || y.size() != x.size() || w[1] < 1) {
        return "";
    }
    const bool forward = std::string(c.rule) == "forward";
    return list("conv", {static_cast<std::int64_t>(x.size()) - 2}) + "d/" + (forward ? "f" : "b") +
           list("/n", {x[0]}) + list("/c", {x[1], y[1]}) + list("/i", axes(x)) + list("/k", axes(w)) +
           list("/s", integers(*c.how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)) +
           list("/p", integers(*c.how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)) +
           list("/d", integers(*c.how, CUDNN_ATTR_CONVOLUTION_DILATIONS)) + list("/g", {x[1] / w[1]}) +
           (forward                          ? ""
            : std::string(c.rule) == "input" ? "/gi"
                                             : "/gw") +
           word + (liesChannelsLast(c) ? "/cl" : "") + (type == CUDNN_DATA_FLOAT ? " tf32" : " -");
}

}  // namespace highwater::pretend
