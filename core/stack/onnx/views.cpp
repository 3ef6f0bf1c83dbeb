#include <algorithm>

#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

void identity(Op& op) {
    if (op.has(0) && op.in(0).ref) {
        const auto& scopes = op.scopes();
        const bool dropout = !scopes.empty() && scopes.back().kind.starts_with("torch.nn.modules.dropout.");
        op.seen().dropouts += dropout ? 1 : 0;
        op.same(0);
    }
}

void cast(Op& op) {
    const Value& value = op.in(0);
    if (!value.sized) {
        return;
    }
    const Type to = op.node.kind == "CastLike"
                        ? op.in(1).type
                        : static_cast<Type>(op.integer("to", static_cast<int>(value.type)));
    if (to == value.type || value.noise != Noise::None) {
        return op.same(0);
    }
    op.type = to;
    op.unary("_to_copy");
}

void view(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const std::string& kind = op.node.kind;
    const auto shape = kind == "Flatten"   ? flattened(op)
                       : kind == "Squeeze" ? squeezed(op)
                       : kind == "Reshape" ? reshaped(op)
                                           : unsqueezed(op);
    if (!shape || !isShape(*shape)) {
        return op.refuse(kind + " to other sizes than those of the input");
    }
    op.call("view", {{"self", op.ref(0)}, {"size", *shape}}, *shape);
}

void expand(Op& op) {
    const auto sizes = op.listed("", 1);
    const auto shape = sizes ? broadcast(op.in(0).shape, *sizes) : std::nullopt;
    if (!op.in(0).sized || !shape) {
        return;
    }
    if (*shape == op.in(0).shape) {
        return op.same(0);
    }
    op.call("expand", {{"self", op.ref(0)}}, *shape);
}

void transpose(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const Shape& from = op.in(0).shape;
    const auto order = orderOf(op, from.size());
    if (!order) {
        return op.refuse("Transpose of axes that are not there");
    }
    if (std::is_sorted(order->begin(), order->end())) {
        return op.same(0);
    }
    Shape shape;
    for (const std::int64_t axis : *order) {
        shape.push_back(from[static_cast<std::size_t>(axis)]);
    }
    op.call("permute", {{"self", op.ref(0)}, {"dims", *order}}, shape);
}

/// PyTorch slices one axis at a time.
void slice(Op& op) {
    if (!op.in(0).sized) {
        return;
    }
    const auto cuts = cutsOf(op);
    if (!cuts) {
        return op.refuse("Slice with computed sizes");
    }
    Shape shape = op.in(0).shape;
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < cuts->size(); ++axis) {
        if ((*cuts)[axis].size != shape[axis] || (*cuts)[axis].step != 1) {
            axes.push_back(axis);
        }
    }
    if (axes.empty()) {
        return op.same(0);
    }
    Ref source = op.ref(0);
    for (const std::size_t axis : axes) {
        const Cut& cut = (*cuts)[axis];
        shape[axis] = cut.size;
        const Arguments arguments{{"self", source},
                                  {"dim", static_cast<std::int64_t>(axis)},
                                  {"start", cut.start},
                                  {"step", cut.step}};
        source =
            axis == axes.back() ? op.call("slice", arguments, shape) : op.step("slice", arguments, shape);
    }
}

}  // namespace highwater::stack::onnx
