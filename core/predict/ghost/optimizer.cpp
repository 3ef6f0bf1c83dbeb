#include <algorithm>

#include "core/predict/ghost/ops.h"

/// The updates of core/engine/step/optimizers.cpp.
namespace highwater::predict::ghost {

namespace {

using OptimizerKind = stack::Optimizer::Kind;

void prepare(Machine& machine, const stack::Optimizer& settings, const Parameter& parameter,
             OptimizerState& state) {
    const auto zeros = [&] {
        Tensor made = machine.like(parameter.value);
        machine.retag(made->storage, Category::OptimizerState);
        return made;
    };
    const bool isSgd = settings.kind == OptimizerKind::Sgd;
    if (!isSgd || settings.momentum != 0) {
        state.first = zeros();
    }
    if (!isSgd) {
        state.second = zeros();
        if (machine.target.inPython &&
            !machine.target.gpu) {  // Python counts steps in a tensor of the host's
            state.count = machine.empty({}, DType::Float32);
            machine.retag(state.count->storage, Category::OptimizerState);
        }
    }
    if (!isSgd && settings.amsgrad) {
        state.largest = zeros();
    }
    state.started = true;
}

void sgd(Machine& machine, const stack::Optimizer& settings, const Parameter& parameter, bool first) {
    Tensor gradient;
    if (settings.weightDecay != 0) {
        gradient = machine.like(parameter.value);
    }
    if (settings.momentum == 0) {
        return;
    }
    if (!first) {
        scalar(machine);
    }
    if (settings.nesterov) {
        gradient = machine.like(parameter.value);
    }
}

/// The tensors that the update of a parameter creates.
struct Made {
    Tensor denominator, gradient;
};

/// `made` is freed at the end of the update; in Python, where they are variables of a loop, each is replaced
/// in the next iteration.
void adam(Machine& machine, const stack::Optimizer& settings, const Parameter& parameter, Made& made) {
    made.gradient.reset();
    if (settings.weightDecay != 0 && settings.kind == OptimizerKind::AdamW) {
        scalar(machine);
    } else if (settings.weightDecay != 0) {
        made.gradient = machine.like(parameter.value);
    }
    scalar(machine);  // decay of the mean gradient
    scalar(machine);  // and of the mean square
    Tensor root = machine.like(parameter.value);
    Tensor denominator = withScalar(machine, [&] { return machine.like(parameter.value); });
    scalar(machine);  // eps
    root.reset();
    made.denominator = std::move(denominator);
}

/// The temporaries of an operation on all parameters: `scalars` for each, and with `make` a tensor for each,
/// which is returned.
std::vector<Tensor> forEach(Machine& machine, const std::vector<Parameter*>& parameters, int scalars,
                            bool make = false) {
    std::vector<Tensor> made;
    for (const Parameter* parameter : parameters) {
        for (int i = 0; i < scalars; ++i) {
            scalar(machine);
        }
        if (make) {
            made.push_back(machine.like(parameter->value));
        }
    }
    return made;
}

/// Python's torch.optim with `foreach`: operation by operation.
void together(Machine& machine, const stack::Optimizer& settings, const std::vector<Parameter*>& parameters,
              bool first) {
    const bool decays = settings.weightDecay != 0;
    if (settings.kind == OptimizerKind::Sgd) {
        const std::vector<Tensor> gradients = forEach(machine, parameters, 0, decays);
        forEach(machine, parameters, settings.momentum != 0 && !first ? 1 : 0);
        return;
    }
    const bool adamW = settings.kind == OptimizerKind::AdamW;
    {
        const std::vector<Tensor> gradients =
            forEach(machine, parameters, decays && adamW ? 1 : 0, decays && !adamW);
        forEach(machine, parameters, 1);  // decay of the mean gradient
        forEach(machine, parameters, 1);  // and of the mean square
    }
    const std::vector<Tensor> denominators = forEach(machine, parameters, 0, true);
    forEach(machine, parameters, 1);  // the bias correction
    forEach(machine, parameters, 1);  // eps
}

/// The norms of all gradients. A GPU's foreach function has partial sums, one for each 65,536 elements of the
/// largest tensor (ForeachReduceOp.cu).
std::vector<Tensor> normsOf(Machine& machine, const std::vector<const Tensor*>& gradients) {
    Tensor partial;
    if (machine.cuda) {
        constexpr std::int64_t kChunk = 65536;
        std::int64_t chunks = 0;
        for (const Tensor* gradient : gradients) {
            chunks = std::max(chunks, ((*gradient)->elements() + kChunk - 1) / kChunk);
        }
        partial = machine.empty({std::ssize(gradients) * chunks});
    }
    std::vector<Tensor> norms;
    for (const Tensor* gradient : gradients) {
        norms.push_back(machine.empty({}, (*gradient)->dtype));
    }
    return norms;
}

/// As clipGradients() in core/engine/step/optimizers.cpp.
void clip(Machine& machine, const std::vector<Parameter*>& parameters) {
    std::vector<const Tensor*> gradients;
    double bytes = 0;
    for (const Parameter* parameter : parameters) {
        if (parameter->gradient) {
            gradients.push_back(&parameter->gradient);
            bytes += static_cast<double>(parameter->gradient->bytes());
        }
    }
    if (gradients.empty()) {
        return;
    }
    machine.op("clip", "optimizer", 3 * bytes);
    std::vector<Tensor> norms = normsOf(machine, gradients);
    const DType type = machine.modelType();
    Tensor total;
    {
        const Tensor all = machine.empty({std::ssize(norms)}, type);
        total = machine.empty({}, type);
    }
    if (machine.target.inPython) {
        norms.clear();
    }
    Tensor above = withScalar(machine, [&] { return machine.like(total); });
    Tensor inverse = machine.like(total);
    const Tensor factor = withScalar(machine, [&] { return machine.like(total); });
    if (machine.target.inPython) {
        above.reset();
        inverse.reset();
    }
    const Tensor clamped = machine.like(total);
}

/// Number of tensors read (value, gradient and state) and written (value and state).
double tensorsMoved(const stack::Optimizer& settings) {
    if (settings.kind != OptimizerKind::Sgd) {
        return settings.amsgrad ? 14 : 11;
    }
    return 3 + (settings.momentum != 0 ? 3 : 0) + (settings.weightDecay != 0 ? 3 : 0) +
           (settings.nesterov ? 3 : 0);
}

}  // namespace

void optimize(Machine& machine, const stack::Experiment& experiment,
              const std::vector<Parameter*>& parameters, std::vector<OptimizerState>& states) {
    if (experiment.step.clipGradients > 0) {
        clip(machine, parameters);
    }
    const stack::Optimizer& settings = experiment.optimizer;
    const std::string_view label = settings.kind == OptimizerKind::Sgd ? "sgd" : "adam";
    machine.label(label);
    std::vector<bool> first(parameters.size(), false);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i]->gradient && !states[i].started) {
            prepare(machine, settings, *parameters[i], states[i]);
            first[i] = true;
        }
    }
    if (settings.foreach) {
        std::vector<Parameter*> updated;
        double bytes = 0;
        for (Parameter* parameter : parameters) {
            if (parameter->gradient) {
                updated.push_back(parameter);
                bytes += static_cast<double>(parameter->value->bytes());
            }
        }
        if (!updated.empty()) {
            machine.op(label, "optimizer", tensorsMoved(settings) * bytes);
            together(machine, settings, updated, std::find(first.begin(), first.end(), true) != first.end());
        }
        return;
    }
    Made made;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!parameters[i]->gradient) {
            continue;
        }
        machine.op(label, "optimizer",
                   tensorsMoved(settings) * static_cast<double>(parameters[i]->value->bytes()));
        if (settings.kind == OptimizerKind::Sgd) {
            sgd(machine, settings, *parameters[i], first[i]);
        } else {
            adam(machine, settings, *parameters[i], made);
        }
        if (!machine.target.inPython) {
            made = {};
        }
    }
}

}  // namespace highwater::predict::ghost
