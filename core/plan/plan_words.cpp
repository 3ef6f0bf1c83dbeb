#include "core/plan/plan_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/plan/propose_patch.h"
#include "core/stack/rewrites.h"

namespace highwater::plan {

using stack::Experiment;

namespace {

std::size_t activationsInPlace(const Experiment& experiment) {
    std::size_t count = 0;
    Experiment copy = experiment;
    stack::eachLayer<stack::Activation>(
        copy, [&](const stack::Layer&, const stack::Activation& op) { count += op.inplace ? 1 : 0; });
    return count;
}

std::size_t inplaceAbns(const Experiment& experiment) {
    std::size_t count = 0;
    Experiment copy = experiment;
    stack::eachLayer<stack::InplaceAbn>(copy,
                                        [&](const stack::Layer&, const stack::InplaceAbn&) { ++count; });
    return count;
}

std::string things(std::size_t count, std::string_view one) {
    return base::counted(static_cast<std::int64_t>(count), one);
}

/// The number of layers whose forward runs more than once, and of all layers, without blocks and branches.
std::pair<std::size_t, std::size_t> recomputed(const Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    std::pair<std::size_t, std::size_t> counts{0, 0};
    if (!info) {
        return counts;
    }
    const std::vector<int> forwards = forwardsOf(experiment, *info);
    for (std::size_t i = 0; i < forwards.size(); ++i) {
        if (info->layers[i].type != "block" && info->layers[i].type != "branch") {
            counts.first += forwards[i] > 1 ? 1 : 0;
            ++counts.second;
        }
    }
    return counts;
}

std::size_t offloadedLayers(const Experiment& experiment) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return 0;
    }
    const std::vector<bool> offloaded = offloadedOf(experiment, *info);
    return static_cast<std::size_t>(std::count(offloaded.begin(), offloaded.end(), true));
}

}  // namespace

std::size_t recomputedLayers(const Experiment& experiment) {
    return recomputed(experiment).first;
}

std::vector<std::string> changesOf(const Experiment& before, const Experiment& after) {
    std::vector<std::string> lines;
    if (const auto [again, all] = recomputed(after); again > 0) {
        const auto& plan = after.step.checkpoint.plan;
        const auto parts = std::count_if(plan.begin(), plan.end(),
                                         [](const stack::PlanPart& part) { return !part.offload; });
        lines.push_back(fmt::format("{} of {} are recomputed in the backward pass, in {}", again,
                                    things(all, "layer"), base::counted(parts, "part")));
    } else if (recomputed(before).first > 0) {
        lines.emplace_back("no recomputation");
    }
    if (const std::size_t away = offloadedLayers(after); away > 0) {
        lines.push_back(fmt::format("large tensors that {} keep for the backward pass wait in host memory",
                                    things(away, "layer")));
    }
    if (const std::size_t more = activationsInPlace(after) - activationsInPlace(before);
        activationsInPlace(after) > activationsInPlace(before)) {
        lines.push_back(fmt::format("{} more in place", things(more, "activation")));
    }
    if (const std::size_t more = inplaceAbns(after) - inplaceAbns(before);
        inplaceAbns(after) > inplaceAbns(before)) {
        lines.push_back(
            fmt::format("{} instead of batch_norm and activation; gradients are rounded differently",
                        things(more, "inplace_abn")));
    }
    if (after.step.microBatches != before.step.microBatches) {
        lines.push_back(fmt::format("the batch of {} is computed as {} micro-batches", after.step.batchSize,
                                    after.step.microBatches));
    }
    if (after.step.channelsLast != before.step.channelsLast) {
        lines.emplace_back("tensors use the channels_last memory format");
    }
    if (after.step.precision != before.step.precision) {
        lines.push_back(
            fmt::format("convolutions and matrix products compute in {}, which rounds differently",
                        stack::precisionName(after.step.precision)));
    }
    if (after.backend.allocConf != before.backend.allocConf) {
        lines.emplace_back("the allocator uses expandable segments");
    }
    if (after.step.batchSize != before.step.batchSize) {
        lines.push_back(
            fmt::format("a batch of {} instead of {}", after.step.batchSize, before.step.batchSize));
    }
    if (const stack::Sizes patch = stack::patchOf(after); patch != stack::patchOf(before)) {
        lines.push_back(fmt::format("a patch of {} instead of {}", base::formatShapeShort(patch),
                                    base::formatShapeShort(stack::patchOf(before))));
    }
    return lines;
}

