#include "core/stack/data_plan.h"

#include <algorithm>
#include <array>

#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

/// The spatial axes of a batch as i, j, k.
std::array<std::int64_t, 3> extentOf(const Shape& data) {
    std::array<std::int64_t, 3> extent{1, 1, 1};
    for (std::size_t axis = 0; axis + 2 < data.size(); ++axis) {
        extent[axis] = data[data.size() - 1 - axis];
    }
    return extent;
}

}  // namespace

Shape targetShape(const StackInfo& info) {
    Shape shape = info.data;
    if (info.output.size() == 2) {
        shape.resize(2);
    }
    if (info.targetClasses > 0) {
        shape.erase(shape.begin() + 1);
    } else {
        shape[1] = info.targetChannels;
    }
    return shape;
}

DataPlan dataPlan(const Experiment& e, const StackInfo& info, bool cuda) {
    DataPlan plan;
    const bool synthetic = std::holds_alternative<SyntheticInput>(e.input);
    plan.onHost = !cuda || !synthetic || !e.data.augment.empty() || e.data.readDelayMs > 0;
    plan.classLabels = info.targetClasses > 0;
    plan.madeTarget = e.loss != Loss::Mean &&
                      (e.target.kind == Target::Kind::Threshold || e.target.kind == Target::Kind::Labels);
    plan.targetIsInput = e.loss == Loss::Mse && e.target.kind == Target::Kind::Input;
    if (plan.classLabels || comparesProbabilities(e.loss) || (e.loss == Loss::Mse && !plan.targetIsInput)) {
        plan.target = targetShape(info);
    }
    if (!plan.onHost) {
        return plan;
    }
    if (!e.data.augment.empty()) {
        const auto [i, j, k] = extentOf(info.data);
        plan.scratch = {std::max<std::int64_t>(e.data.workers, 1), i * j * (k + 1)};
    }
    if (e.data.workers == 0) {
        return plan;
    }
    if (synthetic) {
        plan.noise = info.data;
    }
    plan.ringInput = info.data;
    plan.ringInput[0] = e.data.workers * e.data.prefetch;
    if (plan.madeTarget) {
        plan.ringTarget = plan.target;
        plan.ringTarget[0] = plan.ringInput[0];
    }
    return plan;
}

std::size_t volumesPerCase(const Experiment& e) {
    const auto* const scan = std::get_if<ScanInput>(&e.input);
    if (scan == nullptr) {
        return 0;
    }
    return static_cast<std::size_t>(channelsOf(*scan)) + (e.target.kind == Target::Kind::Labels ? 1 : 0);
}

}  // namespace highwater::stack
