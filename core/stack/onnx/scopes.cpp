#include "core/stack/onnx/scopes.h"

#include <algorithm>

namespace highwater::stack::onnx {

namespace {

using pytorch::Scopes;

constexpr std::size_t kLongestPath = 2000;
constexpr std::size_t kDeepestPath = 60;

/// "/body/body.0/conv" of "/body/body.0/conv/Conv"; empty for a name that is not a path.
std::string pathOf(const Node& node) {
    const bool path =
        node.name.starts_with('/') && node.name.size() < kLongestPath &&
        std::count(node.name.begin(), node.name.end(), '/') < static_cast<std::ptrdiff_t>(kDeepestPath);
    return path ? node.name.substr(0, node.name.rfind('/')) : "";
}

/// The name of a path's part within its module: the child of a list repeats the list's name, "body" and then
/// "body.0".
std::string inside(const std::string& outer, const std::string& part) {
    const std::size_t point = part.rfind('.');
    const std::string list = point == std::string::npos ? "" : part.substr(0, point);
    if (outer.empty()) {
        return part;
    }
    const bool repeated = !list.empty() && (outer == list || outer.ends_with("." + list));
    return outer + "." + (repeated ? part.substr(point + 1) : part);
}

}  // namespace

std::vector<std::string> listOfPython(std::string_view text) {
    std::vector<std::string> items;
    for (std::size_t at = text.find_first_of("'\""); at != std::string_view::npos;
         at = text.find_first_of("'\"", at)) {
        const char quote = text[at];
        const std::size_t end = text.find(quote, at + 1);
        if (end == std::string_view::npos) {
            return {};
        }
        items.emplace_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return items;
}

std::string moduleOf(std::string_view weight) {
    const std::size_t point = weight.rfind('.');
    return std::string(point == std::string_view::npos ? "" : weight.substr(0, point));
}

ScopeTable::ScopeTable(const File& file, base::MemoryBudget& budget) : file_(file) {
    look(file.body, budget);
}

void ScopeTable::look(const Body& body, base::MemoryBudget& budget) {
    for (const Node& node : body.nodes) {
        const std::string path = pathOf(node);
        if (path.empty()) {
            continue;
        }
        if (!budget.take(static_cast<std::size_t>(std::ranges::count(path, '/')), 2 * path.size())) {
            return;
        }
        kinds_[path].insert(node.kind);
        for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
            outer_.insert(path.substr(0, at));
        }
    }
}

/// The exporter writes a local response norm as separate operators.
std::string ScopeTable::kindOf(const std::string& path) const {
    const auto found = kinds_.find(path);
    if (outer_.contains(path) || found == kinds_.end()) {
        return "";
    }
    const std::set<std::string>& kinds = found->second;
    const bool response = kinds.contains("AveragePool") && kinds.contains("Pow") && kinds.contains("Div");
    return response                 ? std::string(pytorch::kLocalResponseNorm)
           : kinds.contains("Conv") ? "torch.nn.modules.conv.Conv"
                                    : "torch.nn.modules.module.Module";
}

std::string ScopeTable::weightOf(const Node& node) const {
    for (const std::string& input : node.inputs) {
        if (input.ends_with(".weight") && input.size() < kLongestPath && file_.weights.contains(input)) {
            return moduleOf(input);
        }
    }
    return "";
}

Scopes ScopeTable::ofPath(const Node& node) const {
    Scopes scopes{{"", "", ""}};
    const std::string path = pathOf(node);
    std::string name;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at + 1), path.size());
        name = inside(name, path.substr(at + 1, end - at - 1));
        scopes.push_back({path.substr(0, end), name, kindOf(path.substr(0, end))});
        at = end;
    }
    const std::string weight = weightOf(node);
    if (scopes.size() > 1 && !weight.empty() && !scopes.back().kind.empty()) {
        scopes.back().name = weight;  // the path of a module's second call has a number appended
    }
    return scopes;
}

Scopes ScopeTable::ofWeight(const Node& node) const {
    Scopes scopes{{"", "", ""}};
    const std::string weight = weightOf(node);
    for (std::size_t at = 0; at < weight.size() && scopes.size() < kDeepestPath;) {
        const std::size_t end = std::min(weight.find('.', at), weight.size());
        scopes.push_back({weight.substr(0, end), weight.substr(0, end), ""});
        at = end + 1;
    }
    if (scopes.size() > 1) {
        scopes.back().kind =
            node.kind == "Conv" ? "torch.nn.modules.conv.Conv" : "torch.nn.modules.module.Module";
    }
    return scopes;
}

Scopes ScopeTable::of(const Node& node) const {
    const auto names = listOfPython(node.names), classes = listOfPython(node.classes);
    if (names.empty() || names.size() != classes.size() || names.size() > kDeepestPath) {
        return pathOf(node).empty() ? ofWeight(node) : ofPath(node);
    }
    Scopes scopes;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {  // the last is the operator itself
        scopes.push_back({names[i], names[i], classes[i]});
    }
    return scopes;
}

}  // namespace highwater::stack::onnx
