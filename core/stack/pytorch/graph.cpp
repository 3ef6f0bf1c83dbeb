#include "core/stack/pytorch/graph.h"

#include <functional>
#include <map>
#include <numeric>

namespace highwater::stack::pytorch {

std::string where(const Scopes& scopes) {
    return scopes.empty() ? "" : scopes.back().name;
}

bool isLeaf(const Scopes& scopes) {
    return !scopes.empty() && scopes.back().kind.starts_with("torch.nn.modules.");
}

Scopes around(Scopes scopes) {
    if (isLeaf(scopes)) {
        scopes.pop_back();
    }
    return scopes;
}

bool isContiguous(const TensorMeta& meta) {
    if (meta.strides.size() != meta.shape.size() || elements(meta.shape) == 0) {
        return true;
    }
    std::int64_t expected = 1;
    for (std::size_t axis = meta.shape.size(); axis-- > 0;) {
        if (meta.shape[axis] != 1 && meta.strides[axis] != expected) {
            return false;
        }
        expected *= meta.shape[axis];
    }
    return true;
}

std::int64_t elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

const Shape& Graph::shape(Ref ref) const {
    static const Shape none;
    return values[ref].meta ? values[ref].meta->shape : none;
}

const Shape& Graph::shape(const Call& call) const {
    static const Shape none;
    return call.outputs.empty() ? none : shape(call.outputs.front());
}

void readTies(const base::Json& weights, Graph& graph) {
    const base::Json config = weights.is_object() ? weights.value("config", base::Json()) : base::Json();
    if (!config.is_object()) {
        return;
    }
    std::map<std::string, std::string> tensors, first;  // what tells a tensor apart; its first name
    for (auto at = config.begin(); at != config.end(); ++at) {
        const base::Json meta = at->is_object() ? at->value("tensor_meta", base::Json()) : base::Json();
        if (meta.is_object()) {
            const base::Json parts{at->value("path_name", base::Json()), meta.value("sizes", base::Json()),
                                   meta.value("storage_offset", base::Json())};
            tensors.emplace(at.key(), parts.dump(-1, ' ', false, base::Json::error_handler_t::replace));
        }
    }
    for (Parameter& parameter : graph.parameters) {
        if (const auto tensor = tensors.find(parameter.name); tensor != tensors.end()) {
            parameter.name = first.emplace(tensor->second, parameter.name).first->second;
        }
    }
    graph.tiesKnown = true;
}

void readOtherNames(const base::Json& ties, Graph& graph) {
    for (Parameter& parameter : graph.parameters) {
        const base::Json first = ties.is_object() ? ties.value(parameter.name, base::Json()) : base::Json();
        if (first.is_string()) {
            parameter.name = first.get<std::string>();
        }
    }
    graph.tiesKnown = true;
}

std::string className(const Graph& graph) {
    for (const Call& call : graph.calls) {
        if (!call.scopes.empty() && call.scopes.front().name.empty()) {
            const std::string& kind = call.scopes.front().kind;
            return kind.substr(kind.rfind('.') + 1);
        }
    }
    return "";
}

}  // namespace highwater::stack::pytorch
