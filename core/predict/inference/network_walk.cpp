#include "core/predict/inference/network_walk.h"

#include <algorithm>

namespace highwater::predict::ghost {

namespace {

template <class T>
bool is(const stack::Op& op) {
    return std::holds_alternative<T>(op);
}

bool isMerge(const stack::Op& op, stack::Merge::Kind kind) {
    const auto* merge = std::get_if<stack::Merge>(&op);
    return merge != nullptr && merge->kind == kind;
}

bool followsConvolution(const stack::Op& op) {
    return is<stack::Norm>(op) || is<stack::Activation>(op) || is<stack::Dropout>(op);
}

/// Extends the lifetimes of values by what Python's frames hold.
class Frames {
public:
    Frames(const stack::Program& program, std::vector<int>& held) : program_(program), held_(held) {}

    /// Passes the layers of a stack, or of a block.
    void pass(const std::vector<stack::Layer>& layers, bool outermost) {
        for (const stack::Layer& layer : layers) {
            const auto* block = std::get_if<stack::Block>(&layer.op);
            if (block == nullptr) {
                at_ += isMerge(layer.op, stack::Merge::Kind::Branch) ? 0 : 1;
                continue;
            }
            const int first = at_;
            pass(block->layers, false);
            passedBlock(first, outermost);
        }
    }

private:
    void hold(int value, int until) {
        int& held = held_[static_cast<std::size_t>(value + 1)];
        held = std::max(held, until);
    }

    void passedBlock(int first, bool outermost) {
        const int last = at_ - 1;
        if (last < first) {
            return;
        }
        hold(step(first).from, last);
        for (int s = first; s <= last; ++s) {
            if (isMerge(*step(s).op, stack::Merge::Kind::Concat)) {
                hold(s, last);
            }
        }
        decoding_ = decoding_ || is<stack::ConvTranspose>(*step(first).op);
        if (outermost && !decoding_) {
            hold(last, static_cast<int>(program_.steps.size()) - 1);
        }
    }

    const stack::ProgramStep& step(int s) const { return program_.steps[static_cast<std::size_t>(s)]; }

    const stack::Program& program_;
    std::vector<int>& held_;
    int at_ = 0;
    bool decoding_ = false;
};

/// The last step of the unit that begins with step s.
int endOfUnit(const stack::Program& program, int s) {
    int end = s;
    while (is<stack::Conv>(*program.steps[static_cast<std::size_t>(s)].op) &&
           static_cast<std::size_t>(end) + 1 < program.steps.size() &&
           program.steps[static_cast<std::size_t>(end) + 1].from == end &&
           followsConvolution(*program.steps[static_cast<std::size_t>(end) + 1].op)) {
        ++end;
    }
    return end;
}

}  // namespace

std::vector<int> heldUntil(const stack::Experiment& experiment, const stack::Program& program) {
    std::vector<int> held(program.steps.size() + 1, -1);
    for (int s = 0; s < static_cast<int>(program.steps.size()); ++s) {
        const stack::ProgramStep& step = program.steps[static_cast<std::size_t>(s)];
        for (const int value : stack::valuesRead(step)) {
            int& until = held[static_cast<std::size_t>(value + 1)];
            until = std::max(until, value == step.from ? endOfUnit(program, s) : s);
        }
    }
    Frames(program, held).pass(experiment.stack, true);
    return held;
}

InferenceNetwork::InferenceNetwork(const stack::Experiment& experiment, const stack::StackInfo& info,
                                   Machine& machine)
    : machine_(machine),
      info_(info),
      program_(makeProgram(experiment, info)),
      heldUntil_(heldUntil(experiment, program_)) {
    layers_.reserve(program_.steps.size());
    machine_.label("parameters");
    for (const stack::ProgramStep& step : program_.steps) {
        machine_.enter(Phase::Setup, step.layer);
        layers_.push_back(
            step.owner == static_cast<int>(layers_.size())
                ? makeLayer(machine_, *step.op, info.layers[static_cast<std::size_t>(step.layer)].input)
                : LayerState{});
    }
    machine_.enter(Phase::Setup, -1);
}

Tensor InferenceNetwork::forward(const Tensor& input) {
    std::vector<Tensor> values(program_.steps.size() + 1);
    values[0] = input;
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
        const stack::ProgramStep& step = program_.steps[s];
        const auto layer = static_cast<std::size_t>(step.layer);
        machine_.enter(Phase::Forward, step.layer);
        std::vector<Tensor> with;
        with.reserve(step.with.size());
        for (const int value : step.with) {
            with.push_back(values[static_cast<std::size_t>(value + 1)]);
        }
        const Tensor& from = values[static_cast<std::size_t>(step.from + 1)];
        const auto* merge = std::get_if<stack::Merge>(step.op);
        // nnU-Net adds residuals in place.
        values[s + 1] = merge != nullptr && merge->kind == stack::Merge::Kind::Add
                            ? from
                            : applyLayer(machine_, *step.op, layers_[static_cast<std::size_t>(step.owner)],
                                         from, with, Dims(info_.layers[layer].output), ForwardMode::Evaluate);
        with.clear();
        for (std::size_t value = 0; value <= s; ++value) {
            if (values[value] && heldUntil_[value] <= static_cast<int>(s)) {
                values[value].reset();
            }
        }
    }
    machine_.enter(Phase::Forward, -1);
    return values.back();
}

}  // namespace highwater::predict::ghost
