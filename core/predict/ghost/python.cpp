#include "core/predict/ghost/python.h"

namespace highwater::predict::ghost {

namespace {

/// (2 * torch.arange(count) + 1) * given // (2 * count)
Tensor placesOf(Machine& machine, std::int64_t count) {
    Tensor places = machine.empty({count}, DType::Int64);
    for (int operation = 0; operation < 4; ++operation) {
        places = machine.like(places);
    }
    return places;
}

/// at_size(): resamples the target to the size of an output, axis by axis.
Tensor atSize(Machine& machine, const Tensor& target, const Dims& output) {
    machine.label("at_size");
    Tensor sized = target, places;
    const int spatial = output.rank - 2;
    for (int i = 0; i < spatial; ++i) {
        Dims dims = sized->dims;
        const int axis = dims.rank - spatial + i;
        if (dims[axis] == output[2 + i]) {
            continue;
        }
        places = placesOf(machine, output[2 + i]);
        dims[axis] = output[2 + i];
        sized = machine.empty(dims, sized->dtype);
    }
    return sized;
}

/// probabilities(): one channel per class.
Tensor oneHot(Machine& machine, const Tensor& labels, std::int64_t classes) {
    stack::Shape shape = labels->dims.shape();
    shape.insert(shape.begin() + 1, classes);
    Tensor made = machine.empty(Dims(shape), machine.modelType());
    beginElementwise(machine, "one_hot", made, 2);
    return made;
}

}  // namespace

Tensor criterion(Machine& machine, stack::Loss kind, const std::vector<Tensor>& outputs, const Tensor& target,
                 std::int64_t softClasses) {
    const auto lossOf = [&](const Tensor& output) {
        Tensor wanted = target && outputs.size() > 1 ? atSize(machine, target, output->dims) : target;
        if (wanted && softClasses > 0) {
            wanted = oneHot(machine, wanted, softClasses);
        }
        return machine.ops.loss(machine, kind, output, wanted);
    };
    if (outputs.size() == 1) {
        return lossOf(outputs.front());
    }
    std::vector<Tensor> losses;
    for (const Tensor& output : outputs) {
        losses.push_back(machine.ops.weigh(machine, lossOf(output)));
    }
    Tensor sum = plusNumber(machine, losses.front());  // sum() starts at 0
    for (std::size_t i = 1; i < losses.size(); ++i) {
        sum = machine.ops.join(machine, sum, losses[i]);
    }
    return sum;
}

}  // namespace highwater::predict::ghost
