#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/units.h"
#include "core/layers/layers.h"

/// An experiment as a value: a stack of layers, its input, and the settings of a step (file format
/// highwater.experiment/1). Names and defaults are PyTorch's. A value may be invalid (while it is being
/// edited); `inferShapes` in shapes.h checks it and says why.
namespace highwater::stack {

struct Target {
    enum class Kind { Input, Threshold, Labels, Classes };
    Kind kind = Kind::Input;
    double threshold = 0;      ///< Threshold: voxels at or above it, in the scan's own values, have label 1
    std::string labels;        ///< Labels: a path; unused for a cohort, whose cases have their own label maps
    std::int64_t classes = 2;  ///< Classes: random labels from 0 to classes-1
    bool operator==(const Target&) const = default;
};

struct Normalize {
    enum class Kind { None, Zscore, Minmax, Window };
    Kind kind = Kind::Zscore;
    double low = 0, high = 1;  ///< Window only: these values are mapped to 0 and 1; values outside are
                               ///< clamped
    bool operator==(const Normalize&) const = default;
};

/// The source of one input channel.
struct ScanSource {
    /// A file or a folder of DICOM files, relative to the experiment's file; or base::kHeadPhantom.
    std::string path;
    std::string series;       ///< for a folder with several series; empty: the only one
    std::int64_t volume = 0;  ///< which volume of a 4D file
    auto operator<=>(const ScanSource&) const = default;
};

struct ScanInput {
    std::vector<ScanSource> scans;  ///< one per channel, all on the same grid
    std::string cohort;             ///< a folder of cases, used instead of scans
    std::int64_t channels = 1;      ///< channels of each case of a cohort; unused for scans
    Sizes patch = {64, 64, 64};     ///< D, H, W (axes k, j, i of the volume), or one number for all three
    Normalize normalize;
    enum class Sampling { Uniform, Foreground };
    Sampling sampling = Sampling::Uniform;
    bool operator==(const ScanInput&) const = default;
};

struct SyntheticInput {
    Shape shape = {1, 32, 32, 32};  ///< C and 1 to 3 spatial sizes
    bool operator==(const SyntheticInput&) const = default;
};

using Input = std::variant<ScanInput, SyntheticInput>;

/// Mse compares numbers; Bce, SigmoidDice and SigmoidDiceBce compare the sigmoid of each channel with 0 and
/// 1; CrossEntropy, Dice and DiceCrossEntropy compare classes, one channel each.
enum class Loss { Mse, CrossEntropy, Dice, DiceCrossEntropy, Bce, SigmoidDice, SigmoidDiceBce, Mean };
/// The names in files and on screen: "mse", "cross_entropy", ... In the order of `Loss`.
inline constexpr std::array<std::string_view, 8> kLossNames = {
    "mse", "cross_entropy", "dice", "dice_cross_entropy", "bce", "sigmoid_dice", "sigmoid_dice_bce", "mean"};
inline constexpr std::string_view lossName(Loss loss) {
    return kLossNames[static_cast<std::size_t>(loss)];
}
/// Whether the loss compares classes, for which the output has one channel each.
bool wantsClasses(Loss loss);
/// Whether the loss compares the sigmoid of each channel with 0 and 1.
bool comparesProbabilities(Loss loss);
bool usesDice(Loss loss);
/// Replaces a loss that compares classes by its counterpart that compares probabilities; returns others
/// unchanged.
Loss binaryLoss(Loss loss);

struct Optimizer {
    enum class Kind { Sgd, Adam, AdamW };
    Kind kind = Kind::Adam;
    double lr = 1e-3;
    double momentum = 0;
    bool nesterov = false;
    double weightDecay = 0;  ///< default 0; for adamw 0.01
    double beta1 = 0.9, beta2 = 0.999;
    double eps = 1e-8;
    bool amsgrad = false;
    /// All parameters are updated together, as torch.optim does by default on a GPU, so the temporaries of
    /// all of them are live at once.
    bool foreach = false;
    bool operator==(const Optimizer&) const = default;
};

/// Bf16 and Fp16 are torch.autocast: parameters stay fp32. Bf16True and Fp16True are model.bfloat16() and
/// model.half(): parameters, buffers, gradients, the optimizer's state and the loss are 16-bit too, and no
/// gradient scaler is used.
enum class Precision { Fp32, Tf32, Bf16, Fp16, Bf16True, Fp16True };
/// The names in files and on screen: "fp32", "tf32", "bf16", "fp16", "bf16_true", "fp16_true".
inline constexpr std::array<std::string_view, 6> kPrecisionNames = {"fp32", "tf32",      "bf16",
                                                                    "fp16", "bf16_true", "fp16_true"};
std::string_view precisionName(Precision precision);
/// Whether torch.autocast is on.
bool usesAutocast(Precision precision);
/// Whether parameters are 16-bit too.
bool isTrueHalf(Precision precision);
/// Size of an element of an activation.
base::Bytes elementBytes(Precision precision);

/// Layers [first, last) that keep only their inputs and are recomputed in the backward pass. Within that, the
/// parts `inner` are recomputed once more. With `offload` they are computed once, and their saved activations
/// are moved to host memory (GPUs only). Layers are counted from 0 in the order of execution, without blocks
/// and branches.
struct PlanPart {
    std::int64_t first = 0, last = 0;
    std::vector<PlanPart> inner;  ///< ascending, without overlap, each within this one and shorter; empty
                                  ///< with `offload`
    bool offload = false;
    bool operator==(const PlanPart&) const = default;
};
/// Whether a part of the plan, at any depth, is offloaded to host memory.
bool offloads(const std::vector<PlanPart>& plan);

struct Checkpointing {
    /// Blocks: the marked blocks. Plan: the parts in `plan`.
    enum class Kind { Blocks, None, Sqrt, Segments, Plan };
    Kind kind = Kind::Blocks;
    std::int64_t segments = 2;
    /// Ascending, without overlap. Parts beyond the stack's end are ignored, so that a stack can be edited.
    std::vector<PlanPart> plan = {};
    bool operator==(const Checkpointing&) const = default;
};

struct Step {
    std::int64_t batchSize = 1;
    std::int64_t microBatches = 1;
    Precision precision = Precision::Fp32;
    bool channelsLast = false;
    Checkpointing checkpoint;
    bool train = true;
    /// The network's outputs stay alive until the backward pass has ended, as in a Python loop that holds
    /// them in a variable.
    bool keepOutput = false;
    /// Gradients are zeroed after a step and stay allocated, as with optimizer.zero_grad(set_to_none=False).
    bool keepGradients = false;
    /// The maximum total norm of all gradients; larger ones are scaled down before the update, as by
    /// torch.nn.utils.clip_grad_norm_. 0: no clipping.
    double clipGradients = 0;
    /// The loss uses class probabilities (float32, or the model's type: one channel a class), computed from
    /// the labels on the device, instead of class numbers, as with mixup or distillation.
    bool softTargets = false;
    std::uint64_t seed = 0;
    bool operator==(const Step&) const = default;
};

struct Windows {
    Sizes size = {64};
    double overlap = 0.5;  ///< 0 to 0.9
    enum class Blend { Gaussian, Constant };
    Blend blend = Blend::Gaussian;
    bool operator==(const Windows&) const = default;
};

struct Augmentation {
    enum class Kind { Flip, Rotate90, Rotate, Scale, Noise, Blur, Brightness, Gamma };
    Kind kind = Kind::Flip;
    double p = 0.5;
    /// rotate: degrees; scale, brightness, gamma: +- fraction; noise, blur: sigma. 0: the default of
    /// core/volume/augment.h.
    double amount = 0;
    bool operator==(const Augmentation&) const = default;
};

struct Data {
    std::int64_t workers = 0;   ///< 0: on the training thread
    std::int64_t prefetch = 2;  ///< patches prepared in advance, per worker
    bool pinned = false;
    std::vector<Augmentation> augment;
    double readDelayMs = 0;
    bool operator==(const Data&) const = default;
};

struct Backend {
    std::int64_t threads = 0;  ///< 0: LibTorch's choice
    bool onednn = true;
    bool cudnn = true;
    bool benchmark = false;
    bool deterministic = false;
    bool tf32 = false;
    std::optional<base::Bytes> workspaceLimit;
    std::string allocConf;
    bool operator==(const Backend&) const = default;
};

/// What an import left out of a network. Predictions of the rest are bounds: lower bounds without outputs or
/// parameters, upper bounds without checkpoints.
struct LeftOut {
    std::int64_t outputs = 0;      ///< outputs of the network that the loss does not use here
    std::int64_t parameters = 0;   ///< number of parameters that no layer has
    std::int64_t checkpoints = 0;  ///< activation checkpoints whose layers keep their activations here
    bool operator==(const LeftOut&) const = default;
};

struct Experiment {
    std::string name;
    Input input;
    Target target;
    Loss loss = Loss::Mse;
    std::vector<Layer> stack;
    Optimizer optimizer;
    Step step;
    std::optional<Windows> windows;
    Data data;
    Backend backend;
    LeftOut leftOut;
    bool operator==(const Experiment&) const = default;
};

/// Returns an optimizer of that kind with its defaults (weight_decay 0.01 for adamw, otherwise 0).
Optimizer makeOptimizer(Optimizer::Kind kind);

}  // namespace highwater::stack
