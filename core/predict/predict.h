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
#include "core/predict/tables/gpu_table.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// What a run would need, without running it: the experiment is walked symbolically through two training
/// steps as the named LibTorch would allocate and free, and the result goes through the allocator's rules.
/// Allocates nothing of what it predicts; takes milliseconds.
namespace highwater::predict {

/// What an experiment switches of LibTorch's CUDA operators.
struct CudaSettings {
    stack::Precision precision = stack::Precision::Fp32;
    bool channelsLast = false;
    bool cudnn = true, benchmark = false, deterministic = false;
    bool tf32 = false;  ///< fp32 convolutions may use TF32
    std::optional<base::Bytes> workspaceLimit;
    bool operator==(const CudaSettings&) const = default;
};
CudaSettings cudaSettings(const stack::Experiment& experiment);

/// What to predict for.
struct Target {
    std::string id = "cpu";  ///< "cpu" or a profile's id
    // cpu
    CpuKey cpu;                                      ///< the machine whose engine will measure
    std::shared_ptr<const Calibration> calibration;  ///< of `cpu`; null: guesses only
    base::Bytes memory = 0;                          ///< the machine's, or the GPU's; 0: unknown
    std::vector<std::string> notes;  ///< why all its figures are guesses, one line each; these
                                     ///< belong to Prediction::guesses
    // GPUs
    std::optional<DeviceProfile> gpu;
    CudaVersions versions;
    CudaSettings settings;  ///< of the experiment that is predicted: walk() sets them anew
    /// What was measured of cuDNN with these versions on this architecture; null: nothing.
    std::shared_ptr<const GpuTable> gpuTable;
    memory::AllocatorConfig allocator;
    base::Bytes others = 0;  ///< of the device's memory, held by other processes
};

/// What the engine beside this program was linked with, from the engine.json that its build leaves beside it.
/// An error where there is no engine, or nothing that says what it is.
struct EngineVersions {
    std::string libtorch, onednn;
    std::string cuda = {};   ///< that LibTorch was built with, "13.0"; empty: for the CPU alone
    std::string cudnn = {};  ///< "9.19.0"; empty: for the CPU alone
};
base::Result<EngineVersions> engineVersions();
/// The key of what that engine will do here. An error as engineVersions.
base::Result<CpuKey> cpuKey(const stack::Backend& backend);

/// This machine's CPU with its calibration: LibTorch and oneDNN as this build's engine has them, threads as
/// `experiment` asks for (0: LibTorch's choice). Without an engine, or without a table: guesses, and a note
/// that says so. Errors: a table that cannot be read. Tables are loaded once and again when they change.
base::Result<Target> cpuTarget(const stack::Experiment& experiment);
/// A GPU profile with the given software; nothing: the defaults. The allocator follows
/// experiment.backend.alloc_conf unless `allocConf` says otherwise.
base::Result<Target> gpuTarget(std::string_view id, const stack::Experiment& experiment,
                               std::optional<memory::TorchVersion> libtorch = {},
                               std::optional<CudnnVersion> cudnn = {},
                               std::optional<std::string> allocConf = {});

/// A GPU that is here, as its driver and LibTorch name it.
struct GpuPresent {
    std::string name;        ///< "NVIDIA H200"
    base::Bytes memory = 0;  ///< the device's total
    int architecture = 0;    ///< compute capability x 10
    memory::TorchVersion libtorch = kDefaultTorch;
    std::optional<CudnnVersion> cudnn = {};  ///< nothing: what that LibTorch's wheel brings
};
/// The target of a run on it: its own profile, or where none is known the one of the nearest architecture
/// with this memory, and a note that says so.
base::Result<Target> gpuTarget(const GpuPresent& gpu, const stack::Experiment& experiment);

struct LayerPrediction {
    base::Bytes parameterBytes = 0;      ///< weights and buffers
    base::Bytes activationBytes = 0;     ///< what its forward adds to *activations*, as the engine counts it
    Estimate forwardBytes;               ///< the most it adds while its forward runs, its output included
    Estimate backwardBytes;              ///< and while its backward, or its recomputation, runs
    base::Bytes atPeak = 0;              ///< bytes alive at the step's peak that it allocated (expected)
    TimeEstimate forwardMs, backwardMs;  ///< backward includes what is recomputed for it
};

struct PredictedPoint {
    std::int64_t event = 0;         ///< number within the step
    memory::Ledger ledger;          ///< expected
    base::Bytes low = 0, high = 0;  ///< of the total
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;
    double ms = 0;  ///< expected time since the step's start
};

enum class Fits { Yes, No, Uncertain };

struct Prediction {
    Estimate peakAllocated;
    Estimate peakReserved;          ///< GPUs only
    memory::Ledger peakByCategory;  ///< expected, at the expected peak
    memory::Ledger atEnd;           ///< after the last step
    memory::Phase peakPhase = memory::Phase::Setup;
    int peakLayer = -1;
    /// In StackInfo's order; a block: the sum of what it contains (forwardBytes, backwardBytes: the highest).
    std::vector<LayerPrediction> layers;
    /// The second step, at most 400 points: every local maximum and minimum, or where there are more, the
    /// highest and the lowest of each of equal spans; so the peak always.
    std::vector<PredictedPoint> timeline;
    TimeEstimate stepMs;
    base::Bytes capacity = 0;     ///< what the device has for this process; 0: unknown
    double oomProbability = 0;    ///< 0 to 1
    Fits fits = Fits::Uncertain;  ///< yes below 1 %, no above 99 %
    std::string outOfMemory;  ///< where and why the expected run ends, in one line; empty where it does not
    base::Bytes fragmentation = 0;  ///< reserved but not allocated, at the reserved peak (GPUs)
    std::vector<Cliff> cliffs;
    /// What is a guess and why, one line each ("workspaces of 14 convolutions have not been measured on the
    /// H100"); empty where all follows from rules and measured rows.
    std::vector<std::string> guesses;
    std::size_t convolutions = 0, withoutRow = 0;  ///< convolution passes in the step, and those guessed
};

struct PredictOptions {
    bool timeline = true;
    bool time = true;
    bool reserved = true;            ///< run the allocator simulator (GPUs)
    memory::Trace* trace = nullptr;  ///< where to put all events of both steps, expected bytes; null: nowhere
};

/// `info` is inferShapes of the experiment. Errors, one line: a lever that cannot be predicted for this
/// target, more memory than 2^62 bytes.
base::Result<Prediction> predict(const stack::Experiment& experiment, const stack::StackInfo& info,
                                 const Target& target, const PredictOptions& options = {});

/// The distinct convolution passes of a CPU step, in the order in which it meets them: what a calibration has
/// to measure. Empty where the experiment cannot be predicted.
std::vector<ConvKey> convolutionsOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// One axis of the input varied: "width", "height", "depth", "batch_size", "patch" (all spatial sizes in
/// proportion to the first).
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
    std::vector<AxisPoint> points;    ///< ascending; values that the stack does not accept are left out
    std::int64_t leftOut = 0;         ///< how many
    std::vector<std::int64_t> jumps;  ///< values at which the expected peak jumps: more than twice the growth
                                      ///< that the neighbours' trend explains
};
/// Errors: an axis the input does not have, a range without any size that the stack accepts, more than 4096
/// values. `cancel` is looked at between values; what was done so far comes back.
base::Result<AxisCurve> scanAxis(const stack::Experiment& experiment, const Target& target,
                                 const AxisScan& scan, const std::atomic<bool>* cancel = nullptr);
/// The experiment with another size along an axis. An error where the input has no such axis.
base::Result<stack::Experiment> withAxis(const stack::Experiment& experiment, std::string_view axis,
                                         std::int64_t value);

}  // namespace highwater::predict
