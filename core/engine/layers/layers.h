#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"
#include "core/engine/device/torch_compat.h"
#include "core/stack/experiment.h"
#include "core/step/forward_mode.h"

/// Layers as plain tensors and functions on them. Private to core/engine.
namespace highwater::engine {

struct ComposedKernel;

/// The tensors of one layer; those that it does not have are undefined. Order of `parameters`: weight, bias
/// (separable_conv: depthwise weight and bias, then pointwise weight and bias; custom_conv: the transform's
/// weight, then the bias).
struct LayerTensors {
    std::vector<at::Tensor> parameters;
    at::Tensor runningMean, runningVar;        ///< batch_norm's buffers
    at::Tensor kernel;                         ///< custom_conv's fixed kernel
    at::Tensor index;                          ///< int64 index of relative_position_bias
    std::shared_ptr<ComposedKernel> composed;  ///< only for a `cached` custom_conv
};

/// Allocates and initializes a layer's tensors like PyTorch's module (the same draws from the default
/// generator in the same order), in the category parameters. `input` is [N, C, spatial...]. Values are drawn
/// on the CPU, so that every device starts with the same values, and then copied to `device`. `channelsLast`:
/// weights with 4 and 5 dimensions get that memory format. `type`: of all tensors of the layer, as after
/// model.to(type).
LayerTensors makeLayer(const stack::Op& op, const stack::Shape& input, const Device& device = {},
                       bool channelsLast = false, at::ScalarType type = at::kFloat);

using step::ForwardMode;

/// The layer's output (for a head: its side output). `with` are the earlier tensors that a merge reads; empty
/// for other layers.
at::Tensor applyLayer(const stack::Op& op, const LayerTensors& tensors, at::Tensor x,
                      const std::vector<at::Tensor>& with, ForwardMode mode);

/// The edge to the layer's part of a graph, without its output (stack::resumable). `gradient`: the gradient
/// that will arrive there, or a tensor like it.
GraphEdge resumeLayer(const stack::Op& op, const LayerTensors& tensors, const at::Tensor& x,
                      const at::Tensor& gradient);

}  // namespace highwater::engine
