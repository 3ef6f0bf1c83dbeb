#include <algorithm>

#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"

/// Losses as core/engine/step/losses.cpp computes them, operator by operator.
namespace highwater::predict::ghost {

namespace {

/// x, with a node that applies `back` to the gradient.
template <class Back>
Tensor withNode(Machine& machine, std::initializer_list<const Tensor*> inputs, const Tensor& made,
                Back back) {
    if (const NodePtr node = machine.node(inputs)) {
        node->apply = back;
        made->edge = node;
    }
    return made;
}

Tensor mean(Machine& machine, const Tensor& x) {
    beginElementwise(machine, "mean", x, 1);
    const NodePtr node = machine.node({&x});
    Tensor made = machine.empty({}, x->dtype);
    threadsSum(machine, x->elements());
    scalar(machine);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            m.op("mean backward", "elementwise", static_cast<double>(dims.elements() * sizeOf(type)));
            out[0] = withScalar(m, [&] { return m.empty(dims, type); });
        };
    }
    made->edge = node;
    return made;
}

Tensor meanSquare(Machine& machine, const Tensor& output, const Tensor& target) {
    const NodePtr node = machine.node({&output, &target});
    beginElementwise(machine, "mse_loss", output, 3);
    machine.save(node, output);
    machine.save(node, target);
    Tensor made = machine.like(output);  // its storage stays as large as that of the output
    {
        const Tensor squares = machine.like(output);
        threadsSum(machine, output->elements());
        scalar(machine);
    }
    made->dims = {};
    if (node) {
        node->apply = [dims = output->dims, type = output->dtype](Machine& m, Node&, Tensor&,
                                                                  Gradients& out) {
            out[0] = m.empty(dims, type);
            beginElementwise(m, "mse_loss backward", out[0], 3);
        };
    }
    made->edge = node;
    return made;
}

/// softmax or log_softmax. The kernels need contiguous tensors. softmax's backward also allocates the product
/// of gradient and output.
Tensor softmax(Machine& machine, const Tensor& x, bool logarithm, DType gradientType) {
    const NodePtr node = machine.node({&x});
    beginElementwise(machine, "softmax", x, 2);
    Tensor made = machine.empty(x->dims, x->dtype);
    {
        const StoragePtr copy =
            !liesAs(x, false) ? machine.allocate(std::min(x->bytes(), machine.bytesOf(x->storage))) : nullptr;
    }
    machine.save(node, made);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype, gradientType, logarithm](
                          Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = m.empty(dims, gradientType);
            beginElementwise(m, "softmax backward", out[0], 3);
            const Tensor product = m.cuda && !logarithm ? m.empty(dims, type) : nullptr;
            const StoragePtr copy =
                !liesAs(gradient, false) ? m.allocate(out[0]->elements() * sizeOf(type)) : nullptr;
        };
    }
    made->edge = node;
    return made;
}

Tensor product(Machine& machine, const Tensor& p, const Tensor& constant);

/// Probabilities, not class numbers.
bool isSoft(const Tensor& target) {
    return target->dtype != DType::Int64;
}

/// The sum of all of x; one number.
Tensor total(Machine& machine, const Tensor& x) {
    beginElementwise(machine, "sum", x, 1);
    const Tensor made = machine.empty({}, x->dtype);
    threadsSum(machine, x->elements());
    return withNode(machine, {&x}, made, [dims = x->dims](Machine&, Node&, Tensor& gradient, Gradients& out) {
        out[0] = Machine::view(gradient, dims, false);
    });
}

/// As LossNLL.cpp: -(log_softmax(output) target).sum() / positions
Tensor softCrossEntropy(Machine& machine, const Tensor& output, const Tensor& target) {
    // C++ frees the operands of an expression at its end, last one first.
    const Tensor logs = softmax(machine, output, true, output->dtype);
    const Tensor products = product(machine, logs, target);
    const Tensor sum = total(machine, products);
    const Tensor negative = withNode(
        machine, {&sum}, machine.empty({}, sum->dtype),
        [type = sum->dtype](Machine& m, Node&, Tensor&, Gradients& out) { out[0] = m.empty({}, type); });
    const Tensor made = withScalar(machine, [&] { return machine.empty({}, sum->dtype); });
    return withNode(machine, {&negative}, made,
                    [type = sum->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
                        out[0] = withScalar(m, [&] { return m.empty({}, type); });
                    });
}

