#include "tests/gpu/rules/event_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/engine/run/target.h"
#include "core/memory/trace_chunk.h"
#include "core/predict/ghost/walk.h"
#include "core/stack/shapes.h"
#include "core/wire/events.h"
#include "tests/core/stack/random_stack.h"

namespace highwater::gpu {

namespace {

using memory::Trace;
using memory::TraceEvent;

/// A table in which every convolution of the experiment has a row without a workspace.
std::shared_ptr<const predict::GpuTable> noWorkspaces(const stack::Experiment& experiment,
                                                      const stack::StackInfo& info,
                                                      const predict::Target& target) {
    auto table = std::make_shared<predict::GpuTable>(
        predict::GpuKey{predict::toText(target.versions.libtorch), predict::toText(target.versions.cudnn),
                        target.versions.architecture, target.id});
    const predict::CudaSettings settings = predict::cudaSettings(experiment);
    const auto walk = predict::walk(experiment, info, target);
    if (!walk) {
        return table;
    }
    for (const predict::Walk::Convolution& met : walk->convolutions) {
        const predict::ConvKey& op = met.key;
        predict::GpuOpRow row;
        if (op.pass == predict::ConvKey::Pass::Forward) {
            row.forward = 0;
        }
        if (op.inputGradient) {
            row.inputGradient = 0;
        }
        if (op.weightGradient) {
            row.weightGradient = 0;
        }
        table->add({op, {settings.tf32, settings.benchmark, settings.deterministic}}, row);
    }
    return table;
}

/// The allocations and frees, in order: without changes of category, whose order within an operator does not
/// matter, and without the walk's allocations of size zero.
Trace takenAndGiven(Trace trace) {
    std::erase_if(trace.events, [&](const TraceEvent& e) {
        return e.kind == TraceEvent::Kind::Retag || trace.blocks[e.block].bytes == 0;
    });
    // Some frees without an allocation between them are in the order of a hash table's entries.
    const auto isFree = [](const TraceEvent& e) { return e.kind == TraceEvent::Kind::Free; };
    for (auto begin = trace.events.begin(); begin != trace.events.end();) {
        begin = std::find_if(begin, trace.events.end(), isFree);
        const auto end = std::find_if_not(begin, trace.events.end(), isFree);
        std::stable_sort(begin, end, [&](const TraceEvent& a, const TraceEvent& b) {
            return trace.blocks[a.block].bytes < trace.blocks[b.block].bytes;
        });
        begin = end;
    }
    return trace;
}

bool same(const Trace& measured, const Trace& predicted, std::size_t i) {
    const TraceEvent &m = measured.events[i], &p = predicted.events[i];
    return m.kind == p.kind && m.layer == p.layer && m.phase == p.phase &&
           measured.blocks[m.block].bytes == predicted.blocks[p.block].bytes;
}

std::string textOf(const Trace& trace, std::size_t i) {
    if (i >= trace.events.size()) {
        return "-";
    }
    const TraceEvent& e = trace.events[i];
    const memory::TraceBlock& block = trace.blocks[e.block];
    constexpr const char* kKinds[] = {"alloc", "retag", "free"};
    const std::string label = block.label >= 0 ? trace.labels[static_cast<std::size_t>(block.label)] : "";
    const std::string layer = e.layer >= 0 ? trace.layers.empty()
                                                 ? fmt::format("{}", e.layer)
                                                 : trace.layers[static_cast<std::size_t>(e.layer)]
                                           : "-";
    return fmt::format("{} #{} {} B {} {} layer {} ({})", kKinds[static_cast<int>(e.kind)], e.block,
                       block.bytes, memory::categoryKey(e.category), wire::phaseKey(e.phase), layer, label);
}

}  // namespace

base::Result<Walks> walkBoth(const stack::Experiment& experiment,
                             std::shared_ptr<const predict::AskedTable> asked) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    Walks walks;
    engine::RunRequest request;
    request.experiment = experiment;
    request.device = "cuda:0";
    request.steps = 2;
    request.warmup = 0;
    request.trace = [&](const memory::TraceChunk& chunk) {
        memory::append(walks.measured, chunk);
        return base::Status{};
    };
    engine::releaseCached({true, 0});  // remove memory cached by an earlier run
    const std::atomic<bool> cancel{false};
    const auto result = engine::run(request, [](const wire::Event&) {}, cancel);
    if (!result) {
        return result.error();
    }
    if (result->failure) {
        return base::Error{result->failure->why};
    }
    if (result->environment.architecture == 0) {
        return base::Error{"the run was not on a GPU"};
    }
    walks.measuredPeak = result->peakAllocated;
    walks.measuredReserved = result->peakReserved;

