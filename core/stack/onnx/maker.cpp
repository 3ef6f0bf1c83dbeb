#include "core/stack/onnx/maker.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/stack/onnx/op.h"
#include "core/stack/pytorch/reads.h"

namespace highwater::stack::onnx {

namespace {

/// The types as numbered by torch.export.
std::int64_t dtypeOf(Type type) {
    switch (type) {
        case Type::Float:
            return pytorch::kFloat;
        case Type::Half:
            return pytorch::kHalf;
        case Type::Bfloat16:
            return pytorch::kBfloat16;
        case Type::Double:
            return 8;
        case Type::Int64:
            return 5;
        default:
            return 0;
    }
}

Value valueOf(const Tensor& tensor, const std::string& weight) {
    Value value;
    value.constant = value.sized = true;
    value.shape = tensor.shape;
    value.type = tensor.type;
    value.numbers = tensor.numbers;
    value.outside = tensor.outside;
    value.weight = weight;
    return value;
}

bool isReal(Type type) {
    return type == Type::Float || type == Type::Half || type == Type::Bfloat16 || type == Type::Double;
}

}  // namespace

bool isMadeName(std::string_view name) {
    return name.starts_with("val_") || name.starts_with("onnx::") || name.find('/') != std::string_view::npos;
}

bool Value::isNumber() const {
    const bool parameter = !weight.empty() && !shape.empty() && !isMadeName(weight);
    return constant && numbers.size() == 1 && !parameter;
}

std::size_t Value::count() const {
    return std::find(shape.begin(), shape.end(), 0) == shape.end()
               ? static_cast<std::size_t>(pytorch::elements(shape))
               : 0;
}

void Maker::define(const std::string& name, Value value) {
    if (!name.empty()) {
        constexpr std::size_t kNode = 48;  // a node of a map, besides its value
        budget_.take(sizeof(value) + kNode + base::MemoryBudget::bytesOf(name) + value.weight.size() +
                     value.shape.size() * sizeof(value.shape[0]) +
                     value.numbers.size() * sizeof(value.numbers[0]));
        values_.insert_or_assign(name, std::move(value));
    }
}

Value* Maker::find(const std::string& name) {
    const auto found = values_.find(name);
    return name.empty() || found == values_.end() ? nullptr : &found->second;
}

Ref Maker::newRef(const std::string& name, const Value& value) {
    const Ref ref = graph_.values.size();
    graph_.values.push_back({name, std::nullopt, std::nullopt});
    budget_.take(memoryOf(graph_.values.back()));
    if (value.sized) {
        auto meta = pytorch::contiguousMeta(value.shape, dtypeOf(value.type), name);
        if (meta) {
            graph_.values.back().meta = *std::move(meta);
        } else if (!error_) {
            error_ = meta.error();
        }
    }
    return ref;
}

Ref Maker::parameter(const std::string& name, const Shape& shape, Type type) {
    const auto [at, isNew] = parameters_.emplace(fmt::format("{} {}", name, fmt::join(shape, ",")), 0);
    if (isNew) {
        Value value;
        value.sized = true;
        value.shape = shape;
        value.type = type;
        at->second = newRef(name, value);
        graph_.parameters.push_back({at->second, name});
    }
    return at->second;
}

/// A value that no node computes is a parameter, or a constant.
Ref Maker::refOf(const std::string& name, Value& value) {
    if (!value.ref) {
        value.ref = !value.weight.empty() && isReal(value.type)
                        ? parameter(value.weight, value.shape, value.type)
                        : newRef(name, value);
    }
    return *value.ref;
}

void Maker::addCall(pytorch::Call call) {
    pytorch::Reads reads;
    for (const auto& [name, argument] : call.arguments) {
        reads.add(argument);
    }
    call.reads = std::move(reads.refs);
    for (const Ref ref : call.reads) {
        ++graph_.values[ref].users;
    }
    for (const Ref ref : call.outputs) {
        graph_.values[ref].madeBy = graph_.calls.size();
    }
    budget_.take(memoryOf(call));
    graph_.calls.push_back(std::move(call));
}

/// An If with a known condition is replaced by its branch; an exporter writes one if it does not know a size.
void Maker::runBranch(const Node& node) {
    Op op(*this, node);
    const bool then = op.in(0).at(0) != 0;
    const auto branch = node.attributes.find(then ? "then_branch" : "else_branch");
    const auto* body =
        branch == node.attributes.end() ? nullptr : std::get_if<std::shared_ptr<Body>>(&branch->second);
    if (!body) {
        return op.refuse("If");
    }
    run(**body);
    for (std::size_t i = 0; i < node.outputs.size() && i < (*body)->outputs.size(); ++i) {
        if (const Value* made = find((*body)->outputs[i])) {
            define(node.outputs[i], Value(*made));
        }
    }
}

void Maker::run(const Body& body) {
    for (const Node& node : body.nodes) {
        if (error_ || budget_.exceeded()) {
            return;
        }
        for (const std::string& output : node.outputs) {
            makers_[output] = &node;
        }
        Op op(*this, node);
        if (node.kind == "If" && op.in(0).constant && !op.in(0).numbers.empty()) {
            runBranch(node);
            continue;
        }
        if (fold(op) || fuse(op)) {
            continue;
        }
        translatorOf(node.kind)(op);
        if (!op.done()) {
            op.refuse(node.kind);
        }
    }
}

base::Result<pytorch::Graph> Maker::make(const std::vector<Shape>& inputs) {
    pytorch::Refs all;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& [name, said] = file_.inputs[i];
        asTheFile_ = asTheFile_ && inputs[i] == said.shape;
        Value given;
        given.sized = given.data = true;
        given.shape = inputs[i];
        given.type = said.type;
        given.ref = newRef(name, given);
        all.push_back(*given.ref);
        define(name, given);
    }
    if (const auto taken = error_ ? base::Status(*error_) : pytorch::takeInputs(all, graph_); !taken) {
        return taken.error();
    }
    for (const auto& [key, tensor] : file_.weights) {
        define(key, valueOf(tensor, key));
    }
    run(file_.body);
    if (budget_.exceeded()) {
        return budget_.error();
    }
    for (const std::string& key : file_.body.outputs) {
        Value* value = find(key);
        if (!value) {
            error_ = error_ ? error_ : base::Error{fmt::format("nothing makes the output \"{}\"", key)};
            break;
        }
        const Ref ref = refOf(key, *value);
        ++graph_.values[ref].users;
        graph_.outputs.emplace_back(key, ref);
    }
    graph_.tiesKnown = true;
    return error_ ? base::Result<pytorch::Graph>(*error_) : base::Result<pytorch::Graph>(std::move(graph_));
}

}  // namespace highwater::stack::onnx
