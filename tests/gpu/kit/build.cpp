#include "tests/gpu/kit/build.h"

#include "core/stack/presets/presets.h"

namespace highwater::kit {

stack::Conv conv(std::int64_t out, std::int64_t kernel) {
    stack::Conv made;
    made.outChannels = out;
    made.kernelSize = {kernel};
    made.padding.sizes = {(kernel - 1) / 2};
    return made;
}

stack::Norm norm(stack::Norm::Kind kind, std::int64_t groups) {
    stack::Norm made;
    made.kind = kind;
    made.numGroups = groups;
    made.affine = kind != stack::Norm::Kind::Instance;
    return made;
}

stack::Activation activation(stack::Activation::Kind kind, bool inplace) {
    stack::Activation made;
    made.kind = kind;
    made.inplace = inplace;
    return made;
}

Layers unit(std::int64_t out) {
    return {{"", conv(out)},
            {"", norm(stack::Norm::Kind::Batch)},
            {"", activation(stack::Activation::Kind::Relu, true)}};
}

Layers operator+(Layers first, const Layers& then) {
    first.insert(first.end(), then.begin(), then.end());
    return first;
}

stack::Layer block(std::string name, Layers layers, bool checkpoint) {
    return {"", stack::Block{std::move(name), checkpoint, std::move(layers)}};
}

stack::Layer named(std::string id, stack::Op op) {
    return {std::move(id), std::move(op)};
}

stack::Merge merge(stack::Merge::Kind kind, std::string with) {
    return {kind, {std::move(with)}};
}

stack::Experiment experiment(std::string name, stack::Shape input, std::int64_t batch, Layers stack) {
    stack::Experiment made;
    made.name = std::move(name);
    made.input = stack::SyntheticInput{std::move(input)};
    made.loss = stack::Loss::Mean;
    made.stack = std::move(stack);
    made.step.batchSize = batch;
    return made;
}

stack::Experiment segmentation(std::string name, stack::Shape input, std::int64_t batch, Layers stack,
                               std::int64_t classes) {
    stack.push_back({"", conv(classes, 1)});
    stack::Experiment made = experiment(std::move(name), std::move(input), batch, std::move(stack));
    made.target.kind = stack::Target::Kind::Classes;
    made.target.classes = classes;
    made.loss = stack::Loss::CrossEntropy;
    return made;
}

base::Result<stack::Experiment> preset(const std::string& id, std::string name, stack::Sizes spatial,
                                       std::int64_t batch) {
    const auto presets = stack::loadPresets();
    if (!presets) {
        return presets.error();
    }
    for (const stack::Preset& each : *presets) {
        if (each.id != id) {
            continue;
        }
        stack::Experiment made = each.experiment;
        auto& shape = std::get<stack::SyntheticInput>(made.input).shape;
        shape.resize(1);
        shape.insert(shape.end(), spatial.begin(), spatial.end());
        made.name = std::move(name);
        made.step.batchSize = batch;
        return made;
    }
    return base::Error{"there is no preset " + id};
}

}  // namespace highwater::kit
