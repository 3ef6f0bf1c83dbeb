#include <algorithm>
#include <set>

#include "core/plan/plan_search.h"

namespace highwater::plan {

bool usesBatchStatistics(const std::vector<stack::Layer>& layers) {
    return std::any_of(layers.begin(), layers.end(), [](const stack::Layer& layer) {
        const auto* const norm = std::get_if<stack::Norm>(&layer.op);
        const auto* const block = std::get_if<stack::Block>(&layer.op);
        return (norm != nullptr && norm->kind == stack::Norm::Kind::Batch) ||
               std::holds_alternative<stack::InplaceAbn>(layer.op) ||
               (block != nullptr && usesBatchStatistics(block->layers));
    });
}

std::vector<std::int64_t> microBatchesOf(const stack::Experiment& experiment, const PlanChoices& choices) {
    const stack::Step& step = experiment.step;
    std::vector<std::int64_t> all = {step.microBatches};
    if (!choices.microBatches || usesBatchStatistics(experiment.stack)) {
        return all;
    }
    std::set<std::int64_t> divisors;
    const std::int64_t samples = step.batchSize / step.microBatches;
    for (std::int64_t each = 1; each <= samples / each; ++each) {
        if (samples % each == 0) {
            divisors.insert({each, samples / each});
        }
    }
    for (const std::int64_t each : divisors) {
        if (each * step.microBatches >= 2 * all.back()) {
            all.push_back(each * step.microBatches);
        }
    }
    return all;
}

}  // namespace highwater::plan
