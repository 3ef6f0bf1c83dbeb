#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/pretend/abi/dnn_graph.h"

// Descriptors of cuDNN's backend (graph) API: all attributes are stored as they were set.
namespace highwater::pretend {

struct Node;
struct DnnOperation;

struct Attribute {
    cudnnBackendAttributeType_t type;
    std::int64_t count = 0;
    std::vector<char> bytes;
    std::vector<std::shared_ptr<Node>> nodes;  // instead of bytes, if the type is a descriptor
};

struct Node {
    cudnnBackendDescriptorType_t type;
    bool finalized = false;
    std::map<int, Attribute> attributes;
    // For an engine configuration from the heuristics: the operation, and the plan of that operation.
    std::shared_ptr<DnnOperation> operation = nullptr;
    std::size_t plan = 0;
};

// The size of one element in bytes.
std::size_t elementBytes(cudnnBackendAttributeType_t type);

// The first node of an attribute, or null.
std::shared_ptr<Node> child(const Node& node, int attribute);
std::vector<std::int64_t> integers(const Node& node, int attribute);

// A convolution in an operation graph: its three tensors and how they are convolved. The nodes are null if
// the graph has no convolution, or an incomplete one.
struct ConvolutionNodes {
    const char* name = nullptr;  // "convolution-forward"
    const char* rule = nullptr;  // "forward", "input", "weight": the gradient that it computes
    std::shared_ptr<Node> x;
    std::shared_ptr<Node> w;
    std::shared_ptr<Node> y;
    std::shared_ptr<Node> how;
    explicit operator bool() const { return x && w && y && how; }
};
ConvolutionNodes convolutionOf(const Node& graph);

// The type of a tensor; float if none was set.
cudnnDataType_t typeOf(const Node& tensor);
double bytesOf(const Node& tensor);
// Its channels are adjacent in memory, and it has several channels and several spatial elements.
bool liesChannelsLast(const Node& tensor);

// "convolution-forward", or "operation-N" if it is not a convolution.
std::string operationName(const Node& graph);
// The operation in the format of core/cudnn's operationText(): "forward f16 channels_last x2,32,8,8,8 ...".
std::string operationText(const ConvolutionNodes& convolution);
// The question for highwater-cudnn about it, predict::questionName() with all plans allowed (TF32, not
// deterministic). A transposed convolution is the gradient of the ordinary one. Empty if it cannot be asked:
// fp64, integers, sizes that the text cannot express.
std::string questionText(const ConvolutionNodes& convolution);

}  // namespace highwater::pretend