Tensor crossEntropy(Machine& machine, const Tensor& output, const Tensor& target) {
    if (isSoft(target)) {
        return softCrossEntropy(machine, output, target);
    }
    Tensor logs = softmax(machine, output, true, output->dtype);
    if (machine.ops.widen != nullptr) {
        logs = machine.ops.widen(machine, logs);
    }
    Tensor flat = logs;
    if (output->dims.rank != 4 && output->dims.rank != 2) {
        flat = Machine::view(logs, logs->dims, true);
        flat->edge = viewNode(machine, logs, logs->dims, true);
    }
    const NodePtr node = machine.node({&flat});
    beginElementwise(machine, "cross_entropy", output, 1);
    machine.save(node, flat);
    machine.save(node, target);
    // With deterministic algorithms, resize_ also allocates a scalar.
    const bool resizes = machine.cuda && machine.target.settings.deterministic;
    const DType type = flat->dtype;
    Tensor made = machine.empty({}, type);
    if (resizes) {
        machine.empty({}, type);
    }
    const Tensor weight = machine.empty({}, type);
    if (resizes) {
        machine.empty({}, type);
    }
    machine.save(node, weight);
    if (node) {
        node->apply = [dims = output->dims, type](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
            beginElementwise(m, "cross_entropy backward", out[0], 2);
        };
    }
    made->edge = node;
    return made;
}

/// p times a tensor that needs no gradient. p's gradient is cast if the type of the other one is wider.
Tensor product(Machine& machine, const Tensor& p, const Tensor& constant) {
    beginElementwise(machine, "mul", p, 3);
    const NodePtr node = machine.node({&p});
    machine.save(node, constant);
    const DType type = p->dtype, wide = type == constant->dtype ? type : DType::Float32;
    Tensor made = machine.empty(p->dims, wide);
    made->channelsLast = p->channelsLast;
    if (node) {
        node->apply = [dims = p->dims, type, wide](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, wide);
            beginElementwise(m, "mul backward", out[0], 2);
            if (wide != type) {
                out[0] = m.empty(dims, type);
            }
        };
    }
    made->edge = node;
    return made;
}

/// Under autocast the sum is fp32, and the gradient is cast back.
Tensor sumOfPlaces(Machine& machine, const Tensor& x) {
    beginElementwise(machine, "sum", x, 1);
    const bool widens =
        machine.cuda && x->dtype != DType::Float32 && stack::usesAutocast(machine.target.settings.precision);
    return withNode(
        machine, {&x}, machine.empty({x->dims[0], x->dims[1]}, widens ? DType::Float32 : x->dtype),
        [dims = x->dims, type = x->dtype, widens](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            out[0] = widens ? m.empty(dims, type) : Machine::view(gradient, dims, false);
        });
}

Tensor sum(Machine& machine, const Tensor& a, const Tensor& b) {
    const NodePtr node = sumNode(machine, a, b);
    Tensor made = machine.like(a);
    made->edge = node;
    return made;
}

/// The gradient of a scalar tensor times a number: there the number is a tensor of type double, so the
/// product is double too, until the engine casts it back.
Tensor scalarTimesDouble(Machine& machine) {
    if (machine.cuda) {
        return machine.empty({});
    }
    StoragePtr number = machine.allocate(8), cast = machine.allocate(8);
    const StoragePtr product = machine.allocate(8);
    cast.reset();
    number.reset();
    return machine.empty({});
}

