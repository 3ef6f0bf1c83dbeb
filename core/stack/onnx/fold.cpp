#include <algorithm>
#include <cmath>

#include "core/stack/onnx/op.h"
#include "core/stack/onnx/picking.h"
#include "core/stack/onnx/shapes.h"

/// Computations of sizes by exporters: a few operators on small constants. For weights, only changes of shape
/// are supported.
namespace highwater::stack::onnx {

namespace {

std::optional<double> computed(std::string_view kind, double a, double b) {
    static const std::map<std::string_view, double (*)(double, double)> table = {
        {"Add", [](double x, double y) { return x + y; }},
        {"Sub", [](double x, double y) { return x - y; }},
        {"Mul", [](double x, double y) { return x * y; }},
        {"Div", [](double x, double y) { return y == 0 ? 0 : x / y; }},
        {"Mod", [](double x, double y) { return y == 0 ? 0 : x - y * std::floor(x / y); }},
        {"Equal", [](double x, double y) { return x == y ? 1.0 : 0.0; }},
        {"Less", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
        {"Greater", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
        {"Min", [](double x, double y) { return std::min(x, y); }},
        {"Max", [](double x, double y) { return std::max(x, y); }}};
    const auto found = table.find(kind);
    if (found == table.end()) {
        return std::nullopt;
    }
    const double made = found->second(a, b);
    return std::isfinite(made) ? made : 0;
}

bool foldPair(Op& op) {
    const Value &a = op.in(0), &b = op.in(1);
    const auto shape = broadcast(a.shape, b.shape);
    if (!computed(op.node.kind, 1, 1) || !shape || a.numbers.empty() || b.numbers.empty()) {
        return false;
    }
    const Value first = broadcastTo(a, *shape), second = broadcastTo(b, *shape);
    const std::size_t count = std::max(first.numbers.size(), second.numbers.size());
    if (first.numbers.empty() || second.numbers.empty()) {
        return false;
    }
    const bool whole = a.type == Type::Int64 && op.node.kind == "Div";
    Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) {
        const double made = *computed(op.node.kind, first.at(i), second.at(i));
        numbers.push_back(whole ? std::trunc(made) : made);
    }
    op.constant(constantOf(*shape, a.type, std::move(numbers)));
    return true;
}

bool foldOne(Op& op) {
    const Value& value = op.in(0);
    const std::string& kind = op.node.kind;
    const bool known = kind == "Neg" || kind == "Floor" || kind == "Ceil" || kind == "Sqrt" || kind == "Not";
    if (!known || value.numbers.empty()) {
        return false;
    }
    Numbers numbers = value.numbers;
    for (double& number : numbers) {
        number = kind == "Neg"     ? -number
                 : kind == "Floor" ? std::floor(number)
                 : kind == "Ceil"  ? std::ceil(number)
                 : kind == "Sqrt"  ? std::sqrt(std::max(number, 0.0))
                                   : static_cast<double>(number == 0);
    }
    op.constant(constantOf(value.shape, value.type, std::move(numbers)));
    return true;
}

bool foldCast(Op& op) {
    Value value = op.in(0);
    value.ref.reset();
    value.type = op.node.kind == "CastLike"
                     ? op.in(1).type
                     : static_cast<Type>(op.integer("to", static_cast<int>(value.type)));
    if (value.type == Type::Int64) {
        std::transform(value.numbers.begin(), value.numbers.end(), value.numbers.begin(),
                       [](double number) { return std::trunc(number); });
    }
    op.constant(std::move(value));
    return true;
}

/// Folds Reshape, Squeeze, Unsqueeze, Flatten.
bool foldView(Op& op, const std::optional<Shape>& shape) {
    if (!shape) {
        return false;
    }
    Value value = op.in(0);
    value.ref.reset();
    value.shape = *shape;
    op.constant(std::move(value));
    return true;
}

bool foldTranspose(Op& op) {
    const Shape from = op.in(0).shape;
    const auto order = orderOf(op, from.size());
    if (!order) {
        return false;
    }
    const Whole steps = [&from] {
        Whole all(from.size(), 1);
        for (std::size_t axis = from.size(); axis-- > 1;) {
            all[axis - 1] = all[axis] * from[axis];
        }
        return all;
    }();
    Whole moved;
    Shape shape;
    for (const std::int64_t axis : *order) {
        moved.push_back(steps[static_cast<std::size_t>(axis)]);
        shape.push_back(from[static_cast<std::size_t>(axis)]);
    }
    op.constant(picked(op.in(0), shape, [&moved](const Whole& index) { return dot(index, moved); }));
    return true;
}

bool foldExpand(Op& op) {
    const auto sizes = op.listed("", 1);
    const auto shape = sizes ? broadcast(op.in(0).shape, *sizes) : std::nullopt;
    if (!shape || !isShape(*shape)) {
        return false;
    }
    op.constant(broadcastTo(op.in(0), *shape));
    return true;
}

bool foldFill(Op& op) {
    const auto shape = op.listed("", 0);
    const auto given = op.node.attributes.find("value");
    const auto* tensor = given == op.node.attributes.end() ? nullptr : std::get_if<Tensor>(&given->second);
    if (!shape || !isShape(*shape)) {
        return false;
    }
    const double number = tensor && !tensor->numbers.empty() ? tensor->numbers.front() : 0;
    op.constant(constantOf(*shape, tensor ? tensor->type : Type::Float, {number}));
    return true;
}

/// For lists and single numbers.
bool foldConcat(Op& op) {
    Numbers all;
    for (std::size_t i = 0; i < op.node.inputs.size(); ++i) {
        const auto part = op.listed("", i);
        if (!part || op.in(i).shape.size() != 1 || all.size() + part->size() > kMostNumbers) {
            return false;
        }
        for (std::size_t j = 0; j < part->size(); ++j) {
            all.push_back(op.in(i).at(j));
        }
    }
    const auto count = static_cast<std::int64_t>(all.size());
    op.constant(constantOf({count}, op.in(0).type, std::move(all)));
    return true;
}

bool foldGather(Op& op) {
    const Value &from = op.in(0), &indices = op.in(1);
    if (from.shape.size() != 1 || from.numbers.empty() || indices.numbers.empty() ||
        indices.count() > kMostNumbers) {
        return false;
    }
    Numbers numbers;
    for (std::size_t i = 0; i < indices.count(); ++i) {
        const double index =
            indices.at(i) < 0 ? indices.at(i) + static_cast<double>(from.shape[0]) : indices.at(i);
        if (!(index >= 0 && index < static_cast<double>(from.shape[0]))) {
            return false;
        }
        numbers.push_back(from.at(static_cast<std::size_t>(index)));
    }
    op.constant(constantOf(indices.shape, from.type, std::move(numbers)));
    return true;
}

bool foldSlice(Op& op) {
    const auto cuts = cutsOf(op);
    const Value& from = op.in(0);
    if (!cuts || from.numbers.empty()) {
        return false;
    }
    Shape shape;
    for (const Cut& cut : *cuts) {
        shape.push_back(cut.size);
    }
    Whole steps(from.shape.size(), 1);
    for (std::size_t axis = steps.size(); axis-- > 1;) {
        steps[axis - 1] = steps[axis] * from.shape[axis];
    }
    op.constant(picked(from, shape, [&](const Whole& index) {
        std::int64_t at = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            at += steps[axis] * ((*cuts)[axis].start + index[axis] * (*cuts)[axis].step);
        }
        return static_cast<std::size_t>(at);
    }));
    return true;
}

bool foldRange(Op& op) {
    const Value &start = op.in(0), &end = op.in(1), &step = op.in(2);
    if (!start.isNumber() || !end.isNumber() || !step.isNumber() || step.at(0) == 0) {
        return false;
    }
    const double count = std::ceil((end.at(0) - start.at(0)) / step.at(0));
    if (!(count < static_cast<double>(kMostNumbers))) {
        return false;
    }
    Numbers numbers;
    for (double i = 0; i < count; ++i) {
        numbers.push_back(start.at(0) + i * step.at(0));
    }
    const auto size = static_cast<std::int64_t>(numbers.size());
    op.constant(constantOf({size}, start.type, std::move(numbers)));
    return true;
}

bool foldConstant(Op& op) {
    for (const auto& [name, held] : op.node.attributes) {
        if (const auto* tensor = std::get_if<Tensor>(&held)) {
            op.constant(constantOf(tensor->shape, tensor->type, tensor->numbers));
        } else if (const auto* whole = std::get_if<std::int64_t>(&held)) {
            op.constant(constantOf({}, Type::Int64, {static_cast<double>(*whole)}));
        } else if (const auto* real = std::get_if<double>(&held)) {
            op.constant(constantOf({}, Type::Float, {*real}));
        } else if (const auto* list = std::get_if<Numbers>(&held); list && list->size() <= kMostNumbers) {
            op.constant(constantOf({static_cast<std::int64_t>(list->size())},
                                   name == "value_ints" ? Type::Int64 : Type::Float, *list));
        }
    }
    return op.done();
}

bool foldShape(Op& op) {
    const Value& value = op.in(0);
    const auto axes = static_cast<std::int64_t>(value.shape.size());
    if (!op.has(0) || !value.sized || value.shape.size() > kMostNumbers) {
        return false;
    }
    const auto bound = [axes](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + axes : at, 0, axes);
    };
    const std::int64_t start = bound(op.integer("start", 0)), end = bound(op.integer("end", axes));
    Whole sizes;
    for (std::int64_t axis = start; axis < end; ++axis) {
        sizes.push_back(value.shape[static_cast<std::size_t>(axis)]);
    }
    op.constant(listOf(sizes));
    return true;
}

bool foldWhere(Op& op) {
    const Value &which = op.in(0), &a = op.in(1), &b = op.in(2);
    if (!which.isNumber() || a.shape != b.shape) {
        return false;
    }
    op.same(which.at(0) != 0 ? 1 : 2);
    return true;
}

bool foldProduct(Op& op) {
    const auto sizes = op.listed("", 0);
    if (!sizes || op.in(0).shape.size() != 1) {
        return false;
    }
    double product = 1;
    for (const std::int64_t size : *sizes) {
        product *= static_cast<double>(size);
    }
    const Shape shape(op.integer("keepdims", 1) != 0 ? 1 : 0, 1);
    op.constant(constantOf(shape, op.in(0).type, {product}));
    return true;
}

bool allConstant(Op& op) {
    bool any = false;
    for (std::size_t i = 0; i < op.node.inputs.size(); ++i) {
        const bool like = op.node.kind == "CastLike" && i == 1;
        if (op.has(i) && !like && (!op.in(i).constant || !op.in(i).sized)) {
            return false;
        }
        any = any || op.has(i);
    }
    return any;
}

bool anyWeight(Op& op) {
    for (std::size_t i = 0; i < op.node.inputs.size(); ++i) {
        if (op.has(i) && !op.in(i).weight.empty() && op.in(i).count() > 1) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool fold(Op& op) {
    static const std::map<std::string_view, bool (*)(Op&)> table = {
        {"Cast", foldCast},
        {"CastLike", foldCast},
        {"Identity", [](Op& each) { return each.same(0), true; }},
        {"Reshape", [](Op& each) { return foldView(each, reshaped(each)); }},
        {"Squeeze", [](Op& each) { return foldView(each, squeezed(each)); }},
        {"Unsqueeze", [](Op& each) { return foldView(each, unsqueezed(each)); }},
        {"Flatten", [](Op& each) { return foldView(each, flattened(each)); }},
        {"Transpose", foldTranspose},
        {"Expand", foldExpand},
        {"ConstantOfShape", foldFill},
        {"Concat", foldConcat},
        {"Gather", foldGather},
        {"Slice", foldSlice},
        {"Range", foldRange},
        {"Where", foldWhere},
        {"ReduceProd", foldProduct}};
    if (op.node.kind == "Constant") {
        return foldConstant(op);
    }
    if (op.node.kind == "Shape") {
        return foldShape(op);
    }
    if (!allConstant(op)) {
        return false;
    }
    if (const auto found = table.find(op.node.kind); found != table.end()) {
        return found->second(op);
    }
    return !anyWeight(op) && (op.node.inputs.size() == 2 ? foldPair(op) : foldOne(op));
}

}  // namespace highwater::stack::onnx
