#include <algorithm>

#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

/// Whether input 0 has known sizes; refuses a tensor with fewer than `least` axes.
bool isNorm(Op& op, std::size_t least) {
    if (op.in(0).sized && op.in(0).shape.size() < least) {
        op.refuse(op.node.kind + " of a tensor without channels");
    }
    op.seen().norms += op.in(0).sized && !op.done() ? 1 : 0;
    return op.in(0).sized && !op.done();
}

void norm(Op& op, const char* name, Arguments arguments) {
    arguments.emplace_back("input", op.ref(0));
    arguments.emplace_back("eps", op.real("epsilon", 1e-5));
    op.call(name, arguments, op.in(0).shape);
}

}  // namespace

/// Treated as training, whatever the file says: the older exporter only writes training mode on request, the
/// newer one always writes inference.
void batchNorm(Op& op) {
    if (!isNorm(op, 2)) {
        return;
    }
    const bool trains = op.integer("training_mode", 0) != 0;
    op.seen().frozenNorms += trains ? 0 : 1;
    op.seen().trains += trains ? 1 : 0;
    Arguments arguments = op.parameters(1, 2);
    arguments.emplace_back("training", true);
    norm(op, "batch_norm", std::move(arguments));
}

void instanceNorm(Op& op) {
    if (isNorm(op, 3)) {
        norm(op, "instance_norm", op.parameters(1, 2));
    }
}

void layerNorm(Op& op) {
    if (!isNorm(op, 1)) {
        return;
    }
    const Shape& shape = op.in(0).shape;
    const std::size_t axis = op.axis(op.integer("axis", -1), shape.size());
    if (op.done()) {
        return;
    }
    Arguments arguments = op.parameters(1, 2);
    arguments.emplace_back("normalized_shape",
                           Whole(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()));
    norm(op, "layer_norm", std::move(arguments));
}

void groupNorm(Op& op) {
    if (!isNorm(op, 3)) {
        return;
    }
    if (op.in(1).sized && op.in(1).shape != Shape{op.in(0).shape[1]}) {
        return op.refuse("GroupNormalization with weights of a group");  // up to opset 20
    }
    Arguments arguments = op.parameters(1, 2);
    arguments.emplace_back("num_groups", op.integer("num_groups", 1));
    norm(op, "group_norm", std::move(arguments));
}

/// As the calls that PyTorch makes of its module, because the import of these recognizes the layer.
void localResponseNorm(Op& op) {
    if (!isNorm(op, 3)) {
        return;
    }
    const Shape shape = op.in(0).shape;
    const Ref source = op.ref(0);
    pytorch::Scopes scopes = op.scopes();
    const std::string name = pytorch::where(scopes);
    if (pytorch::isLeaf(scopes)) {
        scopes.pop_back();
    }
    scopes.push_back({op.node.outputs.empty() ? name : op.node.outputs.front(), name,
                      std::string(pytorch::kLocalResponseNorm)});
    op.within = scopes;
    const Ref mean = op.step(named("avg_pool", shape),
                             {{"self", source}, {"kernel_size", Whole{op.integer("size", 1)}}}, shape);
    const Ref scaled = op.step("mul", {{"self", mean}, {"other", op.real("alpha", 1e-4)}}, shape);
    const Ref moved = op.step("add", {{"self", scaled}, {"other", op.real("bias", 1)}}, shape);
    const Ref power = op.step("pow", {{"self", moved}, {"exponent", op.real("beta", 0.75)}}, shape);
    op.call("div", {{"self", source}, {"other", power}}, shape);
}

}  // namespace highwater::stack::onnx
