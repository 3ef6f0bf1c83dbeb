#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/pretend/abi/dnn_graph.h"

// Descriptors of cuDNN's backend (graph) API: whatever is set is kept, as it was given.
namespace highwater::pretend {

struct Node;
struct DnnOperation;

struct Attribute {
    cudnnBackendAttributeType_t type;
    std::int64_t count = 0;
    std::vector<char> bytes;
    std::vector<std::shared_ptr<Node>> nodes;  // instead of bytes where the type is a descriptor
};

struct Node {
    cudnnBackendDescriptorType_t type;
    bool finalized = false;
    std::map<int, Attribute> attributes;
    // Of an engine configuration that the heuristics gave: the plan that it is, of that operation's.
    std::shared_ptr<DnnOperation> operation = nullptr;
    std::size_t plan = 0;
};

// The size of one element in bytes.
std::size_t elementBytes(cudnnBackendAttributeType_t type);

// The first node of an attribute, or null.
std::shared_ptr<Node> child(const Node& node, int attribute);
std::vector<std::int64_t> integers(const Node& node, int attribute);

// A convolution of an operation graph: its three tensors and how they are convolved. The nodes are null where
// the graph has no convolution, or one that is not complete.
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

// The type of a tensor; float where none was set.
cudnnDataType_t typeOf(const Node& tensor);
double bytesOf(const Node& tensor);
// Its channels lie next to each other, and it has several of them and of anything else.
bool liesChannelsLast(const Node& tensor);

// "convolution-forward", or "operation-N" for one that is no convolution.
std::string operationName(const Node& graph);
// The operation as core/cudnn's operationText() writes it: "forward f16 channels_last x2,32,8,8,8 ...".
std::string operationText(const ConvolutionNodes& convolution);
// The question of highwater-cudnn about it, predict::questionName() with all plans allowed (TF32, not
// deterministic). A transposed convolution is the gradient of the ordinary one. Empty where none can be
// asked: fp64, integers, sizes without a form of words.
std::string questionText(const ConvolutionNodes& convolution);

}  // namespace highwater::pretend
