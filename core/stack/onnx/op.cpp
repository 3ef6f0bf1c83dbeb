#include "core/stack/onnx/op.h"

#include <algorithm>
#include <cmath>

namespace highwater::stack::onnx {

namespace {

constexpr double kFurthest = 1e15;  // beyond any size; marks the end in slices

std::int64_t whole(double number) {
    return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -kFurthest, kFurthest));
}

template <class T>
const T* attributeOf(const Node& node, std::string_view name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

bool Op::has(std::size_t input) const {
    return input < node.inputs.size() && !node.inputs[input].empty();
}

Value& Op::in(std::size_t input) {
    static thread_local Value none;
    Value* found = has(input) ? maker.find(node.inputs[input]) : nullptr;
    if (!found) {
        none = Value();
        return none;
    }
    return *found;
}

Value* Op::output() {
    return node.outputs.empty() ? nullptr : maker.find(node.outputs.front());
}

const Node* Op::makerOf(const Node* other, std::size_t input) const {
    if (!other || input >= other->inputs.size()) {
        return nullptr;
    }
    const auto found = maker.makers_.find(other->inputs[input]);
    return found == maker.makers_.end() ? nullptr : found->second;
}

const Node* Op::makerOf(std::size_t input) const {
    return makerOf(&node, input);
}

Value* Op::inputOf(const Node* other, std::size_t input) {
    return other && input < other->inputs.size() ? maker.find(other->inputs[input]) : nullptr;
}

Ref Op::ref(std::size_t input) {
    Value& value = in(input);
    return value.sized || value.ref ? maker.refOf(node.inputs[input], value) : maker.newRef("", Value());
}

std::int64_t Op::integer(std::string_view attribute, std::int64_t usual) const {
    const auto* found = attributeOf<std::int64_t>(node, attribute);
    return found ? *found : usual;
}

double Op::real(std::string_view attribute, double usual) const {
    const auto* found = attributeOf<double>(node, attribute);
    return found ? *found : usual;
}

std::string Op::text(std::string_view attribute, std::string_view usual) const {
    const auto* found = attributeOf<std::string>(node, attribute);
    return found ? *found : std::string(usual);
}

Whole Op::integers(std::string_view attribute, const Whole& usual) const {
    const auto* found = attributeOf<Numbers>(node, attribute);
    if (!found || found->size() > kMostNumbers) {
        return usual;
    }
    Whole sizes;
    std::transform(found->begin(), found->end(), std::back_inserter(sizes), whole);
    return sizes;
}

std::optional<Whole> Op::listed(std::string_view attribute, std::size_t input) {
    if (attributeOf<Numbers>(node, attribute)) {
        return integers(attribute);
    }
    const Value& value = in(input);
    if (!has(input) || value.count() > kMostNumbers || (value.count() > 0 && value.numbers.empty())) {
        return std::nullopt;
    }
    Whole sizes;
    for (std::size_t i = 0; i < value.count(); ++i) {
        sizes.push_back(whole(value.at(i)));
    }
    return sizes;
}

std::size_t Op::axis(std::int64_t axis, std::size_t axes) {
    const auto count = static_cast<std::int64_t>(axes);
    if (axis < -count || axis >= count) {
        refuse(node.kind + " along an axis that is not there");
        return 0;
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

pytorch::Scopes Op::ownScopes() const {
    return within ? *within : maker.scopes_.of(node);
}

bool Op::followsFromData() const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [this](const std::string& input) {
        const Value* value = maker.find(input);
        return value && value->data;
    });
}

Value Op::made(const Shape& shape, Ref ref) const {
    Value value;
    value.ref = ref;
    value.sized = true;
    value.shape = shape;
    value.data = followsFromData();
    for (const std::string& input : node.inputs) {
        if (const Value* first = maker.find(input)) {
            value.type = type.value_or(first->type);
            break;
        }
    }
    return value;
}

Ref Op::step(std::string name, const Arguments& arguments, const Shape& shape) {
    Value value = made(shape, 0);
    const Ref ref = maker.newRef(node.outputs.empty() ? "" : node.outputs.front(), value);
    pytorch::Call call;
    call.name = std::move(name);
    for (const auto& [key, argument] : arguments) {
        call.arguments.insert_or_assign(key, argument);
    }
    call.outputs = {ref};
    call.scopes = ownScopes();
    maker.addCall(std::move(call));
    return ref;
}

Ref Op::call(std::string name, const Arguments& arguments, const Shape& shape) {
    const Ref ref = step(std::move(name), arguments, shape);
    if (!node.outputs.empty()) {
        maker.define(node.outputs.front(), made(shape, ref));
    }
    done_ = true;
    return ref;
}

void Op::unary(std::string name, Arguments more) {
    more.emplace_back("self", ref(0));
    call(std::move(name), more, in(0).shape);
}

void Op::same(std::size_t input) {
    constant(in(input));
}

void Op::constant(Value value) {
    if (!node.outputs.empty()) {
        maker.define(node.outputs.front(), std::move(value));
    }
    done_ = true;
}

/// An operator without sizes that follows an unknown one becomes a call without a name: it does not need a
/// separate message.
void Op::refuse(std::string kind) {
    if (done_) {
        return;
    }
    const bool data = followsFromData();
    bool follows = false;
    Refs reads;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (has(i) && maker.find(node.inputs[i])) {
            follows = follows || (in(i).data && !in(i).sized);
            reads.push_back(ref(i));
        }
    }
    pytorch::Call call;
    call.name = follows ? "" : kind.empty() ? "an operator without a name" : std::move(kind);
    call.arguments.emplace("inputs", reads);
    call.scopes = ownScopes();
    for (const std::string& output : node.outputs) {
        const auto said = maker.file_.said.find(output);
        Value value;
        value.data = data;
        if (maker.asTheFile_ && said != maker.file_.said.end() &&
            std::find(said->second.shape.begin(), said->second.shape.end(), -1) == said->second.shape.end()) {
            value.sized = true;
            value.shape = said->second.shape;
            value.type = said->second.type;
        }
        value.ref = maker.newRef(output, value);
        call.outputs.push_back(*value.ref);
        maker.define(output, value);
    }
    maker.addCall(std::move(call));
    done_ = true;
}

