#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/boxed.h"
#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"
#include "core/stack/experiment.h"

/// The engine's events and results, as values and as JSON lines (contract: Events, Result).
namespace highwater::wire {

using base::Bytes;
using base::Millis;

enum class RunStatus { Running, Done, Cancelled, OutOfMemory, Failed };
std::string_view statusKey(RunStatus status);  ///< "running", "done", "cancelled", "out_of_memory", "failed"
std::optional<RunStatus> statusFromKey(std::string_view key);

using memory::Phase;
using memory::phaseFromKey;
using memory::phaseKey;

struct PhaseTimes {
    Millis data = 0, forward = 0, recompute = 0, backward = 0, optimizer = 0;
    /// In the order of memory::kStepPhases.
    std::array<Millis, 5> inOrder() const { return {data, forward, recompute, backward, optimizer}; }
    Millis total() const { return data + forward + recompute + backward + optimizer; }
    bool operator==(const PhaseTimes&) const = default;
};

/// One layer of a run, in StackInfo's order.
struct LayerCost {
    std::string name;
    std::string type;
    stack::Shape outputShape;
    std::int64_t parameters = 0;
    Bytes activationBytes = 0;  ///< bytes that the layer's forward added to the activations
    Millis forwardMs = 0;       ///< medians over the measured steps
    Millis backwardMs = 0;
    bool operator==(const LayerCost&) const = default;
};

/// Whether layers were timed: a run that ends before its first measured step is over has no times.
inline bool timed(const std::vector<LayerCost>& layers) {
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerCost& layer) { return layer.forwardMs > 0; });
}

struct Environment {
    std::string device;                           ///< "cpu", "cuda:0"
    std::string deviceName;                       ///< "AMD EPYC"
    std::map<std::string, std::string> versions;  ///< "highwater", "libtorch", "onednn", "blas", "compiler",
                                                  ///< "os"; GPU: "cuda", "cudnn", "driver"
    int threads = 0;
    std::string isa;        ///< "avx2", "avx512", ...
    Bytes memoryBytes = 0;  ///< the device's capacity (cpu: the machine's memory)
    int architecture = 0;   ///< GPU: compute capability x 10; otherwise 0
    bool operator==(const Environment&) const = default;
};

/// The use of a GPU's memory at a moment. The parts sum to what nvidia-smi shows as used.
struct DeviceMemory {
    Bytes tensors = 0;   ///< requested bytes of live blocks, workspaces included: the ledger's total
    Bytes rounding = 0;  ///< added by the allocator's rounding, and remainders too small to split off
    Bytes split = 0;     ///< free parts of segments that are partly in use; other processes cannot get them
    Bytes cache = 0;     ///< free segments that the allocator keeps for reuse
    Bytes context = 0;   ///< this process outside the allocator: the CUDA context, kernels, libraries
    Bytes others = 0;    ///< other processes, and what the driver keeps
    Bytes capacity = 0;  ///< the device's memory
    /// False if the driver reports no figure for this process (in a container). `context` is then an
    /// estimate: the growth of the device's use since before the context was created, which is wrong if
    /// another process's use changed.
    bool contextKnown = true;
    Bytes reserved() const { return tensors + rounding + split + cache; }
    Bytes used() const { return reserved() + context + others; }
    bool operator==(const DeviceMemory&) const = default;
};

/// A GPU's clocks, temperature and power; 0 or empty if the driver reports no value.
struct GpuConditions {
    int smClockMHz = 0, maxSmClockMHz = 0, memoryClockMHz = 0;
    int temperatureC = 0;
    double powerW = 0;
    std::vector<std::string> throttled;  ///< why it runs slower than it could: "power cap", "thermal", ...
    bool operator==(const GpuConditions&) const = default;
};

/// The largest library workspace of one layer (cuDNN's, cuBLAS's).
struct LayerWorkspace {
    int layer = -1;
    Phase phase = Phase::Forward;  ///< Forward, Recompute or Backward
    Bytes bytes = 0;               ///< the largest of them
    bool operator==(const LayerWorkspace&) const = default;
};

