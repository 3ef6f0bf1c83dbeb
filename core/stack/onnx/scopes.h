#pragma once

#include <set>
#include <string>

#include "core/stack/onnx/file.h"
#include "core/stack/pytorch/graph.h"

/// The PyTorch modules that a node belongs to. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Parses "['', 'body', 'body.conv']"; empty if it is not such a list.
std::vector<std::string> listOfPython(std::string_view text);

/// The module that an initializer belongs to: "body.conv" of "body.conv.weight".
std::string moduleOf(std::string_view weight);

/// Newer exporters write names and classes into a node's metadata; the older one uses a path as the node's
/// name, "/body/body.0/conv/Conv"; for even older ones and other programs, only the names of the weights are
/// available.
class ScopeTable {
public:
    /// Counts its names against `budget`.
    ScopeTable(const File& file, base::MemoryBudget& budget);
    /// The modules around a node, the network itself first. Unknown classes are "torch.nn.modules..." for
    /// modules without submodules, so that their operators are treated as a layer.
    pytorch::Scopes of(const Node& node) const;

private:
    void look(const Body& body, base::MemoryBudget& budget);
    std::string kindOf(const std::string& path) const;
    pytorch::Scopes ofPath(const Node& node) const;
    pytorch::Scopes ofWeight(const Node& node) const;
    std::string weightOf(const Node& node) const;

    const File& file_;
    std::set<std::string> outer_;  ///< paths that contain other paths
    std::map<std::string, std::set<std::string>> kinds_;
};

}  // namespace highwater::stack::onnx
