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
#include "core/stack/tensor_layers.h"

/// An experiment as a value: a stack of layers, its input, and how to step it (file format
/// highwater.experiment/1). Names and defaults are PyTorch's. A value may be invalid (while it is being
/// edited); `inferShapes` in shapes.h says whether it is, and why.
namespace highwater::stack {

// --- layers

enum class PaddingMode { Zeros, Reflect, Replicate, Circular };

struct Padding {
    bool same = false;  ///< "same": output as large as input; stride must be 1
    Sizes sizes = {0};
    bool operator==(const Padding&) const = default;
};

struct Conv {
    int dims = 0;  ///< 1, 2 or 3; 0 if not given: as the input has
    std::int64_t outChannels = 1;
    Sizes kernelSize = {3};
    Sizes stride = {1};
    Padding padding;
    PaddingMode paddingMode = PaddingMode::Zeros;
    Sizes dilation = {1};
    std::int64_t groups = 1;
    bool bias = true;
    bool operator==(const Conv&) const = default;
};

struct ConvTranspose {
    int dims = 0;
    std::int64_t outChannels = 1;
    Sizes kernelSize = {2};
    Sizes stride = {1};
    Sizes padding = {0};
    Sizes outputPadding = {0};
    Sizes dilation = {1};
    std::int64_t groups = 1;
    bool bias = true;
    bool operator==(const ConvTranspose&) const = default;
};

/// A depthwise convolution (groups = in_channels, in_channels * depthMultiplier outputs), then a pointwise
/// one (kernel 1). `bias` applies to both.
struct SeparableConv {
    int dims = 0;
    std::int64_t outChannels = 1;
    Sizes kernelSize = {3};
    Sizes stride = {1};
    Padding padding;
    PaddingMode paddingMode = PaddingMode::Zeros;
    Sizes dilation = {1};
    std::int64_t depthMultiplier = 1;
    bool bias = true;
    bool operator==(const SeparableConv&) const = default;
};

/// A learned 1x1 convolution to transformChannels, then a convolution with a fixed (not learned) kernel and
/// groups = transformChannels, then a bias.
struct CustomConv {
    enum class Kernel { Gaussian, Laplacian, Random };
    enum class Implementation { Naive, TwoStep, Cached, Fused };
    int dims = 0;
    std::int64_t transformChannels = 1;
    std::int64_t outChannels = 1;  ///< a multiple of transformChannels
    Sizes kernelSize = {3};
    Kernel kernel = Kernel::Gaussian;
    Padding padding;
    bool bias = true;
    Implementation implementation = Implementation::TwoStep;
    bool operator==(const CustomConv&) const = default;
};

struct Norm {
    enum class Kind { Batch, Instance, Group };
    Kind kind = Kind::Batch;
    std::int64_t numGroups = 1;  ///< group_norm only
    double eps = 1e-5;
    bool affine = true;  ///< PyTorch's default: true for batch and group, false for instance
    bool operator==(const Norm&) const = default;
};

struct InplaceAbn {
    enum class Function { LeakyRelu, Elu };
    double eps = 1e-5;
    Function activation = Function::LeakyRelu;
    double negativeSlope = 0.01;
    bool operator==(const InplaceAbn&) const = default;
};

struct Activation {
    enum class Kind { Relu, LeakyRelu, Elu, Gelu, Silu, Sigmoid, Tanh, Relu6, Hardswish, Hardsigmoid, Mish };
    Kind kind = Kind::Relu;
    bool inplace = false;         ///< for those that have such a form (activations.h)
    double negativeSlope = 0.01;  ///< leaky_relu only
    bool operator==(const Activation&) const = default;
};

/// A leaky_relu whose slopes are learned; they start at 0.25.
struct Prelu {
    std::int64_t numParameters = 1;  ///< 1, or the channels
    bool operator==(const Prelu&) const = default;
};

struct Softmax {
    int dim = 1;  ///< an axis of N, C, spatial, but not N; below 0: counted from the end
    bool operator==(const Softmax&) const = default;
};

/// The input times, or plus, a constant.
struct Scale {
    enum class Kind { Scale, Offset };
    double value = 1;
    Kind kind = Kind::Scale;
    bool operator==(const Scale&) const = default;
};

struct Pool {
    enum class Kind { Max, Avg };
    Kind kind = Kind::Max;
    Sizes kernelSize = {2};
    Sizes stride;  ///< empty: the kernel's size
    Sizes padding = {0};
    bool ceilMode = false;  ///< a last window that lies partly outside counts too
    bool operator==(const Pool&) const = default;
};

/// Pools to given sizes, whatever the input's are.
struct AdaptivePool {
    enum class Kind { Avg, Max };
    Kind kind = Kind::Avg;
    Sizes outputSize = {1};
    bool operator==(const AdaptivePool&) const = default;
};

/// Elements added around the spatial axes and the channels, as torch.nn.functional.pad does.
struct Pad {
    Sizes padding = {1, 1};                 ///< before and after the last axis, then the axis before it, ...
    PaddingMode mode = PaddingMode::Zeros;  ///< Zeros: `value` (PyTorch calls it "constant")
    double value = 0;
    bool operator==(const Pad&) const = default;
};

/// A part of the input along the spatial axes: a view of it.
struct Crop {
    Sizes start = {0};  ///< the first element that is kept
    Sizes size = {1};   ///< how many are kept
    bool operator==(const Crop&) const = default;
};

/// Normalises over the last axes.
struct LayerNorm {
    Sizes normalizedShape = {1};  ///< the sizes of these axes: [C, spatial...], or fewer
    double eps = 1e-5;
    bool affine = true;  ///< PyTorch: elementwise_affine
    bool operator==(const LayerNorm&) const = default;
};

/// x / (k + alpha * the mean of x^2 over `size` channels)^beta.
struct LocalResponseNorm {
    std::int64_t size = 5;
    double alpha = 1e-4;
    double beta = 0.75;
    double k = 1;
    bool operator==(const LocalResponseNorm&) const = default;
};

/// N, C, spatial becomes N, C x spatial: a view of its input.
struct Flatten {
    bool operator==(const Flatten&) const = default;
};

/// x W^T + b over the last axis.
struct Linear {
    std::int64_t outFeatures = 1;
    bool bias = true;
    bool operator==(const Linear&) const = default;
};

/// The layer with the id `with` once more, with its parameters: one module that is called twice.
struct Shared {
    std::string with;
    bool operator==(const Shared&) const = default;
};

struct Upsample {
    enum class Mode { Nearest, Linear, Bilinear, Trilinear };
    std::vector<double> scaleFactor = {2};  ///< used if `size` is empty
    Sizes size;
    Mode mode = Mode::Nearest;
    bool alignCorners = false;
    bool operator==(const Upsample&) const = default;
};

struct Dropout {
    double p = 0.5;
    bool feature = false;  ///< drop whole channels
    bool operator==(const Dropout&) const = default;
};

/// Deep supervision: a 1x1 convolution whose output (the side output) is part of the loss; the next layer
/// gets this layer's own input. The loss is (loss(stack's output) + sum of weight_i * loss(head_i)) / (1 +
/// sum of weight_i). Each head's target is the experiment's target, resampled to the head's size by nearest
/// neighbour. (nnU-Net's weights for the outputs, the largest first: 1, 1/2, 1/4, ..., none for the lowest;
/// also normalised.)
struct Head {
    std::int64_t outChannels = 1;  ///< must equal the stack's output channels, unless the loss is the mean
    double weight = 0.5;           ///< relative to the stack's output, which has weight 1
    bool bias = true;
    bool operator==(const Head&) const = default;
};

/// Brings back the output named `with`: adds it to the current tensor, subtracts it from that, multiplies
/// both, concatenates them along one axis, multiplies the matrices of the last two axes (Matmul), or
/// (Branch) continues from it instead. Add, Sub and Mul repeat a tensor along the axes where it has one
/// element (broadcasting); the batch only of what reads nothing (readsNothing). Concat takes several outputs:
/// first the current tensor, then these in their order. Attention is
/// torch.nn.functional.scaled_dot_product_attention: softmax(scale q k^T) v, where q is the current tensor, k
/// and v the two that are brought back, all of [N, heads, places, size]. With Branch, two paths can start at
/// one layer; the output before the branch must then be brought back later.
struct Merge {
    enum class Kind { Add, Sub, Mul, Concat, Matmul, Attention, Branch };
    Kind kind = Kind::Add;
    std::vector<std::string>
        with;               ///< ids of earlier outputs: one, for Concat one or more, for Attention two
    int dim = 1;            ///< Concat only; not the batch; below 0: counted from the end
    bool inplace = false;   ///< Add only: the sum is written over the layer's input, in its type
    bool isCausal = false;  ///< Attention only: query i sees the keys up to i
    double scale = 0;       ///< Attention only; 0: 1 / sqrt(size)
    double dropoutP = 0;    ///< Attention only, while training: which share of the weights is set to zero
    bool operator==(const Merge&) const = default;
};

struct Layer;

struct Block {
    std::string name;
    bool checkpoint = false;
    std::vector<Layer> layers;
    bool operator==(const Block&) const;
};

using Op =
    std::variant<Conv, ConvTranspose, SeparableConv, CustomConv, Norm, LayerNorm, LocalResponseNorm,
                 InplaceAbn, Activation, Prelu, Softmax, Pool, AdaptivePool, Pad, Crop, Upsample, Dropout,
                 StochasticDepth, Scale, Learned, Flatten, Reshape, Permute, Select, Slice, Roll, Copy,
                 Linear, RelativePositionBias, WindowMask, Unknown, Head, Shared, Merge, Block>;

struct Layer {
    std::string id;  ///< name of the output for a later merge; empty if it has none
    Op op;
    bool operator==(const Layer&) const = default;
};

inline bool Block::operator==(const Block& other) const {
    return name == other.name && checkpoint == other.checkpoint && layers == other.layers;
}

// --- the rest of an experiment

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
    std::string cohort;             ///< a folder of cases, instead of scans
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
/// As in files and on screen: "mse", "cross_entropy", ... In the order of `Loss`.
inline constexpr std::array<std::string_view, 8> kLossNames = {
    "mse", "cross_entropy", "dice", "dice_cross_entropy", "bce", "sigmoid_dice", "sigmoid_dice_bce", "mean"};
inline constexpr std::string_view lossName(Loss loss) {
    return kLossNames[static_cast<std::size_t>(loss)];
}
/// Whether the loss compares classes, which the output has a channel each for.
bool wantsClasses(Loss loss);
/// Whether the loss compares the sigmoid of each channel with 0 and 1.
bool comparesProbabilities(Loss loss);
bool usesDice(Loss loss);
/// The loss that compares probabilities in place of one of classes; others stay.
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
    /// All parameters are updated together, as torch.optim does by default on a GPU: the temporaries of all
    /// of them are alive at once.
    bool foreach = false;
    bool operator==(const Optimizer&) const = default;
};