Tensor timesNumber(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    machine.keepNumber(node);
    Tensor made = withScalar(machine, [&] { return machine.like(x); });
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor& gradient, Gradients& out) {
            if (dims.rank > 0) {
                beginElementwise(m, "mul backward", gradient, 2);
            }
            out[0] = m.cuda           ? emptyLike(m, gradient, type)
                     : dims.rank == 0 ? scalarTimesDouble(m)
                                      : withScalar(m, [&] { return emptyLike(m, gradient, type); });
        };
    }
    made->edge = node;
    return made;
}

/// C++ frees the operands of an expression at its end, Python after their use.
void freeInPython(const Machine& machine, Tensor& operand) {
    if (machine.target.inPython) {
        operand.reset();
    }
}

/// C++ computes the second term of a sum first, Python the first.
template <class First, class Second>
Tensor sumOf(Machine& machine, First first, Second second) {
    if (machine.target.inPython) {
        const Tensor a = first(), b = second();
        return sum(machine, a, b);
    }
    const Tensor b = second(), a = first();
    return sum(machine, a, b);
}

/// 1 - (2 both + s) / (sizes + s), averaged over samples and classes.
Tensor overlapLoss(Machine& machine, const Tensor& p, const Tensor& y) {
    Tensor both;
    {
        const Tensor overlap = product(machine, p, y);
        both = sumOfPlaces(machine, overlap);
    }
    Tensor sizes;
    {
        const Tensor sizeY = sumOfPlaces(machine, y), sizeP = sumOfPlaces(machine, p);
        sizes = sum(machine, sizeP, sizeY);
    }
    machine.op("dice", "elementwise", 0);
    const Tensor below = plusNumber(machine, sizes);
    Tensor doubled = timesNumber(machine, both);
    const Tensor above = plusNumber(machine, doubled);
    freeInPython(machine, doubled);
    Tensor ratio = quotient(machine, above, below, above->dims);
    const Tensor average = mean(machine, ratio);
    freeInPython(machine, ratio);
    const DType type = average->dtype;
    return withNode(machine, {&average}, machine.empty({}, type),
                    [type](Machine& m, Node&, Tensor&, Gradients& out) { out[0] = m.empty({}, type); });
}

Tensor dice(Machine& machine, const Tensor& output, const Tensor& target) {
    const Tensor p = probabilities(machine, output);
    Tensor y = target;
    if (!isSoft(target)) {
        beginElementwise(machine, "one_hot", output, 1);
        y = machine.like(p);
    }
    return overlapLoss(machine, p, y);
}

Tensor sigmoidDice(Machine& machine, const Tensor& output, const Tensor& target) {
    const Tensor p = machine.ops.activation(machine, {.kind = stack::Activation::Kind::Sigmoid}, output);
    return overlapLoss(machine, p, target);
}

/// Whether binary_cross_entropy_with_logits is (1 - y) x - log_sigmoid(x), as from 2.1 on; earlier versions
/// write the logarithm out.
bool takesLogSigmoid(const Machine& machine) {
    return machine.cuda ? machine.target.versions.libtorch >= memory::TorchVersion{2, 1}
                        : !machine.target.cpu.libtorch.starts_with("1.") &&
                              !machine.target.cpu.libtorch.starts_with("2.0");
}

/// As Loss.cpp. Its mean, after which the elementwise losses are freed.
Tensor meanOfLogits(Machine& machine, const Tensor& x) {
    const auto mean = [&] {
        Tensor made = machine.empty({}, x->dtype);
        threadsSum(machine, x->elements());
        scalar(machine);
        return made;
    };
    if (takesLogSigmoid(machine)) {
        const Tensor logarithms = machine.like(x);
        if (!machine.cuda) {
            machine.allocate(x->bytes());  // log_sigmoid's buffer
        }
        const Tensor losses = machine.like(x);
        return mean();
    }
    Tensor losses;
    const Tensor most = machine.like(x);
    losses = machine.like(x);
    {
        const Tensor shifted = machine.like(x), negative = machine.like(x), difference = machine.like(x);
    }
    return mean();
}

