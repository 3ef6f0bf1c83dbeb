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
};

// The size of one element in bytes.
std::size_t elementBytes(cudnnBackendAttributeType_t type);

// The first node of an attribute, or null.
std::shared_ptr<Node> child(const Node& node, int attribute);
std::vector<std::int64_t> integers(const Node& node, int attribute);

// "convolution-forward", or "operation-N" for one that has no rules.
std::string operationName(const Node& graph);
// The operation as core/cudnn's operationText() writes it: "forward f16 channels_last x2,32,8,8,8 ...".
std::string operationText(const Node& graph);
// The workspace of every engine that the heuristics offer for a graph.
std::vector<std::uint64_t> engineWorkspaces(const Node& graph);
// One engine configuration for each of them.
std::vector<std::shared_ptr<Node>> engineConfigurations(const std::shared_ptr<Node>& graph);
// The workspace of the engine that a plan was built from, and the graph that it was built for.
std::uint64_t planWorkspace(const Node& plan);
std::shared_ptr<Node> planGraph(const Node& plan);

}  // namespace highwater::pretend
