#include "core/predict/fit/assess.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/predict/fit/walk_replay.h"

namespace highwater::predict {

namespace {

using base::Bytes;

/// The possible error of the rules, unless everything relevant was measured on the architecture. (On an H200,
/// with workspaces asked of cuDNN, 57 of 72 runs reserved the predicted memory within 1 %, and 8 more within
/// 5 %.)
constexpr double kUnverified = 0.05;

/// Factor by which a larger device is checked, to rule out that a size fits.
constexpr double kLittleMore = 1.02;

double unverified(const Prediction& prediction) {
    return prediction.verified && prediction.asked == 0 ? 0 : kUnverified;
}

Bytes scaled(Bytes bytes, double by) {
    return static_cast<Bytes>(
        std::clamp(static_cast<double>(bytes) * by, 0.0, static_cast<double>(kMostMemory)));
}

bool runs(const Walk& walk, Level level, const memory::AllocatorConfig& config, Bytes capacity) {
    return !replay(walk, level, false, config, std::max<Bytes>(0, capacity)).outOfMemory;
}

/// Returns the least capacity in which the walk runs. It is known to run at `high`; it may also run at `low`.
Bytes leastCapacity(const Walk& walk, Level level, const memory::AllocatorConfig& config, Bytes low,
                    Bytes high) {
    low = std::min(low, high);
    if (runs(walk, level, config, low)) {
        return low;
    }
    const Bytes near = std::max(2 * base::kMiB, (high - low) / 16);
    while (high - low > near) {
        const Bytes middle = low + (high - low) / 2;
        (runs(walk, level, config, middle) ? high : low) = middle;
    }
    return high;
}

std::string describe(const Walk& walk, const Outcome& outcome) {
    const WalkEvent& event = walk.events[outcome.event];
    const memory::OutOfMemory& oom = *outcome.outOfMemory;
    const std::string where = event.step < 0
                                  ? "making the network"
                                  : fmt::format("step {}, {}", event.step + 1, memory::phaseKey(event.phase));
    const std::string layer = event.layer < 0 ? "" : fmt::format(", layer {}", event.layer + 1);
    return fmt::format(
        "{}{} ({}): requests {}, with {} reserved of {}; {} of these are allocated, {} are free in pieces{}",
        where, layer, walk.blocks[event.block].label, base::formatBytes(oom.asked),
        base::formatBytes(oom.reserved), base::formatBytes(oom.limit), base::formatBytes(oom.allocated),
        base::formatBytes(oom.fragmented()),
        oom.fragmentationDecided() ? " (in one piece they would have sufficed)" : "");
}

bool allExact(const Walk& walk) {
    return std::all_of(walk.blocks.begin(), walk.blocks.end(),
                       [](const WalkBlock& block) { return block.bytes.exact(); });
}

void decide(Prediction& prediction, double probability) {
    prediction.oomProbability = probability;
    prediction.fits = probability > 0.99 && !prediction.atMost()    ? Fits::No
                      : probability < 0.01 && !prediction.atLeast() ? Fits::Yes
                                                                    : Fits::Uncertain;
}

double ramp(Uniform range, double limit) {
    if (limit < range.low) {
        return 1;
    }
    if (limit >= range.high) {
        return 0;
    }
    return (range.high - limit) / (range.high - range.low);
}

double half(double u) {
    return u > 0 ? u * u / 2 : 0;
}

/// The results of replays without a memory limit, by level.
struct Free {
    Outcome low, expected, high;
};

Free replayFreely(const Walk& walk, const memory::AllocatorConfig& config) {
    Free free;
    free.expected = replay(walk, Level::Expected, false, config, kMostMemory);
    free.low = free.high = free.expected;
    if (allExact(walk)) {
        return free;
    }
    free.low = replay(walk, Level::Low, false, config, kMostMemory);
    free.high = replay(walk, Level::High, false, config, kMostMemory);
    return free;
}

/// The memory that per_process_memory_fraction lets the allocator reserve; kMostMemory without it.
Bytes allowedBy(const memory::AllocatorConfig& config, const DeviceProfile& gpu) {
    return config.memoryFraction < 1 ? scaled(gpu.memory, config.memoryFraction) : kMostMemory;
}

/// Returns P(C + N > M or N > A) from both ends of N; 0 or 1 if the result is certain.
double oddsOnDevice(const Walk& walk, const Target& target, const Free& free, Uniform context,
                    const Prediction& prediction, bool exact) {
    const Estimate& allocated = prediction.peakAllocated;
    const memory::AllocatorConfig& config = target.allocator;
    const Bytes memory = std::max<Bytes>(0, target.gpu->memory - target.others);
    const double error = unverified(prediction);
    // The walk certainly runs if the greatest need runs in `worst`; it cannot run if the least need does not
    // run in `best`.
    const Bytes allowed = allowedBy(config, *target.gpu);
    const Bytes best = scaled(std::min(allowed, memory - static_cast<Bytes>(context.low)), 1 / (1 - error));
    const Bytes worst = scaled(std::min(allowed, memory - static_cast<Bytes>(context.high)), 1 / (1 + error));
    // With the rules' own error, a run whose expected need is larger certainly has odds above 1 %.
    if (!exact && error > 0 && allocated.expected > best) {
        return 1;
    }
    if (free.low.outOfMemory || allocated.low > best || !runs(walk, Level::Low, config, best)) {
        return 1;
    }
    if (runs(walk, Level::Expected, config, worst)) {
        return 0;
    }
    if (!exact) {
        // Both ends of the need are at least these, so the odds are at least those.
        const Bytes more = scaled(worst, kLittleMore);
        const Uniform least{static_cast<double>(allocated.low) * (1 - error),
                            static_cast<double>(more) * (1 + error)};
        const double odds = std::max(probabilityAbove(least, context, static_cast<double>(memory)),
                                     ramp(least, static_cast<double>(allowed)));
        if (odds >= 0.01 && !runs(walk, Level::Expected, config, more)) {
            return odds;
        }
    }
    const Bytes low =
        leastCapacity(walk, Level::Low, config, allocated.low, std::min(free.low.peakReserved, best));
    const Bytes expected = free.expected.outOfMemory ? kMostMemory
                                                     : leastCapacity(walk, Level::Expected, config,
                                                                     std::max(allocated.expected, worst),
                                                                     free.expected.peakReserved);
    const Uniform need{static_cast<double>(low) * (1 - error),
                       static_cast<double>(std::max(low, expected)) * (1 + error)};
    return std::max(probabilityAbove(need, context, static_cast<double>(memory)),
                    ramp(need, static_cast<double>(allowed)));
}

}  // namespace

double probabilityAbove(Uniform first, Uniform second, double limit) {
    const double a = first.low, b = first.high, c = second.low, d = second.high;
    if (!(b > a)) {
        return ramp(second, limit - a);
    }
    if (!(d > c)) {
        return ramp(first, limit - c);
    }
    const double below =
        (half(limit - a - c) - half(limit - b - c) - half(limit - a - d) + half(limit - b - d)) /
        ((b - a) * (d - c));
    return std::clamp(1 - below, 0.0, 1.0);
}

/// "was measured as 480 MiB to 520 MiB".
std::string describeContext(const DeviceProfile& gpu) {
    const std::string low = base::formatBytes(gpu.context.low), high = base::formatBytes(gpu.context.high);
    const std::string size = low == high ? low : fmt::format("{} to {}", low, high);
    switch (gpu.contextKept) {
        case DeviceProfile::Kept::Given:
            return fmt::format("is {}, as it was given on this machine,",
                               base::formatBytes(gpu.context.expected));
        case DeviceProfile::Kept::Measured:
            return fmt::format("was measured on this machine as {}", size);
        case DeviceProfile::Kept::No:
            break;
    }
    return fmt::format(
        "{} {}", gpu.contextSource == DeviceProfile::Source::Measured ? "was measured as" : "is taken as",
        size);
}

void assessGpu(const Walk& walk, const Target& target, Prediction& prediction, bool odds) {
    const DeviceProfile& gpu = *target.gpu;
    const Estimate nccl = ncclBuffers(target.ranks.count);
    const Bytes memory = std::max<Bytes>(0, gpu.memory - target.others);
    const Bytes allowed = allowedBy(target.allocator, gpu);
    prediction.capacity =
        std::min(allowed, std::max<Bytes>(0, memory - gpu.context.expected - nccl.expected));
    prediction.verified = !gpu.workspaceTable.empty() && prediction.withoutRow == 0;
    const Free free = replayFreely(walk, target.allocator);
    prediction.peakReserved = {std::min(free.low.peakReserved, free.expected.peakReserved),
                               free.expected.peakReserved,
                               std::max(free.high.peakReserved, free.expected.peakReserved)};
    if (prediction.atLeast()) {  // a bound is valid although the rules may be wrong
        prediction.peakReserved.low = scaled(prediction.peakReserved.low, 1 - unverified(prediction));
    }
    prediction.fragmentation = free.expected.fragmentation;
    prediction.outOfMemory.clear();
    const Bytes unsure = gpu.memorySource == DeviceProfile::Source::Datasheet ? gpu.memory / 200 : 0;
    const Uniform context{static_cast<double>(gpu.context.low + nccl.low - unsure),
                          static_cast<double>(gpu.context.high + nccl.high + unsure)};
    if (target.ranks.count > 1) {
        prediction.guesses.push_back(fmt::format(
            "NCCL's buffers are estimated from published figures as {} to {} of each GPU, outside "
            "LibTorch's allocator",
            base::formatBytes(nccl.low), base::formatBytes(nccl.high)));
    }
    prediction.guesses.push_back(
        fmt::format("the CUDA context {} of the device's {}{}; {} are left for a run", describeContext(gpu),
                    base::formatBytes(gpu.memory), unsure > 0 ? ", which is known to 0.5 %" : "",
                    base::formatBytes(prediction.capacity)));
    const double least = static_cast<double>(prediction.peakReserved.expected) * (1 + unverified(prediction));
    if (!free.expected.outOfMemory && least <= static_cast<double>(allowed) &&
        least + context.high <= static_cast<double>(memory)) {
        return decide(prediction, 0);
    }

    if (!odds) {
        return decide(prediction, oddsOnDevice(walk, target, free, context, prediction, odds));
    }
    const Outcome here = replay(walk, Level::Expected, true, target.allocator, prediction.capacity);
    if (here.outOfMemory) {
        prediction.outOfMemory = describe(walk, here);
    } else {
        prediction.fragmentation = here.fragmentation;
        prediction.peakReserved.expected = here.peakReserved;
        prediction.peakReserved.low = std::min(prediction.peakReserved.low, here.peakReserved);
    }
    decide(prediction, oddsOnDevice(walk, target, free, context, prediction, odds));
}

Estimate wholeBlocks(const Walk& walk, const Target& target, const Prediction& prediction) {
    const Free free = replayFreely(walk, target.allocator);
    Estimate made{std::min(free.low.peakAllocated, free.expected.peakAllocated), free.expected.peakAllocated,
                  std::max(free.high.peakAllocated, free.expected.peakAllocated)};
    if (prediction.atLeast()) {
        made.low = scaled(made.low, 1 - unverified(prediction));
    }
    return made;
}

void assessCpu(const Target& target, Prediction& prediction) {
    const Bytes memory = prediction.capacity =
        std::max<Bytes>(0, target.memory - target.others) / target.ranks.count;
    if (memory <= 0) {
        prediction.oomProbability = 0;
        prediction.fits = Fits::Uncertain;
        return;
    }
    const Uniform need{static_cast<double>(prediction.peakAllocated.low),
                       static_cast<double>(prediction.peakAllocated.high)};
    decide(prediction, probabilityAbove(need, {}, static_cast<double>(memory)));
    if (prediction.peakAllocated.expected > memory) {
        prediction.outOfMemory = fmt::format(
            "the step needs {}; this machine has {}{}", base::formatBytes(prediction.peakAllocated.expected),
            base::formatBytes(memory), target.ranks.count > 1 ? " for each rank" : "");
    }
}

}  // namespace highwater::predict
