#pragma once

#include "core/stack/experiment.h"

/// The settings of an experiment besides its layers, in the order of the editor. Reading, writing, the JSON
/// Schema and the window all visit these lists. core/layers/about.h documents the visitor; for settings it
/// also has:
///
///     betas          Optimizer's beta1 and beta2
///     checkpointing  Step's checkpoint
///     seed           a number of 64 bits
///     bytes          an optional number of bytes
///     augmentations  Data's list
///     everyKind      a constant: whether fields of all kinds of a part are wanted, each with its onlyIf, or
///                    those of the kind at hand
namespace highwater::stack {

inline constexpr std::array<std::string_view, 3> kOptimizerNames = {"sgd", "adam", "adamw"};
/// The values of checkpointing that are a word; segments and plan are objects in files.
inline constexpr std::array<std::string_view, 5> kCheckpointingNames = {"blocks", "none", "sqrt", "segments",
                                                                        "plan"};
inline constexpr std::array<std::string_view, 2> kBlendNames = {"gaussian", "constant"};
inline constexpr std::array<std::string_view, 8> kAugmentationNames = {
    "flip", "rotate90", "rotate", "scale", "noise", "blur", "brightness", "gamma"};

/// All fields except `type`.
template <class V>
void fields(V& v, const Optimizer& of) {
    using T = Optimizer;
    const bool sgd = of.kind == T::Kind::Sgd;
    const auto ofSgd = [](const T& op) { return op.kind == T::Kind::Sgd; };
    const auto ofAdam = [](const T& op) { return op.kind != T::Kind::Sgd; };
    v.number("lr", &T::lr, 0, kMostNumber, "The learning rate: how far a step goes. Costs nothing");
    v.number("weight_decay", &T::weightDecay, 0, kMostNumber,
             "Pulls weights towards zero. Above 0, sgd and adam make one more temporary tensor for each "
             "weight");
    if (sgd || V::everyKind) {
        v.number("momentum", &T::momentum, 0, 1,
                 "How much of the last update is carried into the next. Above 0 it keeps 4 bytes per weight");
        v.onlyIf(ofSgd);
        v.toggle("nesterov", &T::nesterov, "Looks ahead along the momentum; needs a momentum above 0");
        v.onlyIf(ofSgd);
    }
    if (!sgd || V::everyKind) {
        v.betas("betas",
                "How slowly the running means of gradients and of their squares follow: two numbers below 1");
        v.onlyIf(ofAdam);
        v.number("eps", &T::eps, 0, 1, "Added to the denominator, so that nothing is divided by zero");
        v.onlyIf(ofAdam);
        v.toggle("amsgrad", &T::amsgrad,
                 "Keeps the largest of the squares' means as well: 4 more bytes a weight");
        v.onlyIf(ofAdam);
    }
    v.toggle("foreach", &T::foreach,
             "Updates all parameters together, as torch.optim does by default on a GPU: faster, and the "
             "temporaries of\nall of them are alive at once. Off: one after the other");
}

template <class V>
void fields(V& v, const Step&) {
    using T = Step;
    v.integer("batch_size", &T::batchSize, {1, kMostSize},
              "Samples per step. Activation memory grows with it");
    v.integer("micro_batches", &T::microBatches, {1, kMostSize},
              "Splits the batch into this many parts, computed one after the other; their gradients are "
              "summed before\nthe optimizer's step. Only one part's activations exist at a time. It must "
              "divide batch_size");
    v.choice("precision", &T::precision, kPrecisionNames,
             "The number format of activations. bf16 and fp16: half the activations' memory, weights\n"
             "stay fp32 (autocast); fp16 scales the loss. tf32: fp32's memory, faster products.\n"
             "bf16_true and fp16_true: weights, gradients and the optimizer's state too (model.half())");
    v.toggle("channels_last", &T::channelsLast,
             "Stores the channels of a voxel next to each other: faster on tensor cores, but some layers "
             "make copies");
    v.checkpointing("checkpoint",
                    "Which parts keep only their input and are recomputed in the backward pass: less "
                    "memory,\nup to a third more time, the same gradients. blocks: those marked checkpoint; "
                    "sqrt: as many\nequal segments as the root of the number of layers; segments: a given "
                    "number; plan: the parts that\nMake it fit has chosen");
    v.toggle("train", &T::train,
             "Forward, backward and optimizer. Off: forward only, which keeps no activations");
    v.toggle("keep_output", &T::keepOutput,
             "The network's outputs stay alive until backward has ended, as in a Python loop that has them "
             "in a\nvariable (output = model(x)). On for imported nnU-Net plans");
    v.toggle("keep_gradients", &T::keepGradients,
             "Gradients are set to zero after a step and stay allocated: zero_grad(set_to_none=False). Off: "
             "they are freed");
    v.number("clip_gradients", &T::clipGradients, 0, kMostNumber,
             "The largest norm of all gradients together; larger ones are scaled down before the update, "
             "as\nclip_grad_norm_ does. 0: not clipped. 12 for imported nnU-Net plans");
    v.toggle("soft_targets", &T::softTargets,
             "The loss compares with a probability for each class instead of class numbers, as with mixup "
             "or\ndistillation: a tensor more of the output's size, and larger ones in the loss");
    v.seed("seed", &T::seed,
           "Weights, patches, augmentation and dropout are drawn from it: the same seed, the same run");
}

template <class V>
void fields(V& v, const Windows&) {
    using T = Windows;
    v.sizes("size", &T::size, {.low = 1, .high = kMostSize, .shown = true},
            "One window, in voxels; at most the data's size. Memory grows with its volume");
    v.number("overlap", &T::overlap, 0, 0.9,
             "How much neighboring windows overlap, 0 to 0.9 of a window: more means more windows and "
             "smoother seams");
    v.choice("blend", &T::blend, kBlendNames,
             "How overlapping results are weighed: gaussian trusts a window's middle most");
}

/// All fields except `type`.
template <class V>
void fields(V& v, const Augmentation&) {
    using T = Augmentation;
    v.number("p", &T::p, 0, 1, "The probability of the change");
    v.number(
        "amount", &T::amount, 0, 360,
        "rotate: degrees; scale, brightness and gamma: a fraction; noise and blur: a standard deviation. "
        "0: the usual amount");
}

template <class V>
void fields(V& v, const Data&) {
    using T = Data;
    v.integer("workers", &T::workers, {0, 1024},
              "Threads that cut and augment patches while the step computes. 0: the training thread does "
              "it,\nand each step waits for it");
    v.integer("prefetch", &T::prefetch, {1, 1024},
              "Patches that each worker keeps ready. Each takes the memory of one patch");
    v.toggle("pinned", &T::pinned,
             "Batches lie in memory that the GPU reads directly, so copies overlap with computation");
    v.number("read_delay_ms", &T::readDelayMs, 0, 60000,
             "A wait before each patch, in ms: simulates a slow disk");
    v.augmentations("augment", &T::augment,
                    "Random changes that each patch goes through, in this order: name, probability p, "
                    "amount.\nThey cost the workers' time, not the device's memory");
}

template <class V>
void fields(V& v, const Backend&) {
    using T = Backend;
    v.integer("threads", &T::threads, {0, 4096},
              "Threads that compute on the CPU. 0: as many as LibTorch chooses");
    v.toggle("onednn", &T::onednn,
             "Use oneDNN for convolutions. Off: PyTorch's own kernels, mostly slower, with other memory "
             "needs");
    v.toggle("deterministic", &T::deterministic,
             "Use algorithms that give the same bits each time, where they exist; some are slower");
    v.toggle(
        "cudnn", &T::cudnn,
        "Use cuDNN for convolutions. Off: PyTorch's own kernels, mostly slower, with other memory needs");
    v.toggle("benchmark", &T::benchmark,
             "cuDNN tries its algorithms in the first step and keeps the fastest: its workspace may be "
             "large");
    v.toggle("tf32", &T::tf32,
             "Products of fp32 numbers on tensor cores, with 10 bits of fraction: usually faster. Memory can "
             "be higher or lower, as cuDNN selects other kernels");
    v.bytes("workspace_limit", &T::workspaceLimit,
            "The most memory that cuDNN may ask for in addition to tensors, such as 256 MiB; empty: no "
            "limit.\nA small one can rule out the fast algorithms");
    v.text("alloc_conf", &T::allocConf,
           "Options of PyTorch's allocator on GPUs, as in PYTORCH_CUDA_ALLOC_CONF:\n"
           "max_split_size_mb:128 or expandable_segments:True",
           "PyTorch's");
}

template <class V>
void fields(V& v, const LeftOut&) {
    using T = LeftOut;
    constexpr std::int64_t kMostParameters = std::int64_t{1} << 53;
    v.integer("outputs", &T::outputs, {0, kMostSize},
              "Outputs of the imported network that have no part in the loss here");
    v.integer("parameters", &T::parameters, {0, kMostParameters},
              "Numbers in the imported network's parameters that no layer has");
    v.integer("checkpoints", &T::checkpoints, {0, kMostSize},
              "Activation checkpoints of the imported network whose layers keep their activations here");
}

}  // namespace highwater::stack
