#include <algorithm>

#include "core/stack/onnx/operators.h"

namespace highwater::stack::onnx {

namespace {

/// PyTorch's padding="same" puts the odd element at the end.
bool isSame(const Window& window) {
    for (std::size_t axis = 0; axis < window.kernel.size(); ++axis) {
        const std::int64_t all = window.dilation[axis] * (window.kernel[axis] - 1);
        if (window.stride[axis] != 1 || window.before[axis] != all / 2 ||
            window.after[axis] != all - all / 2) {
            return false;
        }
    }
    return true;
}

/// Whether the exporter merged the batch norm after this convolution into it, according to its scope.
bool wasNorm(Op& op) {
    const auto& scopes = op.scopes();
    return !scopes.empty() && scopes.back().kind.starts_with("torch.nn.modules.batchnorm.");
}

void look(Op& op) {
    const Value& weight = op.in(1);
    ++op.seen().convolutions;
    if (wasNorm(op)) {
        ++op.seen().foldedNorms;
        pytorch::Scopes scopes = op.scopes();
        const std::string module = moduleOf(weight.weight);
        scopes.back() = {module, module, "torch.nn.modules.conv.Conv"};
        op.within = scopes;
    }
    op.seen().renamedWeights += weight.weight.starts_with("onnx::") ? 1 : 0;
}

bool hasWeight(Op& op, std::size_t least) {
    const Value& weight = op.in(1);
    if (!weight.constant || weight.shape.size() < least) {
        op.refuse(op.node.kind + " with computed weights");
    } else if (op.in(0).sized && op.in(0).shape.size() != weight.shape.size() && least > 2) {
        op.refuse(op.node.kind + " of a tensor with other axes than its weight");
    }
    return !op.done() && op.in(0).sized;
}

}  // namespace

void conv(Op& op) {
    if (!hasWeight(op, 3)) {
        return;
    }
    const Shape weight = op.in(1).shape, input = op.in(0).shape;
    const std::int64_t groups = op.integer("group", 1);
    const auto window = windowOf(op, {weight.begin() + 2, weight.end()});
    const auto shape = window ? slid(input, weight[0], *window, false) : std::nullopt;
    if (!shape || groups < 1 || weight[1] > input[1] || weight[1] * groups != input[1]) {
        return op.refuse("Conv with such sizes");
    }
    const bool same = isSame(*window);
    if (!window->even() && !same) {
        return op.refuse("Conv with another padding at each end");
    }
    look(op);
    Arguments arguments = op.parameters(1, 2);
    arguments.emplace_back("input", op.ref(0));
    arguments.emplace_back("stride", window->stride);
    arguments.emplace_back("dilation", window->dilation);
    arguments.emplace_back("groups", groups);
    arguments.emplace_back("padding",
                           window->even() ? Argument(window->before) : Argument(std::string("same")));
    op.call(named("conv", weight), arguments, *shape);
}

void convTranspose(Op& op) {
    if (!hasWeight(op, 3)) {
        return;
    }
    const Shape weight = op.in(1).shape, input = op.in(0).shape;
    const std::int64_t groups = op.integer("group", 1);
    const std::size_t axes = weight.size() - 2;
    const auto window = windowOf(op, {weight.begin() + 2, weight.end()});
    const Whole more = op.integers("output_padding", Whole(axes, 0));
    if (op.done()) {
        return;
    }
    const bool plain = more.size() == axes && window->even() &&
                       !op.node.attributes.contains("output_shape") &&
                       !op.text("auto_pad", "NOTSET").starts_with("SAME");
    if (!plain || groups < 1 || groups > input[1] || weight[0] != input[1] || weight[1] > 1 << 30) {
        return op.refuse("ConvTranspose with such sizes");
    }
    Shape shape{input[0], weight[1] * groups};
    for (std::size_t axis = 0; axis < axes; ++axis) {
        shape.push_back((input[axis + 2] - 1) * window->stride[axis] - 2 * window->before[axis] +
                        window->dilation[axis] * (weight[axis + 2] - 1) + 1 + more[axis]);
    }
    if (!isShape(shape)) {
        return op.refuse("ConvTranspose with such sizes");
    }
    Arguments arguments = op.parameters(1, 2);
    arguments.emplace_back("input", op.ref(0));
    arguments.emplace_back("stride", window->stride);
    arguments.emplace_back("padding", window->before);
    arguments.emplace_back("output_padding", more);
    arguments.emplace_back("dilation", window->dilation);
    arguments.emplace_back("groups", groups);
    op.call(named("conv_transpose", weight), arguments, shape);
}

/// `rows`: whether the weight has its outputs first, as in PyTorch.
static void linearOf(Op& op, bool rows) {
    const Value weight = op.in(1);
    const std::int64_t out = weight.shape[rows ? 0 : 1], in = weight.shape[rows ? 1 : 0];
    Shape shape = op.in(0).shape;
    if (shape.empty() || shape.back() != in) {
        return op.refuse(op.node.kind + " with such sizes");
    }
    shape.back() = out;
    Arguments arguments{{"input", op.ref(0)}};
    arguments.emplace_back("weight", op.parameter(weight.weight, weight, {out, in}));
    if (op.node.kind == "Gemm" && op.isParameter(2)) {
        const std::string module = moduleOf(weight.weight);
        const bool own = module.empty() || moduleOf(op.in(2).weight) == module;
        arguments.emplace_back("bias",
                               op.parameter(own ? op.in(2).weight : module + ".bias", op.in(2), {out}));
    }
    const Ref source = op.ref(0);
    const Ref made = op.call("linear", arguments, shape);
    if (op.node.kind == "MatMul") {
        op.products()[made] = {source, &op.in(1)};
    }
}

void gemm(Op& op) {
    if (!hasWeight(op, 2)) {
        return;
    }
    if (op.in(1).shape.size() != 2 || op.integer("transA", 0) != 0 || op.real("alpha", 1) != 1 ||
        op.real("beta", 1) != 1) {
        return op.refuse("Gemm other than a linear layer");
    }
    linearOf(op, op.integer("transB", 0) != 0);
}

void matmul(Op& op) {
    const Shape a = op.in(0).shape, b = op.in(1).shape;
    if (!op.in(0).sized || !op.in(1).sized) {
        return;
    }
    if (op.in(1).constant && b.size() == 2 && !op.in(0).constant) {
        return linearOf(op, false);
    }
    const auto front = a.size() < 2 || b.size() < 2
                           ? std::nullopt
                           : broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
    if (!front || a.back() != b[b.size() - 2]) {
        return op.refuse("MatMul with such sizes");
    }
    Shape shape = *front;
    shape.push_back(a[a.size() - 2]);
    shape.push_back(b.back());
    op.call("matmul", {{"self", op.ref(0)}, {"other", op.ref(1)}}, shape);
}

}  // namespace highwater::stack::onnx
