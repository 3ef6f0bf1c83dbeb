#include "core/stack/pytorch/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>

#include "core/layers/limits.h"
#include "core/stack/pytorch/json_parts.h"

namespace highwater::stack::pytorch {

std::size_t memoryOf(const Scopes& scopes) {
    std::size_t bytes = 0;
    for (const Scope& scope : scopes) {
        for (const std::string* text : {&scope.key, &scope.name, &scope.kind}) {
            bytes += base::MemoryBudget::bytesOf(*text);
        }
    }
    return bytes;
}

namespace {

constexpr std::size_t kNode = 48;  // a node of a map, besides its value

std::size_t memoryOf(const Argument& argument) {
    std::size_t bytes = sizeof(argument);
    std::visit(
        [&bytes](const auto& held) {
            if constexpr (requires { held.size(); }) {
                bytes += held.size() * sizeof(held[0]);
            }
        },
        argument);
    return bytes;
}

}  // namespace

std::size_t memoryOf(const Call& call) {
    std::size_t bytes = sizeof(call) + call.name.size() + memoryOf(call.scopes) +
                        (call.reads.size() + call.outputs.size()) * sizeof(Ref);
    for (const auto& [name, argument] : call.arguments) {
        bytes += kNode + base::MemoryBudget::bytesOf(name) + memoryOf(argument);
    }
    return bytes;
}

std::size_t memoryOf(const NamedValue& value) {
    const std::size_t numbers = value.meta ? value.meta->shape.size() + value.meta->strides.size() : 0;
    return sizeof(value) + kNode + 2 * base::MemoryBudget::bytesOf(value.name) +
           numbers * sizeof(std::int64_t);
}

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

Shape Graph::inputShape() const {
    Shape whole = shape(inputs.front());
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        whole[1] += shape(inputs[i])[1];
    }
    return whole;
}

base::Status takeInputs(const Refs& given, Graph& graph) {
    constexpr std::size_t kFewest = 3;  // samples, channels, a size
    const auto weight = [&graph](Ref ref) {
        const Shape& shape = graph.shape(ref);
        return shape.size() < kFewest ? std::int64_t{0} : elements(shape);
    };
    const auto largest =
        std::max_element(given.begin(), given.end(), [&](Ref a, Ref b) { return weight(a) < weight(b); });
    if (largest == given.end()) {
        return base::Error{"the network takes no tensor"};
    }
    if (!graph.values[*largest].meta) {
        return base::Error{"the input's sizes are not given"};
    }
    const TensorMeta& main = *graph.values[*largest].meta;
    std::int64_t channels = 0;
    for (const Ref ref : given) {
        const auto& meta = graph.values[ref].meta;
        const bool alike = meta && meta->dtype == main.dtype && meta->shape.size() == main.shape.size() &&
                           main.shape.size() >= kFewest && meta->shape[0] == main.shape[0] &&
                           std::equal(meta->shape.begin() + 2, meta->shape.end(), main.shape.begin() + 2);
        if (alike) {
            channels += meta->shape[1];
        }
        (alike || ref == *largest ? graph.inputs : graph.otherInputs).push_back(ref);
    }
    return channels <= kMostSize ? base::Status() : base::Error{"the inputs have too many channels together"};
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
    const base::Json* const config = find(weights, "config");
    if (!config || !config->is_object()) {
        return;
    }
    std::map<std::string, std::string> tensors, first;  // what identifies a tensor; its first name
    for (auto at = config->begin(); at != config->end(); ++at) {
        const base::Json meta = at->is_object() ? at->value("tensor_meta", base::Json()) : base::Json();
        if (meta.is_object()) {
            const base::Json parts{at->value("path_name", base::Json()), meta.value("sizes", base::Json()),
                                   meta.value("storage_offset", base::Json())};
            tensors.emplace(at.key(), base::jsonText(parts));
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
    std::unordered_map<std::string_view, const base::Json*> first;
    for (auto at = ties.begin(); ties.is_object() && at != ties.end(); ++at) {
        first.emplace(at.key(), &*at);
    }
    for (Parameter& parameter : graph.parameters) {
        const auto found = first.find(parameter.name);
        if (found != first.end() && found->second->is_string()) {
            parameter.name = found->second->get<std::string>();
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
