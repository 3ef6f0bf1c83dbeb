#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/memory/ledger.h"
#include "core/memory/phase.h"
#include "core/stack/experiment.h"

/// What the engine says while it runs, as values and as JSON lines (contract: Events, Result).
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
    Bytes activationBytes = 0;  ///< what the layer's forward added to *activations*
    Millis forwardMs = 0;       ///< medians over the measured steps
    Millis backwardMs = 0;
    bool operator==(const LayerCost&) const = default;
};

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

/// What lies in a GPU's memory at a moment. The parts sum to what nvidia-smi shows as used.
struct DeviceMemory {
    Bytes tensors = 0;   ///< asked of the allocator and alive, workspaces included: the ledger's total
    Bytes rounding = 0;  ///< what the allocator's rounding adds, and remainders too small to split off
    Bytes split = 0;     ///< free parts of segments partly in use: nobody else gets them
    Bytes cache = 0;     ///< wholly free segments, kept for later
    Bytes context = 0;   ///< this process outside the allocator: the CUDA context, kernels, libraries
    Bytes others = 0;    ///< other processes, and what the driver keeps
    Bytes capacity = 0;  ///< the device's memory
    /// False: the driver does not name this process (in a container), and `context` is what the device's use
    /// grew by since before it was made: an estimate that another process's change falsifies.
    bool contextKnown = true;
    Bytes reserved() const { return tensors + rounding + split + cache; }
    Bytes used() const { return reserved() + context + others; }
    bool operator==(const DeviceMemory&) const = default;
};

/// How a GPU was doing; 0 or empty where the driver does not say.
struct GpuConditions {
    int smClockMHz = 0, maxSmClockMHz = 0, memoryClockMHz = 0;
    int temperatureC = 0;
    double powerW = 0;
    std::vector<std::string> throttled;  ///< why it runs slower than it could: "power cap", "heat", ...
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

/// The ledger now, and its total's low and high since the last such event.
struct LedgerSample {
    Millis time = 0;  ///< since the run's start
    memory::Ledger ledger;
    Bytes low = 0, high = 0;
    std::int64_t merged = 1;  ///< allocator events that this sample stands for
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
    PhaseTimes phases;               ///< GPU: between events in its stream
    Millis total = 0;                ///< wall time of the step
    std::optional<PhaseTimes> host;  ///< GPU runs: the time until the host had said it all
    PeakMoment peak;
    double loss = 0;
    /// The ledger over the step, at most 400 points, each local maximum kept; empty where steps follow each
    /// other faster than 10 a second (then only some steps, and always the last one, carry it).
    std::vector<TimelinePoint> timeline;
    std::vector<PhaseMark> marks;  ///< where phases begin (sent with the timeline)
    /// It began after, or had in it, a wait for whoever takes the events.
    bool waited = false;
    /// Whether its times are among those that are reported.
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
    std::int64_t sample = 0;   ///< which of the run's samples it is, from 0
    std::int64_t theCase = 0;  ///< of a cohort, from 0
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
    /// OutOfMemory: what would have fitted by the prediction, one line ("a batch of 3 would have fitted:
    /// 7.1 GiB predicted"); empty where nothing is known to.
    std::string wouldFit = {};
    /// The batch size that line names; 0 where it names none (nothing fits, or something else must change).
    std::int64_t fittingBatch = 0;
    bool operator==(const Failed&) const = default;
};

/// What `predict` said for the same device before the run began: estimates.
struct Predicted {
    std::string target;                          ///< "cpu" or a profile's id
    Bytes low = 0, expected = 0, high = 0;       ///< of the peak; equal where all follows from rules
    memory::Ledger peakByCategory;               ///< at the expected peak
    Millis stepLow = 0, step = 0, stepHigh = 0;  ///< of a step's time
    std::vector<Bytes> activationBytes;          ///< by layer, in RunResult::layers' order
    std::vector<std::string> guesses;            ///< what is a guess and why, one line each
    /// The peak follows from rules and measured rows alone.
    bool exact() const { return low == high; }
    bool operator==(const Predicted&) const = default;
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
    double throughput = 0;  ///< samples a second, from the median step
    double lossFirst = 0, lossLast = 0;
    std::vector<double> losses;  ///< one a step, warm-up included
    memory::Ledger atEnd;        ///< the ledger after the last step
    std::int64_t cases = 0;      ///< of the cohort that it was trained on; 0: none was
    // GPU runs only:
    std::optional<DeviceMemory> deviceAtPeak;    ///< at the peak of the tensors
    std::optional<DeviceMemory> deviceAtEnd;     ///< after the last step, the cache not emptied
    Bytes peakDeviceUsed = 0;                    ///< what nvidia-smi showed at most, sampled
    PhaseTimes hostMs;                           ///< medians of StepDone::host
    std::optional<GpuConditions> before, after;  ///< the measured steps
    std::vector<LayerWorkspace> workspaces;      ///< by layer and phase; none where there was none
    std::int64_t allocationRetries = 0;          ///< the cache was emptied to make room
    std::int64_t workspacesRefused = 0;  ///< cuDNN asked for more than there was and took another plan
    std::optional<Failed> failure;
    std::optional<Predicted> predicted;
    bool operator==(const RunResult&) const = default;
};

struct Finished {
    RunResult result;
    bool operator==(const Finished&) const = default;
};

using Event =
    std::variant<Started, LedgerSample, StepDone, LayerEvent, PatchSaved, Warning, Failed, Finished>;

/// One JSON object, {"event": "step", ...}; bytes are integers, times milliseconds. Numbers that are not
/// finite become null, and null reads as NaN. Text that is not UTF-8 is repaired when it becomes a line.
nlohmann::ordered_json toJson(const Event& event);
std::string toLine(const Event& event);  ///< compact, one line, with its newline
/// The event of a line. Keys it does not know are ignored (keys may be added); anything missing, mistyped or
/// out of range is an error, whatever the line holds.
base::Result<Event> parseEvent(std::string_view line);
nlohmann::ordered_json toJson(const RunResult& result);
base::Result<RunResult> resultFromJson(const nlohmann::ordered_json& json);

}  // namespace highwater::wire