    auto target = engine::targetOf(result->environment, experiment);
    if (!target) {
        return target.error();
    }
    if (asked) {
        target->asked = std::move(asked);
    } else {
        target->gpuTable = noWorkspaces(experiment, *info, *target);
    }
    predict::PredictOptions options;
    options.trace = &walks.predicted;
    options.time = false;
    const auto predicted = predict::predict(experiment, *info, *target, options);
    if (!predicted) {
        return predicted.error();
    }
    walks.predictedPeak = predicted->peakAllocated.expected;
    walks.predictedReserved = predicted->peakReserved.expected;
    walks.target = *target;
    for (const stack::LayerInfo& layer : info->layers) {
        walks.measured.layers.push_back(layer.name);
    }
    return walks;
}

std::optional<std::string> difference(const Walks& walks) {
    constexpr std::size_t kBefore = 6, kAfter = 8;
    const Trace measured = takenAndGiven(walks.measured), predicted = takenAndGiven(walks.predicted);
    const std::size_t shorter = std::min(measured.events.size(), predicted.events.size()),
                      longer = std::max(measured.events.size(), predicted.events.size());
    std::size_t at = 0;
    while (at < shorter && same(measured, predicted, at)) {
        ++at;
    }
    if (at >= predicted.events.size()) {  // memory freed at the end of a run is not in the walk
        return std::nullopt;
    }
    std::string text = fmt::format("event {} of {} measured, {} predicted\n", at, measured.events.size(),
                                   predicted.events.size());
    for (std::size_t i = at - std::min(at, kBefore); i < std::min(longer, at + kAfter); ++i) {
        text += fmt::format("{}{:>6} {:<95} | {}\n", i == at ? ">" : " ", i, textOf(measured, i),
                            textOf(predicted, i));
    }
    return text;
}

stack::Experiment randomGpuExperiment(int seed, bool ownKernels, bool views) {
    stack::testing::RandomLimits limits;
    // A pretended GPU does not report the memory for sorting an index.
    limits.without = {"custom_conv", "inplace_abn", "relative_position_bias"};
    limits.views = views;
    limits.reduced = false;
    const bool trueHalf = seed % 8 == 6 && !ownKernels;
    if (trueHalf) {
        limits.without.insert("window_mask");
    }
    stack::Experiment made = stack::testing::randomExperiment(static_cast<std::uint64_t>(seed), limits);
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) * 7919 + 1);
    const auto one = [&](int of) { return static_cast<int>(random() % static_cast<unsigned>(of)); };
    if (one(3) == 0) {
        made.step.microBatches = made.step.batchSize;
    }
    constexpr stack::Precision kPrecisions[] = {stack::Precision::Fp32, stack::Precision::Tf32,
                                                stack::Precision::Bf16, stack::Precision::Fp16};
    made.step.precision = kPrecisions[one(4)];
    if (trueHalf) {  // the random numbers drawn stay the same
        made.step.precision = seed % 16 == 6 ? stack::Precision::Fp16True : stack::Precision::Bf16True;
    }
    made.step.channelsLast = one(4) == 0;
    made.backend.cudnn = one(5) != 0;
    made.backend.deterministic = one(5) == 0;
    return made;
}

}  // namespace highwater::gpu