const pytorch::Scopes& Op::scopes() const {
    static thread_local pytorch::Scopes scopes;
    scopes = ownScopes();
    return scopes;
}

bool Op::isParameter(std::size_t input) {
    const Value& value = in(input);
    const bool plain = value.all(0) || value.all(1);
    const bool made = value.weight.empty() || isMadeName(value.weight);
    return has(input) && value.constant && !(made && (plain || value.outside));
}

Argument Op::parameter(const std::string& name, const Value& value, const Shape& shape) {
    return maker.parameter(name.empty() ? "constant of " + node.name : name, shape, value.type);
}

std::string Op::module() const {
    return node.names.empty() || scopes().empty() ? "" : scopes().back().name;
}

/// The newer exporter gives equal tensors one name, so a shared list of one number per channel does not mean
/// tied parameters if the modules differ; the bias follows its weight.
Arguments Op::parameters(std::size_t weight, std::size_t bias) {
    Arguments named;
    const bool list = in(weight).shape.size() < 2 && !this->module().empty();
    const std::string module = list ? this->module() : moduleOf(in(weight).weight);
    for (const auto& [index, role] : {std::pair(weight, "weight"), std::pair(bias, "bias")}) {
        if (!isParameter(index)) {
            continue;
        }
        const Value& value = in(index);
        const bool own = value.weight.empty() || module.empty() || moduleOf(value.weight) == module;
        const std::string name = own ? value.weight : module + "." + role;
        named.emplace_back(role, parameter(name, value, value.shape));
    }
    return named;
}

}  // namespace highwater::stack::onnx
