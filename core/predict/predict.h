#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"
#include "core/predict/axes/cliffs.h"
#include "core/predict/estimate.h"
#include "core/predict/profile.h"
#include "core/predict/ranks.h"
#include "core/predict/tables/asked_table.h"
#include "core/predict/tables/gpu_table.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Predicts what a run needs, without running it. The experiment is walked symbolically through two training
/// steps, with the allocations and frees of the chosen LibTorch version; the result is replayed with the
/// allocator's rules. Allocates none of the memory that it predicts; takes milliseconds.
namespace highwater::predict {

/// The settings of an experiment that change LibTorch's CUDA operators.
struct CudaSettings {
    stack::Precision precision = stack::Precision::Fp32;
    bool channelsLast = false;
    bool cudnn = true, benchmark = false, deterministic = false;
    bool tf32 = false;  ///< fp32 convolutions may use TF32
    std::optional<base::Bytes> workspaceLimit;
    bool operator==(const CudaSettings&) const = default;
};
CudaSettings cudaSettings(const stack::Experiment& experiment);

/// The device and the software to predict for.
struct Target {
    std::string id = "cpu";  ///< "cpu" or a profile's id
    // cpu
    CpuKey cpu;                                      ///< the machine that runs the engine
    std::shared_ptr<const Calibration> calibration;  ///< for `cpu`; nullptr: guesses only
    /// False: what operators allocate was not compared with this LibTorch allocation by allocation; `notes`
    /// says what is known.
    bool compared = true;
    base::Bytes memory = 0;  ///< memory of the machine, or of the GPU; 0 if unknown
    /// Why all figures for this target are guesses, one line each; they are added to Prediction::guesses.
    std::vector<std::string> notes;
    // GPUs
    std::optional<DeviceProfile> gpu;
    CudaVersions versions;
    CudaSettings settings;  ///< those of the predicted experiment; walk() sets them
    /// cuDNN measurements with these versions on this architecture; nullptr if there are none.
    std::shared_ptr<const GpuTable> gpuTable;
    /// What cuDNN answered for this device and version so far; nullptr if the profile has no attributes.
    std::shared_ptr<const AskedTable> asked;
    memory::AllocatorConfig allocator;
    base::Bytes others = 0;  ///< device memory held by other processes
    /// GPUs: the program that `export pytorch` writes runs the steps, not Highwater's engine. The tensors are
    /// the same, but Python frees some later: a function's variables at its end, a loop's at the next turn.
    bool inPython = false;
    /// All figures of a prediction are those of one rank; all ranks need the same. On the CPU they share
    /// `memory`; GPUs are one for each rank.
    Ranks ranks;
    /// GPUs: whether cuDNN is asked instead of an older one: `versions.cudnn` is later than what this
    /// LibTorch's wheels contain. The older one may take other plans, also ones without a workspace.
    bool asksLaterCudnn() const;
};

/// The versions that this program's engine was linked with, read from the engine.json next to the engine (its
/// build writes it). Error if there is no engine, or no engine.json.
struct EngineVersions {
    std::string libtorch, onednn;
    std::string cuda = {};  ///< CUDA version that LibTorch was built with, "13.0"; empty for a CPU-only build
    std::string cudnn = {};  ///< "9.19.0"; empty for a CPU-only build
};
base::Result<EngineVersions> engineVersions();
/// Returns the calibration key of that engine on this machine. Errors as engineVersions.
base::Result<CpuKey> cpuKey(const stack::Backend& backend);

/// What is to be said of predictions for the CPU with a LibTorch ("2.11.0"): one line, for Target::notes.
/// Empty if its rules were compared allocation by allocation, or the version is not known (empty).
std::string cpuRulesNote(std::string_view libtorch);

/// Returns this machine's CPU with its calibration: LibTorch and oneDNN as in this build's engine, the number
/// of threads from `experiment` (0: LibTorch's choice). Without an engine or a table, the target has only
/// guesses and a note that says so. Error if a table cannot be read. Tables are cached and loaded again when
/// they change.
base::Result<Target> cpuTarget(const stack::Experiment& experiment);
/// Returns a GPU profile as a target, with the given software versions or the defaults. The allocator follows
/// experiment.backend.alloc_conf unless `allocConf` is given.
base::Result<Target> gpuTarget(std::string_view id, const stack::Experiment& experiment,
                               std::optional<memory::TorchVersion> libtorch = {},
                               std::optional<CudnnVersion> cudnn = {},
                               std::optional<std::string> allocConf = {});

/// A GPU of this machine, as its driver and LibTorch describe it.
struct GpuPresent {
    std::string name;        ///< "NVIDIA H200"
    base::Bytes memory = 0;  ///< the device's total
    int architecture = 0;    ///< compute capability x 10
    memory::TorchVersion libtorch = kDefaultTorch;
    std::optional<CudnnVersion> cudnn = {};  ///< std::nullopt: the cuDNN that this LibTorch's wheel contains
};
/// Returns the target for a run on this GPU: its own profile, or if none is known, the profile of the nearest
/// architecture with this GPU's memory and a note that says so.
base::Result<Target> gpuTarget(const GpuPresent& gpu, const stack::Experiment& experiment);

struct LayerPrediction {
    base::Bytes parameterBytes = 0;   ///< weights and buffers
    base::Bytes activationBytes = 0;  ///< what its forward adds to the category Activations, as the engine
                                      ///< counts it
    Estimate forwardBytes;            ///< most bytes that it adds during its forward, its output included
    Estimate backwardBytes;           ///< the same during its backward or recomputation
    base::Bytes atPeak = 0;  ///< expected bytes that it allocated and that are alive at the step's peak
    TimeEstimate forwardMs, backwardMs;  ///< backward includes its recomputation
    bool asked = false;                  ///< a workspace in it is what cuDNN answered, not measured
};

struct PredictedPoint {
    std::int64_t event = 0;         ///< event number within the step
    memory::Ledger ledger;          ///< expected
    base::Bytes low = 0, high = 0;  ///< range of the total
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;
    double ms = 0;  ///< expected time since the step's start
};

enum class Fits { Yes, No, Uncertain };

/// cuDNN's workspace for one part of a convolution pass.
struct Workspace {
    /// Measured: on a device of this architecture. Asked: cuDNN said so. Guessed: a range.
    enum class Source { Measured, Asked, Guessed };
    int layer = -1;  ///< the first layer with this pass
    ConvPart part = ConvPart::Forward;
    Estimate bytes;  ///< once the plan is chosen
    Source source = Source::Guessed;
    base::Bytes least = 0;  ///< Asked: the least that another plan takes, which runs if memory is short
    std::string question;   ///< questionName(): what would have to be asked; empty if there is nothing to ask
};

struct Prediction {
    Estimate peakAllocated;
    Estimate peakReserved;  ///< GPUs only
    /// GPUs only, with PredictOptions::inPython: what torch.cuda.max_memory_allocated() shows in the program
    /// that `export pytorch` writes. It counts whole blocks of the allocator; peakAllocated counts what
    /// tensors ask for.
    Estimate maxMemoryAllocated;
    memory::Ledger peakByCategory;  ///< expected, at the expected peak
    memory::Ledger atEnd;           ///< after the last step
    memory::Phase peakPhase = memory::Phase::Setup;
    int peakLayer = -1;
    /// True if the first step's peak is higher than the second's, as it is where `benchmark` times cuDNN's
    /// plans.
    bool peakInFirstStep = false;
    /// In StackInfo's order. A block has the sums over its layers, except forwardBytes and backwardBytes:
    /// there the maximum.
    std::vector<LayerPrediction> layers;
    /// The second step, at most 400 points: every local maximum and minimum, or if there are more, the
    /// highest and the lowest of each of equal spans. Always contains the peak.
    std::vector<PredictedPoint> timeline;
    TimeEstimate stepMs;
    base::Bytes capacity = 0;     ///< memory that this process may use on the device; 0 if unknown
    double oomProbability = 0;    ///< 0 to 1
    Fits fits = Fits::Uncertain;  ///< yes below 1 %, unless atLeast(); no above 99 %, unless atMost()
    std::string outOfMemory;  ///< where and why the expected run runs out of memory, in one line; empty if it
                              ///< does not
    base::Bytes onHost = 0;   ///< the most that waits in the host's memory at once (PlanPart::offload)
    base::Bytes fragmentation = 0;  ///< reserved but not allocated, at the reserved peak (GPUs)
    std::vector<Cliff> cliffs;
    /// What is a guess and why, one line each ("workspaces of 14 convolutions have not been measured on the
    /// H100"). Empty if all figures follow from rules and measured rows.
    std::vector<std::string> guesses;
    /// Convolution passes in the step; how many of them are guessed; how many rest on cuDNN's answer.
    std::size_t convolutions = 0, withoutRow = 0, asked = 0;
    /// GPUs: how many of them are of each kind, one line: "of 36 convolution passes: 4 by rule or measured,
    /// 32 asked of cuDNN 9.19.0". Empty if there is no convolution.
    std::string basis;
    /// Operators that no layer says, with how often ("roll (3 times)"), and what an import left out ("1,000
    /// parameters"). What they take is not counted: the low ends are bounds from below.
    std::vector<std::string> unknown;
    /// Activation checkpoints that an import did not take over (stack::LeftOut): the high ends are bounds
    /// from above.
    std::int64_t checkpointsLeftOut = 0;
    bool atLeast() const { return !unknown.empty(); }
    bool atMost() const { return checkpointsLeftOut > 0; }
    /// False if the rules were not compared with this LibTorch allocation by allocation (Target::compared).
    bool compared = true;
    /// True if all of the allocated peak follows from compared rules and measured rows: nothing is guessed,
    /// asked of cuDNN or left out.
    bool exact() const { return peakAllocated.exact() && asked == 0 && compared && !atLeast() && !atMost(); }
    /// GPUs: cuDNN's workspaces, each distinct pass and part once, in the order in which they first occur.
    std::vector<Workspace> workspaces;
};

struct PredictOptions {
    bool timeline = true;
    bool time = true;
    bool reserved = true;  ///< run the allocator simulator (GPUs)
    /// GPUs: false: `fits` is only right as to whether it is Fits::Yes, and the odds are rough. Saves replays
    /// where sizes are tried.
    bool odds = true;
    bool inPython = false;           ///< also predict maxMemoryAllocated, which takes another walk (GPUs)
    bool cliffs = true;              ///< look for sizes at which memory jumps, which tries hundreds (GPUs)
    memory::Trace* trace = nullptr;  ///< receives all events of both steps, with the expected bytes; may be
                                     ///< nullptr
};

/// `info` is the result of inferShapes for the experiment. Errors, one line: a setting that cannot be
/// predicted for this target; more memory than 2^62 bytes.
base::Result<Prediction> predict(const stack::Experiment& experiment, const stack::StackInfo& info,
                                 const Target& target, const PredictOptions& options = {});

/// Returns the distinct convolution passes of a CPU step, in the order in which they first occur: what a
/// calibration has to measure. Empty if the experiment cannot be predicted.
std::vector<ConvKey> convolutionsOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// A scan over one axis of the input: "width", "height", "depth", "batch_size", or "patch" (all spatial sizes
/// in proportion to the first).
struct AxisScan {
    std::string axis = "width";
    std::int64_t from = 64, to = 512, step = 8;
};
struct AxisPoint {
    std::int64_t value = 0;
    Estimate allocated, reserved;
    TimeEstimate stepMs;
    Fits fits = Fits::Uncertain;
    std::vector<Cliff> cliffs;
};
struct AxisCurve {
    std::vector<AxisPoint> points;  ///< ascending; values that the stack does not accept are left out
    std::int64_t leftOut = 0;       ///< number of values left out
    /// Values at which the expected peak jumps: by more than twice the growth that the neighbours' trend
    /// explains.
    std::vector<std::int64_t> jumps;
};
/// Errors: an axis that the input does not have; a range in which the stack accepts no size; more than 4096
/// values. `cancel` is checked between values; the points done so far are returned.
base::Result<AxisCurve> scanAxis(const stack::Experiment& experiment, const Target& target,
                                 const AxisScan& scan, const std::atomic<bool>* cancel = nullptr);
/// Returns the experiment with another size along an axis. Error if the input has no such axis.
base::Result<stack::Experiment> withAxis(const stack::Experiment& experiment, std::string_view axis,
                                         std::int64_t value);

}  // namespace highwater::predict