/// Bf16 and Fp16 are torch.autocast: parameters stay fp32. Bf16True and Fp16True are model.bfloat16() and
/// model.half(): parameters, buffers, gradients, the optimizer's state and the loss have 2 bytes an element
/// too, and no gradient scaler is used.
enum class Precision { Fp32, Tf32, Bf16, Fp16, Bf16True, Fp16True };
/// As in files and on screen: "fp32", "tf32", "bf16", "fp16", "bf16_true", "fp16_true".
std::string_view precisionName(Precision precision);
/// Whether torch.autocast is on.
bool usesAutocast(Precision precision);
/// Whether parameters too have 2 bytes an element.
bool isTrueHalf(Precision precision);
/// Bytes of an element of an activation.
base::Bytes elementBytes(Precision precision);

/// Layers [first, last) that keep only what they read and are computed again in the backward pass. Within
/// that, the parts `inner` do so once more. With `offload` they are computed once, and what they keep waits
/// in the host's memory (GPUs only). Layers are counted from 0 in the order of execution; blocks and branches
/// are not counted.
struct PlanPart {
    std::int64_t first = 0, last = 0;
    std::vector<PlanPart> inner;  ///< ascending, apart, each within this one and shorter; none with `offload`
    bool offload = false;
    bool operator==(const PlanPart&) const = default;
};
/// Whether a part of the plan, at any depth, waits in the host's memory.
bool offloads(const std::vector<PlanPart>& plan);

