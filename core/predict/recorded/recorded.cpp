#include "core/predict/recorded/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/predict/recorded/align.h"
#include "core/predict/recorded/peaks.h"
#include "core/predict/workspaces/workspace.h"

namespace highwater::predict {

namespace {

using base::Error;
using base::Result;
using memory::TraceEvent;

/// Which blocks are freed before any other request, except one: the handle's own workspace may be allocated
/// in between. Works for the events of a walk and of a trace.
template <class Events>
std::vector<bool> briefBlocks(const Events& events, std::size_t blocks) {
    using Kind = decltype(events.front().kind);
    constexpr std::size_t kBrief = 1;
    std::vector<bool> brief(blocks);
    std::vector<std::size_t> requested(blocks);
    std::size_t count = 0;
    for (const auto& event : events) {
        if (event.kind == Kind::Allocate) {
            requested[event.block] = ++count;
        } else if (event.kind == Kind::Free) {
            brief[event.block] = requested[event.block] > 0 && count - requested[event.block] <= kBrief;
        }
    }
    return brief;
}

/// The requests of the walk's second step, which represents all later ones. (In the first one, `benchmark`
/// searches and the optimizer creates its state.)
struct StepRequests {
    std::vector<ExpectedRequest> requests;
    std::vector<std::size_t> events;   ///< index into Walk::events
    std::vector<std::int32_t> blocks;  ///< index into Walk::blocks; -1: cuDNN is expected to take none
    std::vector<std::int32_t> calls;   ///< index into Walk::cudnnCalls; -1: no workspace of cuDNN
    std::int64_t tensors = 0;          ///< number of requests that are not workspaces of cuDNN
    double bytes = 0;                  ///< their bytes

    explicit StepRequests(const Walk& walk) : brief_(briefBlocks(walk.events, walk.blocks.size())) {
        std::size_t call = 0;
        while (call < walk.cudnnCalls.size() && walk.cudnnCalls[call].event < walk.stepEvent[kSecondStep]) {
            ++call;
        }
        for (std::size_t i = walk.stepEvent[kSecondStep]; i <= walk.events.size(); ++i) {
            const std::int32_t block =
                i < walk.events.size() && walk.events[i].kind == WalkEvent::Kind::Allocate
                    ? static_cast<std::int32_t>(walk.events[i].block)
                    : -1;
            bool isCall = false;
            for (; call < walk.cudnnCalls.size() && walk.cudnnCalls[call].event == i; ++call) {
                const std::int32_t its = walk.cudnnCalls[call].block;
                isCall = isCall || its >= 0;
                add(walk, its, i, static_cast<std::int32_t>(call));
            }
            if (block >= 0 && !isCall) {
                add(walk, block, i, -1);
            }
        }
    }

private:
    void add(const Walk& walk, std::int32_t block, std::size_t event, std::int32_t call) {
        const Estimate size = block < 0 ? Estimate() : walk.blocks[static_cast<std::size_t>(block)].bytes;
        const bool workspace = call >= 0 || !size.exact();  // batch_norm's workspace, too, may have any size
        tensors += workspace ? 0 : 1;
        bytes += workspace ? 0 : static_cast<double>(size.expected);
        requests.push_back({size.expected, workspace, block >= 0 && brief_[static_cast<std::size_t>(block)]});
        events.push_back(event);
        blocks.push_back(block);
        calls.push_back(call);
    }

    std::vector<bool> brief_;
};

/// The requests of a recording: the last ones, as many as can be aligned.
struct Recorded {
    std::vector<RecordedRequest> requests;
    std::vector<std::size_t> events;  ///< index into Trace::events
    bool cut = false;

    Recorded(const memory::Trace& trace, std::size_t most) {
        const std::vector<bool> brief = briefBlocks(trace.events, trace.blocks.size());
        const auto count = static_cast<std::size_t>(
            std::count_if(trace.events.begin(), trace.events.end(),
                          [](const TraceEvent& each) { return each.kind == TraceEvent::Kind::Allocate; }));
        cut = count > most;
        std::size_t number = 0;
        for (std::size_t i = 0; i < trace.events.size(); ++i) {
            const TraceEvent& event = trace.events[i];
            if (event.kind != TraceEvent::Kind::Allocate || number++ + most < count) {
                continue;
            }
            const base::Bytes bytes = trace.blocks[event.block].bytes;
            requests.push_back({bytes, brief[event.block], event.category == memory::Category::Workspace});
            events.push_back(i);
        }
    }
};

/// One pass through the step: which recorded request matches which of its requests.
struct Pass {
    std::vector<std::int32_t> recorded;  ///< by request of the step: index into Recorded, or -1
    std::int64_t tensors = 0;            ///< number of requests found that are not workspaces
    double bytes = 0;                    ///< their bytes