struct Started {
    std::string runId;
    Environment environment;
    std::vector<LayerCost> layers;  ///< costs still zero
    int steps = 0, warmup = 0;
    std::optional<Bytes> budget;
    bool operator==(const Started&) const = default;
};

/// The current ledger, and the lowest and highest total since the last such event.
struct LedgerSample {
    Millis time = 0;  ///< since the run's start
    memory::Ledger ledger;
    Bytes low = 0, high = 0;
    std::int64_t merged = 1;  ///< number of allocator events that this sample represents
    int step = 0;             ///< 0-based, warm-up included
    Phase phase = Phase::Setup;
    std::optional<DeviceMemory> device = {};  ///< GPU runs
    bool operator==(const LedgerSample&) const = default;
};

struct TimelinePoint {
    Millis time = 0;  ///< since the step's start
    memory::Ledger ledger;
    bool operator==(const TimelinePoint&) const = default;
};

struct PhaseMark {
    Millis time = 0;  ///< since the step's start
    Phase phase = Phase::Data;
    int layer = -1;  ///< index into Started::layers, or -1
    bool operator==(const PhaseMark&) const = default;
};

struct PeakMoment {
    memory::Ledger ledger;  ///< at the step's highest total
    Millis time = 0;        ///< since the step's start
    Phase phase = Phase::Setup;
    int layer = -1;
    bool operator==(const PeakMoment&) const = default;
};

struct StepDone {
    int index = 0;  ///< 0-based, warm-up included
    bool warmup = false;
    PhaseTimes phases;               ///< on a GPU measured between events in its stream
    Millis total = 0;                ///< wall time of the step
    std::optional<PhaseTimes> host;  ///< GPU runs: the host's times until it had launched the work
    PeakMoment peak;
    double loss = 0;
    /// The ledger over the step: at most 400 points, which preserve the lowest and highest total of equal
    /// spans of time. Empty if steps are faster than 10 a second: then only some steps, and always the last
    /// one, have it.
    std::vector<TimelinePoint> timeline;
    std::vector<PhaseMark> marks;  ///< where phases begin (sent with the timeline)
    /// The engine had to wait for the reader of its events, during this step or just before.
    bool waited = false;
    /// True if its times count in the results.
    bool timed() const { return !warmup && !waited; }
    bool operator==(const StepDone&) const = default;
};

struct LayerEvent {  ///< event "layer"
    int layer = 0;
    LayerCost cost;
    bool operator==(const LayerEvent&) const = default;
};

struct PatchSaved {      ///< event "patch"
    std::string file;    ///< relative to the run's folder; a handover volume file
    stack::Sizes start;  ///< voxel (i, j, k) of the patch's corner in the scan; empty for synthetic input
    int step = 0;
    std::int64_t sample = 0;   ///< number of the sample in the run, from 0
    std::int64_t theCase = 0;  ///< number of the cohort's case, from 0
    bool operator==(const PatchSaved&) const = default;
};

struct Warning {
    std::string message;
    bool operator==(const Warning&) const = default;
};

struct Failed {
    RunStatus status = RunStatus::Failed;  ///< Failed or OutOfMemory
    std::string why;                       ///< one line
    int step = 0;
    Phase phase = Phase::Setup;
    std::string layer;    ///< name, or empty
    Bytes requested = 0;  ///< OutOfMemory: the refused allocation
    memory::Ledger ledger;
    std::optional<DeviceMemory> device;  ///< GPU runs
    /// OutOfMemory: what would have fit according to the prediction, one line ("a batch of 3 would have
    /// fitted: 7.1 GiB predicted"); empty if nothing is known to fit.
    std::string wouldFit = {};
    /// The batch size in that line; 0 if there is none (nothing fits, or something else must change).
    std::int64_t fittingBatch = 0;
    bool operator==(const Failed&) const = default;
};