Tensor binaryCrossEntropy(Machine& machine, const Tensor& output, const Tensor& target) {
    const Tensor x = machine.ops.widen != nullptr ? machine.ops.widen(machine, output) : output;
    const NodePtr node = machine.node({&x, &target});
    beginElementwise(machine, "binary_cross_entropy", x, takesLogSigmoid(machine) ? 6 : 14);
    machine.save(node, x);
    machine.save(node, target);
    Tensor made = meanOfLogits(machine, x);
    if (node) {
        node->apply = [dims = x->dims, type = x->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
            out[0] = m.empty(dims, type);
            beginElementwise(m, "binary_cross_entropy backward", out[0], 6);
            scalar(m);
        };
    }
    made->edge = node;
    return made;
}

}  // namespace

Tensor plusNumber(Machine& machine, const Tensor& x) {
    const NodePtr node = machine.node({&x});
    Tensor made = withScalar(machine, [&] { return machine.like(x); });
    if (node) {
        node->apply = [](Machine&, Node&, Tensor& gradient, Gradients& out) { out[0] = gradient; };
    }
    made->edge = node;
    return made;
}

Tensor quotient(Machine& machine, const Tensor& a, const Tensor& b, const Dims& output) {
    const NodePtr node = machine.node({&a, &b});
    if (b->needsGradient()) {
        machine.save(node, a);
    }
    machine.save(node, b);
    const DType type = a->dtype == b->dtype ? a->dtype : DType::Float32;
    Tensor made = emptyPairwise(machine, a, b, output, type);
    if (node) {
        node->inputs = {{a->dims, a->dtype}, {b->dims, b->dtype}};
        node->apply = [lies = outlineOf(made), divisor = outlineOf(b), type](
                          Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            const Dims& dims = lies->dims;
            m.label("div backward");
            if (self.next[1]) {  // -grad * ((a / b) / b)
                const Tensor ratio = m.like(lies), square = emptyPairwise(m, ratio, divisor, dims, type),
                             negative = m.like(gradient);
                out[1] = emptyPairwise(m, negative, square, dims, type);
            }
            if (self.next[0]) {
                out[0] = emptyPairwise(m, gradient, divisor, dims, type);
            }
        };
    }
    made->edge = node;
    return made;
}

StoragePtr threadsSum(Machine& machine, std::int64_t elements) {
    constexpr std::int64_t kGrain = 32768;  // at::internal::GRAIN_SIZE
    return machine.cuda || machine.threads == 1 || elements < kGrain ? nullptr
                                                                     : machine.allocate(4 * machine.threads);
}

Tensor loss(Machine& machine, stack::Loss loss, const Tensor& output, const Tensor& target) {
    switch (loss) {
        case stack::Loss::Mse:
            return meanSquare(machine, output, target);
        case stack::Loss::CrossEntropy:
            return crossEntropy(machine, output, target);
        case stack::Loss::Dice:
            return dice(machine, output, target);
        case stack::Loss::DiceCrossEntropy:
            return sumOf(
                machine, [&] { return crossEntropy(machine, output, target); },
                [&] { return dice(machine, output, target); });
        case stack::Loss::Bce:
            return binaryCrossEntropy(machine, output, target);
        case stack::Loss::SigmoidDice:
            return sigmoidDice(machine, output, target);
        case stack::Loss::SigmoidDiceBce:
            return sumOf(
                machine, [&] { return binaryCrossEntropy(machine, output, target); },
                [&] { return sigmoidDice(machine, output, target); });
        case stack::Loss::Mean:
            break;
    }
    return mean(machine, output);
}

Tensor probabilities(Machine& machine, const Tensor& x) {
    const Tensor wide = machine.ops.widenForSoftmax != nullptr ? machine.ops.widenForSoftmax(machine, x) : x;
    // If softmax reads fp16 directly, its gradient is fp16.
    return softmax(machine, wide, false, wide->storage == x->storage ? x->dtype : wide->dtype);
}

Tensor weigh(Machine& machine, const Tensor& value) {
    return timesNumber(machine, value);
}

Tensor join(Machine& machine, const Tensor& sum_, const Tensor& value) {
    return sum(machine, sum_, value);
}

}  // namespace highwater::predict::ghost
