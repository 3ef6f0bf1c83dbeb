#pragma once

#include "core/stack/activations.h"
#include "core/stack/experiment.h"
#include "core/stack/limits.h"

/// The keys of highwater.experiment/1 with their ranges, each written only once: reading, writing and the
/// test against the JSON Schema all visit these lists. A visitor V offers `V::Value<T>` (T or const T) and
/// one function per kind of field: integer, number, boolean, text, choice, sizes, longSizes (always written,
/// as one number or up to kMostNumbers). The functions `needed...`
/// are for keys without a default; padding, factors, betas, outputs and layers are for fields that occur only
/// once.
/// Private to core/stack and its tests.
namespace highwater::stack {

inline constexpr double kMostNumber = 1e9;

template <class V>
void fields(V& v, typename V::template Value<Conv>& op, const Conv& d) {
    v.integer("dims", op.dims, d.dims, 1, 3);
    v.neededInteger("out_channels", op.outChannels, 1, kMostSize);
    v.shownSizes("kernel_size", op.kernelSize, d.kernelSize, 1, kMostExtent);
    v.sizes("stride", op.stride, d.stride, 1, kMostExtent);
    v.padding("padding", op.padding, d.padding);
    v.choice("padding_mode", op.paddingMode, d.paddingMode, {"zeros", "reflect", "replicate", "circular"});
    v.sizes("dilation", op.dilation, d.dilation, 1, kMostExtent);
    v.integer("groups", op.groups, d.groups, 1, kMostSize);
    v.boolean("bias", op.bias, d.bias);
}

template <class V>
void fields(V& v, typename V::template Value<ConvTranspose>& op, const ConvTranspose& d) {
    v.integer("dims", op.dims, d.dims, 1, 3);
    v.neededInteger("out_channels", op.outChannels, 1, kMostSize);
    v.shownSizes("kernel_size", op.kernelSize, d.kernelSize, 1, kMostExtent);
    v.sizes("stride", op.stride, d.stride, 1, kMostExtent);
    v.sizes("padding", op.padding, d.padding, 0, kMostExtent);
    v.sizes("output_padding", op.outputPadding, d.outputPadding, 0, kMostExtent);
    v.sizes("dilation", op.dilation, d.dilation, 1, kMostExtent);
    v.integer("groups", op.groups, d.groups, 1, kMostSize);
    v.boolean("bias", op.bias, d.bias);
}

template <class V>
void fields(V& v, typename V::template Value<SeparableConv>& op, const SeparableConv& d) {
    v.integer("dims", op.dims, d.dims, 1, 3);
    v.neededInteger("out_channels", op.outChannels, 1, kMostSize);
    v.shownSizes("kernel_size", op.kernelSize, d.kernelSize, 1, kMostExtent);
    v.sizes("stride", op.stride, d.stride, 1, kMostExtent);
    v.padding("padding", op.padding, d.padding);
    v.choice("padding_mode", op.paddingMode, d.paddingMode, {"zeros", "reflect", "replicate", "circular"});
    v.sizes("dilation", op.dilation, d.dilation, 1, kMostExtent);
    v.integer("depth_multiplier", op.depthMultiplier, d.depthMultiplier, 1, kMostSize);
    v.boolean("bias", op.bias, d.bias);
}

template <class V>
void fields(V& v, typename V::template Value<CustomConv>& op, const CustomConv& d) {
    v.integer("dims", op.dims, d.dims, 1, 3);
    v.neededInteger("transform_channels", op.transformChannels, 1, kMostSize);
    v.neededInteger("out_channels", op.outChannels, 1, kMostSize);
    v.shownSizes("kernel_size", op.kernelSize, d.kernelSize, 1, kMostExtent);
    v.choice("kernel", op.kernel, d.kernel, {"gaussian", "laplacian", "random"});
    v.padding("padding", op.padding, d.padding);
    v.boolean("bias", op.bias, d.bias);
    v.choice("implementation", op.implementation, d.implementation, {"naive", "two_step", "cached", "fused"});
}

template <class V>
void fields(V& v, typename V::template Value<Norm>& op, const Norm& d) {
    if (d.kind == Norm::Kind::Group) {
        v.integer("num_groups", op.numGroups, d.numGroups, 1, kMostSize);
    }
    v.number("eps", op.eps, d.eps, 0, 1);
    v.boolean("affine", op.affine, d.affine);
}

template <class V>
void fields(V& v, typename V::template Value<LayerNorm>& op, const LayerNorm& d) {
    v.longSizes("normalized_shape", op.normalizedShape, d.normalizedShape, 1, kMostSize);
    v.number("eps", op.eps, d.eps, 0, 1);
    v.boolean("affine", op.affine, d.affine);
}

template <class V>
void fields(V& v, typename V::template Value<LocalResponseNorm>& op, const LocalResponseNorm& d) {
    v.integer("size", op.size, d.size, 1, kMostExtent);
    v.number("alpha", op.alpha, d.alpha, -kMostNumber, kMostNumber);
    v.number("beta", op.beta, d.beta, -kMostNumber, kMostNumber);
    v.number("k", op.k, d.k, -kMostNumber, kMostNumber);
}

template <class V>
void fields(V& v, typename V::template Value<InplaceAbn>& op, const InplaceAbn& d) {
    v.number("eps", op.eps, d.eps, 0, 1);
    v.choice("activation", op.activation, d.activation, {"leaky_relu", "elu"});
    v.number("negative_slope", op.negativeSlope, d.negativeSlope, 1e-6, 1);
}

template <class V>
void fields(V& v, typename V::template Value<Activation>& op, const Activation& d) {
    if (factsOf(d.kind).hasInplaceForm) {
        v.boolean("inplace", op.inplace, d.inplace);
    }
    if (d.kind == Activation::Kind::LeakyRelu) {
        v.number("negative_slope", op.negativeSlope, d.negativeSlope, -kMostNumber, kMostNumber);
    }
}

template <class V>
void fields(V& v, typename V::template Value<Prelu>& op, const Prelu& d) {
    v.integer("num_parameters", op.numParameters, d.numParameters, 1, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Softmax>& op, const Softmax& d) {
    v.integer("dim", op.dim, d.dim, -kMostAxes, kMostAxes - 1);
}

template <class V>
void fields(V& v, typename V::template Value<Scale>& op, const Scale& d) {
    v.number("value", op.value, d.value, -kMostNumber, kMostNumber);
}

template <class V>
void fields(V& v, typename V::template Value<Pool>& op, const Pool& d) {
    v.shownSizes("kernel_size", op.kernelSize, d.kernelSize, 1, kMostExtent);
    v.sizes("stride", op.stride, d.stride, 1, kMostExtent);
    v.sizes("padding", op.padding, d.padding, 0, kMostExtent);
    v.boolean("ceil_mode", op.ceilMode, d.ceilMode);
}

template <class V>
void fields(V& v, typename V::template Value<AdaptivePool>& op, const AdaptivePool& d) {
    v.shownSizes("output_size", op.outputSize, d.outputSize, 1, kMostSize);
}

template <class V>
void fields(V&, typename V::template Value<Flatten>&, const Flatten&) {}

template <class V>
void fields(V& v, typename V::template Value<Linear>& op, const Linear& d) {
    v.neededInteger("out_features", op.outFeatures, 1, kMostSize);
    v.boolean("bias", op.bias, d.bias);
}

template <class V>
void fields(V& v, typename V::template Value<Pad>& op, const Pad& d) {
    v.longSizes("padding", op.padding, d.padding, 0, kMostExtent);
    v.choice("mode", op.mode, d.mode, {"constant", "reflect", "replicate", "circular"});
    v.number("value", op.value, d.value, -kMostNumber, kMostNumber);
}

template <class V>
void fields(V& v, typename V::template Value<Crop>& op, const Crop& d) {
    v.sizes("start", op.start, d.start, 0, kMostSize);
    v.shownSizes("size", op.size, d.size, 1, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Upsample>& op, const Upsample& d) {
    v.factors("scale_factor", op, d);
    v.sizes("size", op.size, d.size, 1, kMostSize);
    v.choice("mode", op.mode, d.mode, {"nearest", "linear", "bilinear", "trilinear"});
    v.boolean("align_corners", op.alignCorners, d.alignCorners);
}

template <class V>
void fields(V& v, typename V::template Value<Dropout>& op, const Dropout& d) {
    v.number("p", op.p, d.p, 0, 1);
    v.boolean("feature", op.feature, d.feature);
}

template <class V>
void fields(V& v, typename V::template Value<Reshape>& op, const Reshape& d) {
    v.longSizes("shape", op.shape, d.shape, -1, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Permute>& op, const Permute& d) {
    v.longSizes("dims", op.dims, d.dims, 0, kMostAxes - 1);
}

template <class V>
void fields(V& v, typename V::template Value<Select>& op, const Select& d) {
    v.integer("dim", op.dim, d.dim, -kMostAxes, kMostAxes - 1);
    v.integer("index", op.index, d.index, 0, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Slice>& op, const Slice& d) {
    v.integer("dim", op.dim, d.dim, -kMostAxes, kMostAxes - 1);
    v.integer("start", op.start, d.start, 0, kMostSize);
    v.integer("end", op.end, d.end, 1, kMostSize);
    v.integer("step", op.step, d.step, 1, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Roll>& op, const Roll& d) {
    v.longSizes("shifts", op.shifts, d.shifts, -kMostSize, kMostSize);
    v.longSizes("dims", op.dims, d.dims, 1, kMostAxes - 1);
}

template <class V>
void fields(V& v, typename V::template Value<RelativePositionBias>& op, const RelativePositionBias& d) {
    v.shownSizes("window_size", op.windowSize, d.windowSize, 1, kMostSize);
    v.neededInteger("num_heads", op.numHeads, 1, kMostSize);
    v.integer("places", op.places, d.places, 0, kMostSize);
    v.boolean("copy_index", op.copyIndex, d.copyIndex);
}

template <class V>
void fields(V& v, typename V::template Value<WindowMask>& op, const WindowMask& d) {
    v.shownSizes("size", op.size, d.size, 1, kMostSize);
    v.shownSizes("window_size", op.windowSize, d.windowSize, 1, kMostSize);
    v.shownSizes("shift_size", op.shiftSize, d.shiftSize, 0, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<Unknown>& op, const Unknown& d) {
    v.text("operator", op.operatorName, d.operatorName);
    v.longSizes("shape", op.shape, d.shape, 1, kMostSize);
    v.optionalOutputs("with", op.with, kMostJoined);
}

template <class V>
void fields(V&, typename V::template Value<Copy>&, const Copy&) {}

template <class V>
void fields(V& v, typename V::template Value<Learned>& op, const Learned& d) {
    v.longSizes("shape", op.shape, d.shape, 1, kMostSize);
}

template <class V>
void fields(V& v, typename V::template Value<StochasticDepth>& op, const StochasticDepth& d) {
    v.number("p", op.p, d.p, 0, 1);
    v.choice("mode", op.mode, d.mode, {"row", "batch"});
    v.boolean("scale_by_keep", op.scaleByKeep, d.scaleByKeep);
}

template <class V>
void fields(V& v, typename V::template Value<Head>& op, const Head& d) {
    v.neededInteger("out_channels", op.outChannels, 1, kMostSize);
    v.number("weight", op.weight, d.weight, 0, kMostNumber);
    v.boolean("bias", op.bias, d.bias);
}

template <class V>
void fields(V& v, typename V::template Value<Shared>& op, const Shared& d) {
    v.text("with", op.with, d.with);
}

template <class V>
void fields(V& v, typename V::template Value<Merge>& op, const Merge& d) {
    const bool attention = d.kind == Merge::Kind::Attention;
    v.outputs("with", op.with, d.kind == Merge::Kind::Concat ? kMostJoined : attention ? 2 : 1);
    if (attention) {
        v.boolean("is_causal", op.isCausal, d.isCausal);
        v.number("scale", op.scale, d.scale, 0, kMostNumber);
        v.number("dropout_p", op.dropoutP, d.dropoutP, 0, 1);
    }
    if (d.kind == Merge::Kind::Add) {
        v.boolean("inplace", op.inplace, d.inplace);
    }
    if (d.kind == Merge::Kind::Concat) {
        v.integer("dim", op.dim, d.dim, -kMostAxes, kMostAxes - 1);
    }
}

template <class V>
void fields(V& v, typename V::template Value<Block>& op, const Block& d) {
    v.text("name", op.name, d.name);
    v.boolean("checkpoint", op.checkpoint, d.checkpoint);
    v.layers("layers", op.layers);
}

/// All fields except `type`.
template <class V>
void fields(V& v, typename V::template Value<Optimizer>& o, const Optimizer& d) {
    v.number("lr", o.lr, d.lr, 0, kMostNumber);
    if (d.kind == Optimizer::Kind::Sgd) {
        v.number("momentum", o.momentum, d.momentum, 0, 1);
        v.boolean("nesterov", o.nesterov, d.nesterov);
    } else {
        v.betas("betas", o, d);
        v.number("eps", o.eps, d.eps, 0, 1);
    }
    v.number("weight_decay", o.weightDecay, d.weightDecay, 0, kMostNumber);
    if (d.kind != Optimizer::Kind::Sgd) {
        v.boolean("amsgrad", o.amsgrad, d.amsgrad);
    }
    v.boolean("foreach", o.foreach, d.foreach);
}

template <class V>
void fields(V& v, typename V::template Value<Step>& s, const Step& d) {
    v.integer("batch_size", s.batchSize, d.batchSize, 1, kMostSize);
    v.integer("micro_batches", s.microBatches, d.microBatches, 1, kMostSize);
    v.choice("precision", s.precision, d.precision,
             {"fp32", "tf32", "bf16", "fp16", "bf16_true", "fp16_true"});
    v.boolean("channels_last", s.channelsLast, d.channelsLast);
    v.checkpointing("checkpoint", s.checkpoint, d.checkpoint);
    v.boolean("train", s.train, d.train);
    v.boolean("keep_output", s.keepOutput, d.keepOutput);
    v.boolean("keep_gradients", s.keepGradients, d.keepGradients);
    v.number("clip_gradients", s.clipGradients, d.clipGradients, 0, kMostNumber);
    v.boolean("soft_targets", s.softTargets, d.softTargets);
    v.seed("seed", s.seed, d.seed);
}

template <class V>
void fields(V& v, typename V::template Value<Windows>& w, const Windows& d) {
    v.shownSizes("size", w.size, d.size, 1, kMostSize);
    v.number("overlap", w.overlap, d.overlap, 0, 0.9);
    v.choice("blend", w.blend, d.blend, {"gaussian", "constant"});
}

/// All fields except `type`.
template <class V>
void fields(V& v, typename V::template Value<Augmentation>& a, const Augmentation& d) {
    v.number("p", a.p, d.p, 0, 1);
    v.number("amount", a.amount, d.amount, 0, 360);
}

template <class V>
void fields(V& v, typename V::template Value<Data>& data, const Data& d) {
    v.integer("workers", data.workers, d.workers, 0, 1024);
    v.integer("prefetch", data.prefetch, d.prefetch, 1, 1024);
    v.boolean("pinned", data.pinned, d.pinned);
    v.augmentations("augment", data.augment);
    v.number("read_delay_ms", data.readDelayMs, d.readDelayMs, 0, 60000);
}

template <class V>
void fields(V& v, typename V::template Value<Backend>& b, const Backend& d) {
    v.integer("threads", b.threads, d.threads, 0, 4096);
    v.boolean("onednn", b.onednn, d.onednn);
    v.boolean("cudnn", b.cudnn, d.cudnn);
    v.boolean("benchmark", b.benchmark, d.benchmark);
    v.boolean("deterministic", b.deterministic, d.deterministic);
    v.boolean("tf32", b.tf32, d.tf32);
    v.optionalBytes("workspace_limit", b.workspaceLimit);
    v.text("alloc_conf", b.allocConf, d.allocConf);
}

template <class V>
void fields(V& v, typename V::template Value<LeftOut>& left, const LeftOut& d) {
    constexpr std::int64_t kMostParameters = std::int64_t{1} << 53;
    v.integer("outputs", left.outputs, d.outputs, 0, kMostSize);
    v.integer("parameters", left.parameters, d.parameters, 0, kMostParameters);
    v.integer("checkpoints", left.checkpoints, d.checkpoints, 0, kMostSize);
}

}  // namespace highwater::stack