/// The prediction for the same device, made before the run began: estimates.
struct Predicted {
    std::string target;                          ///< "cpu" or a profile's id
    Bytes low = 0, expected = 0, high = 0;       ///< the peak; all are equal if everything follows from rules
    memory::Ledger peakByCategory;               ///< at the expected peak
    Millis stepLow = 0, step = 0, stepHigh = 0;  ///< a step's time
    std::vector<Bytes> activationBytes;          ///< by layer, in RunResult::layers' order
    std::vector<std::string> guesses;            ///< what was guessed and why, one line each
    /// True if the peak is derived only from rules and measured rows.
    bool exact() const { return low == high; }
    bool operator==(const Predicted&) const = default;
};

/// The measurements of one of several ranks (data-parallel training).
struct RankResult {
    int rank = 0;
    RunStatus status = RunStatus::Done;  ///< also Cancelled if it was stopped because another rank ended
    std::string why;                     ///< Failed, OutOfMemory: one line
    Bytes peakAllocated = 0, peakRss = 0;
    memory::Ledger peakByCategory;
    base::Interval stepMs;
    double lossLast = 0;
    std::string weights;  ///< a fingerprint of its parameters after the last step: equal on all ranks
    bool operator==(const RankResult&) const = default;
};

/// contract: Result. Byte fields that do not apply are 0 and left out of the JSON.
struct RunResult {
    std::string runId;
    RunStatus status = RunStatus::Done;
    Environment environment;
    Bytes peakAllocated = 0;
    Bytes peakReserved = 0;  ///< CUDA only
    Bytes peakRss = 0;
    memory::Ledger peakByCategory;
    PeakMoment peak;
    std::vector<LayerCost> layers;
    base::Interval stepMs;  ///< over the measured steps that are timed()
    PhaseTimes phasesMs;    ///< medians over the same steps
    double throughput = 0;  ///< samples per second, from the median step
    double lossFirst = 0, lossLast = 0;
    std::vector<double> losses;  ///< one for each step, warm-up included
    memory::Ledger atEnd;        ///< the ledger after the last step
    std::int64_t cases = 0;      ///< number of cases of the cohort; 0: no cohort
    // GPU runs only:
    std::optional<DeviceMemory> deviceAtPeak;    ///< at the peak of the tensors
    std::optional<DeviceMemory> deviceAtEnd;     ///< after the last step, before the cache is emptied
    Bytes peakDeviceUsed = 0;                    ///< largest use that nvidia-smi would show, sampled
    PhaseTimes hostMs;                           ///< medians of StepDone::host
    std::optional<GpuConditions> before, after;  ///< around the measured steps
    std::vector<LayerWorkspace> workspaces;      ///< by layer and phase; only those above 0
    std::int64_t allocationRetries = 0;          ///< how often the cache was emptied to make room
    std::int64_t workspacesRefused = 0;  ///< how often cuDNN could not get a workspace and used another plan
    std::optional<Failed> failure;
    std::optional<Predicted> predicted;
    std::vector<RankResult> ranks;  ///< for a data-parallel run, this rank first; empty: a single process
                                    ///< trained
    bool operator==(const RunResult&) const = default;
};

struct Finished {
    base::Boxed<RunResult> result;  ///< several times as large as any other event
    bool operator==(const Finished&) const = default;
};

using Event =
    std::variant<Started, LedgerSample, StepDone, LayerEvent, PatchSaved, Warning, Failed, Finished>;

/// One JSON object, {"event": "step", ...}; bytes are integers, times milliseconds. Numbers that are not
/// finite become null, and null is read as NaN. Invalid UTF-8 is replaced when the object becomes a line.
nlohmann::ordered_json toJson(const Event& event);
std::string toLine(const Event& event);  ///< compact, one line, with its newline
/// Parses a line. Unknown keys are ignored (keys may be added). Error if anything is missing, has the wrong
/// type or is out of range; any input is safe.
base::Result<Event> parseEvent(std::string_view line);
nlohmann::ordered_json toJson(const RunResult& result);
base::Result<RunResult> resultFromJson(const nlohmann::ordered_json& json);

}  // namespace highwater::wire