std::vector<std::string> settingsOf(const Experiment& before, const Experiment& after) {
    std::vector<std::string> names;
    if (after.step.precision != before.step.precision) {
        names.emplace_back(stack::precisionName(after.step.precision));
    }
    if (after.step.channelsLast && !before.step.channelsLast) {
        names.emplace_back("channels_last");
    }
    if (after.step.microBatches != before.step.microBatches) {
        names.push_back(after.step.microBatches > 1 ? fmt::format("{} micro-batches", after.step.microBatches)
                                                    : std::string("no micro-batches"));
    }
    return names;
}

bool roundsDifferently(const Experiment& before, const Experiment& after) {
    return after.step.microBatches != before.step.microBatches ||
           after.step.channelsLast != before.step.channelsLast ||
           after.step.precision != before.step.precision || inplaceAbns(after) != inplaceAbns(before);
}

std::vector<int> forwardsOf(const Experiment& experiment, const stack::StackInfo& info) {
    std::vector<int> forwards(info.layers.size(), 1);
    const stack::Program program = stack::makeProgram(experiment, info);
    const auto visit = [&](const auto& self, const std::vector<stack::Segment>& segments, int depth) -> void {
        for (const stack::Segment& segment : segments) {
            if (segment.checkpoint) {
                self(self, segment.inner, depth + 1);
                continue;
            }
            for (int step = segment.first; step < segment.last; ++step) {
                const bool resumed = segment.resumes && step + 1 == segment.last;
                forwards[static_cast<std::size_t>(program.steps[static_cast<std::size_t>(step)].layer)] =
                    depth + (resumed ? 0 : 1);
            }
        }
    };
    visit(visit, program.segments, 0);
    for (std::size_t i = forwards.size(); i-- > 0;) {
        if (info.layers[i].block >= 0) {
            int& block = forwards[static_cast<std::size_t>(info.layers[i].block)];
            block = std::max(block, forwards[i]);
        }
    }
    return forwards;
}

std::vector<bool> offloadedOf(const Experiment& experiment, const stack::StackInfo& info) {
    std::vector<bool> offloaded(info.layers.size());
    const stack::Program program = stack::makeProgram(experiment, info);
    const auto visit = [&](const auto& self, const std::vector<stack::Segment>& segments) -> void {
        for (const stack::Segment& segment : segments) {
            self(self, segment.inner);
            for (int step = segment.first; segment.offload && step < segment.last; ++step) {
                offloaded[static_cast<std::size_t>(program.steps[static_cast<std::size_t>(step)].layer)] =
                    true;
            }
        }
    };
    visit(visit, program.segments);
    return offloaded;
}

std::string headline(const Plan& plan) {
    if (plan.changes.empty()) {
        return "unchanged";
    }
    const auto [again, all] = recomputed(plan.experiment);
    std::vector<std::string> parts = plan.settings;
    if (again > 0) {
        parts.push_back(fmt::format("recompute {} of {}", again, things(all, "layer")));
    }
    if (const std::size_t away = offloadedLayers(plan.experiment); away > 0) {
        parts.push_back(fmt::format("offload {} of {} ({})", away, things(all, "layer"),
                                    base::formatBytes(plan.fit.onHost)));
    }
    if (parts.empty()) {
        parts.push_back(plan.changes.front());
    }
    return fmt::format("{}, {:+.0f} % time", fmt::join(parts, ", "), 100 * plan.slower);
}

}  // namespace highwater::plan