    /// Whether it matches this step: half of the requests, and of their bytes. (A network with other sizes
    /// has the same parameters, and so the same small requests.)
    bool shows(const StepRequests& step) const {
        return 2 * tensors >= step.tensors && 2 * bytes >= step.bytes;
    }
};

std::vector<Pass> passesOf(const std::vector<std::int32_t>& partners, const StepRequests& step) {
    std::vector<Pass> passes;
    std::int32_t last = std::numeric_limits<std::int32_t>::max();
    for (std::size_t j = 0; j < partners.size(); ++j) {
        if (partners[j] < 0) {
            continue;
        }
        if (partners[j] <= last) {
            passes.push_back({std::vector<std::int32_t>(step.requests.size(), -1), 0, 0});
        }
        last = partners[j];
        passes.back().recorded[static_cast<std::size_t>(last)] = static_cast<std::int32_t>(j);
        const ExpectedRequest& found = step.requests[static_cast<std::size_t>(last)];
        passes.back().tensors += found.workspace ? 0 : 1;
        passes.back().bytes += found.workspace ? 0 : static_cast<double>(found.bytes);
    }
    return passes;
}

/// Whether the tensors on one side (`way` is 1 or -1) of a workspace of pass `number` were all found, even
/// beyond the step's end: at least three, and as many as have the same size as the nearest one.
bool sideIsThere(const std::vector<Pass>& passes, std::size_t number, const StepRequests& step,
                 std::size_t at, std::ptrdiff_t way) {
    constexpr int kAround = 3;
    const std::ptrdiff_t count = std::ssize(step.requests);
    std::ptrdiff_t place =
        static_cast<std::ptrdiff_t>(number) * count + static_cast<std::ptrdiff_t>(at) + way;
    std::optional<base::Bytes> nearest;
    for (int seen = 1; place >= 0 && place < std::ssize(passes) * count; place += way, ++seen) {
        const auto request = static_cast<std::size_t>(place % count);
        const ExpectedRequest& expected = step.requests[request];
        if (!expected.workspace && passes[static_cast<std::size_t>(place / count)].recorded[request] < 0) {
            return false;
        }
        if (!expected.workspace) {
            nearest = nearest.value_or(expected.bytes);
        }
        if (seen >= kAround && nearest && !expected.workspace && expected.bytes != *nearest) {
            break;
        }
    }
    return true;
}

/// Whether the tensors around a workspace were all found: if the program's order differs from the predicted
/// one, or in a row of tensors of equal size, single tensors may match by chance.
bool surelyThere(const std::vector<Pass>& passes, std::size_t number, const StepRequests& step,
                 std::size_t at) {
    return sideIsThere(passes, number, step, at, -1) && sideIsThere(passes, number, step, at, 1);
}

/// Adds the information that a pass gives about the workspace at `at` of the step: only if nothing else was
/// requested between the adjacent tensors.
void readWorkspace(const std::vector<Pass>& passes, std::size_t number, const StepRequests& step,
                   std::size_t at, const Recorded& recorded, const memory::Trace& trace,
                   RecordedWorkspace& workspace) {
    const Pass& pass = passes[number];
    const std::size_t count = step.requests.size();
    if (at == 0 || at + 1 == count || pass.recorded[at - 1] < 0 || pass.recorded[at + 1] < 0 ||
        !surelyThere(passes, number, step, at)) {
        return;
    }
    const std::int32_t own = pass.recorded[at];
    if (pass.recorded[at + 1] - pass.recorded[at - 1] != (own < 0 ? 1 : 2)) {
        return;
    }
    const base::Bytes bytes =
        own < 0 ? 0 : trace.blocks[trace.events[recorded.events[static_cast<std::size_t>(own)]].block].bytes;
    workspace.varies = workspace.varies || (workspace.steps > 0 && bytes != workspace.recorded);
    workspace.recorded = bytes;
    ++workspace.steps;
}

std::vector<RecordedWorkspace> workspacesOf(const Walk& walk, const Target& target, const StepRequests& step,
                                            const std::vector<Pass>& passes, const Recorded& recorded,
                                            const memory::Trace& trace) {
    std::vector<RecordedWorkspace> found;
    std::map<std::string, std::size_t> numbers;
    for (std::size_t at = 0; at < step.requests.size(); ++at) {
        if (step.calls[at] < 0) {
            continue;
        }
        const Walk::CudnnCall& call = walk.cudnnCalls[static_cast<std::size_t>(step.calls[at])];
        const Walk::Convolution& pass = walk.convolutions[static_cast<std::size_t>(call.convolution)];
        const GpuConvolution op = partOf({pass.key, switchesOf(target.settings)}, call.part);
        const auto [number, isNew] = numbers.emplace(partName(op, call.part), found.size());
        if (isNew) {
            RecordedWorkspace& made = found.emplace_back();
            made.convolution = op;
            made.part = call.part;
            made.layer = pass.layer;
            const Workspace predicted = workspaceOf(pass.key, call.part, target);
            made.predicted = predicted.bytes;
            made.source = predicted.source;
        }
        for (std::size_t i = 0; i < passes.size(); ++i) {
            readWorkspace(passes, i, step, at, recorded, trace, found[number->second]);
        }
    }
    return found;
}

/// Matches the blocks, and finds how far the walk is at each event.
Aligned alignedBlocks(const Walk& walk, const memory::Trace& trace, const StepRequests& step,
                      const std::vector<Pass>& passes, const Recorded& recorded) {
    Aligned aligned{std::vector<std::int32_t>(trace.blocks.size(), Aligned::kNone),
                    std::vector<std::int32_t>(trace.blocks.size(), -1),
                    std::vector<std::int64_t>(trace.events.size(), -1), 0};
    std::vector<std::int64_t> at(trace.events.size(), -1);
    std::size_t from = trace.events.size(), to = 0;
    std::int32_t number = -1;
    for (const Pass& pass : passes) {
        if (++number == 1) {
            const auto first = std::find_if(pass.recorded.begin(), pass.recorded.end(),
                                            [](std::int32_t each) { return each >= 0; });
            aligned.steady = recorded.events[static_cast<std::size_t>(*first)];
        }
        for (std::size_t i = 0; i < pass.recorded.size(); ++i) {
            if (pass.recorded[i] < 0) {
                continue;
            }
            const std::size_t event = recorded.events[static_cast<std::size_t>(pass.recorded[i])];
            const std::uint32_t block = trace.events[event].block;
            aligned.partner[block] = step.blocks[i] >= 0 ? step.blocks[i] : Aligned::kWorkspace;
            aligned.step[block] = number;
            at[event] = static_cast<std::int64_t>(std::min(step.events[i], walk.events.size() - 1));
            from = std::min(from, event);
            to = std::max(to, event);
        }
    }
    std::int64_t reached = -1;
    for (std::size_t event = from; event < trace.events.size() && event <= to; ++event) {
        reached = at[event] >= 0 ? at[event] : reached;
        aligned.reached[event] = reached;
    }
    return aligned;
}

}  // namespace

Result<RecordedComparison> compareWithRecording(const stack::Experiment& experiment,
                                                const stack::StackInfo& info, const Target& target,
                                                const memory::Trace& recording,
                                                const std::atomic<bool>* cancel) {
    if (!target.gpu) {
        return Error{"a snapshot is of a GPU; name the one on which it was recorded, such as rtx4090"};
    }
    const auto walked = HIGHWATER_TRY(walk(experiment, info, target));
    Target settled = target;
    settled.settings = cudaSettings(experiment);
    const StepRequests step(walked);
    const std::size_t most = kMostCells / std::max<std::size_t>(1, step.requests.size()) - 1;
    const Recorded recorded(recording, most);
    if (recorded.requests.empty()) {
        return Error{"the snapshot has no allocations; record a whole training step"};
    }
    const auto partners = HIGHWATER_TRY(align(step.requests, recorded.requests, cancel));
    RecordedComparison comparison;
    comparison.requests = step.tensors;
    comparison.beginsLater = recorded.cut;
    comparison.told = std::any_of(recorded.requests.begin(), recorded.requests.end(),
                                  [](const RecordedRequest& each) { return each.workspace; });
    std::vector<Pass> passes = passesOf(partners, step);
    double bytes = 0;
    for (const Pass& pass : passes) {
        comparison.found = std::max(comparison.found, pass.tensors);
        bytes = std::max(bytes, pass.bytes);
    }
    std::erase_if(passes, [&](const Pass& pass) { return !pass.shows(step); });
    if (passes.empty()) {
        return Error{
            fmt::format("the snapshot does not show this experiment: of the {} requests of a training step "
                        "({}), {} at most ({}) were found in their order; the network, the sizes, the batch "
                        "and the precision must be those that were recorded",
                        comparison.requests, base::formatBytes(static_cast<base::Bytes>(step.bytes)),
                        comparison.found, base::formatBytes(static_cast<base::Bytes>(bytes)))};
    }
    comparison.steps = static_cast<int>(passes.size());
    comparison.workspaces = workspacesOf(walked, settled, step, passes, recorded, recording);
    comparePeaks(walked, recording, alignedBlocks(walked, recording, step, passes, recorded), comparison);
    return comparison;
}

GpuTable measuredRows(const RecordedComparison& comparison, const Target& target) {
    GpuTable table({toText(target.versions.libtorch), toText(target.versions.cudnn),
                    target.versions.architecture, target.id});
    table.machine = "from memory snapshots";
    for (const RecordedWorkspace& each : comparison.workspaces) {
        if (each.steps < (comparison.told ? 1 : 2) || each.varies) {
            continue;
        }
        GpuOpRow row;
        (each.part == ConvPart::Forward         ? row.forward
         : each.part == ConvPart::InputGradient ? row.inputGradient
                                                : row.weightGradient) = each.recorded;
        table.add(each.convolution, row);
    }
    return table;
}

}  // namespace highwater::predict
