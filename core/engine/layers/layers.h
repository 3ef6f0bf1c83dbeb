#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"
#include "core/stack/experiment.h"
#include "core/step/forward_mode.h"

/// Layers as plain tensors and functions over them. Private to core/engine.
namespace highwater::engine {

struct ComposedKernel;

/// What one layer owns. Undefined tensors where it has none. Order of `parameters`: weight, bias (a
/// separable_conv: depthwise weight and bias, then pointwise; a custom_conv: the transform's weight, the
/// bias).
struct LayerTensors {
    std::vector<at::Tensor> parameters;
    at::Tensor runningMean, runningVar;        ///< batch_norm's buffers
    at::Tensor kernel;                         ///< custom_conv's fixed kernel
    std::shared_ptr<ComposedKernel> composed;  ///< of a custom_conv that is `cached`
};

/// Makes and initialises a layer's tensors as PyTorch's module does (the same draws from the default
/// generator in the same order); tagged as parameters. `input` is N, C, spatial. Drawn on the CPU, so that
/// every device starts from the same values, then moved; `channelsLast`: weights of 4 and 5 dimensions in
/// that format.
LayerTensors makeLayer(const stack::Op& op, const stack::Shape& input, const Device& device = {},
                       bool channelsLast = false);

using step::ForwardMode;

/// The layer's output (a head's: its side output). `with` is the tensor that a merge brings back.
at::Tensor applyLayer(const stack::Op& op, const LayerTensors& tensors, at::Tensor x, const at::Tensor& with,
                      ForwardMode mode);

}  // namespace highwater::engine
