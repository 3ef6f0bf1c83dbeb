#pragma once

#include <set>
#include <string>

#include "core/stack/onnx/file.h"
#include "core/stack/pytorch/graph.h"

/// The modules of PyTorch that a node was made in. Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// "['', 'body', 'body.conv']" as its texts; none for what is no such list.
std::vector<std::string> listOfPython(std::string_view text);

/// The module that an initializer belongs to: "body.conv" of "body.conv.weight".
std::string moduleOf(std::string_view weight);

/// Newer exporters write names and classes into a node's metadata; the older one writes a path as its name,
/// "/body/body.0/conv/Conv"; before, and for other programs, the names of the weights are all there is.
class ScopeTable {
public:
    /// Counts its names against `budget`.
    ScopeTable(const File& file, base::MemoryBudget& budget);
    /// The outermost is the network itself. Classes that are not said are "torch.nn.modules..." where no
    /// module lies inside, so that what lies there is taken for a layer's own.
    pytorch::Scopes of(const Node& node) const;

private:
    void look(const Body& body, base::MemoryBudget& budget);
    std::string kindOf(const std::string& path) const;
    pytorch::Scopes ofPath(const Node& node) const;
    pytorch::Scopes ofWeight(const Node& node) const;
    std::string weightOf(const Node& node) const;

    const File& file_;
    std::set<std::string> outer_;  ///< paths that other paths lie in
    std::map<std::string, std::set<std::string>> kinds_;
};

}  // namespace highwater::stack::onnx