struct Checkpointing {
    /// Blocks: the blocks that are marked. Plan: the parts `plan`.
    enum class Kind { Blocks, None, Sqrt, Segments, Plan };
    Kind kind = Kind::Blocks;
    std::int64_t segments = 2;
    /// Ascending and apart. What lies beyond the stack's end is left out, so that a stack can be edited.
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
    /// The network's outputs stay alive until the backward pass has ended, as in a Python loop that has them
    /// in a variable.
    bool keepOutput = false;
    /// Gradients are set to zero after a step and stay allocated, as with
    /// optimizer.zero_grad(set_to_none=False).
    bool keepGradients = false;
    /// The largest norm of all gradients together; larger ones are scaled down before the update, as
    /// torch.nn.utils.clip_grad_norm_ does. 0: they are not clipped.
    double clipGradients = 0;
    /// The loss compares with a probability for each class (float32, or as the model: one channel a class),
    /// made from the labels on the device, instead of with class numbers: as with mixup or distillation.
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

/// What an import could not take over from a network. Predictions of the rest are bounds: from below without
/// outputs or parameters, from above without checkpoints.
struct LeftOut {
    std::int64_t outputs = 0;      ///< outputs of the network that have no part in the loss here
    std::int64_t parameters = 0;   ///< numbers in the parameters that no layer has
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

/// A layer's `type` in files and on screen: "conv", "batch_norm", "add", "block", ...
std::string_view typeName(const Op& op);
/// Whether the layer writes its output over its input. (Some cannot: layer_rules.h refuses them.)
bool worksInPlace(const Op& op);
/// Whether the layer's output does not depend on its input. It follows in the list what the layer after it
/// continues from by a branch.
bool readsNothing(const Op& op);
/// Returns a default layer of that type; std::nullopt for an unknown name.
std::optional<Op> makeOp(std::string_view type);
/// Returns an optimizer of that kind with its defaults (weight_decay 0.01 for adamw, otherwise 0).
Optimizer makeOptimizer(Optimizer::Kind kind);
/// All type names, in the order of the "add layer" menu.
const std::vector<std::string_view>& typeNames();

}  // namespace highwater::stack
