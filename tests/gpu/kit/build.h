#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Short functions for building stacks.
namespace highwater::kit {

using Layers = std::vector<stack::Layer>;

/// A convolution that keeps the size (odd kernels, stride 1).
stack::Conv conv(std::int64_t out, std::int64_t kernel = 3);
stack::Norm norm(stack::Norm::Kind kind, std::int64_t groups = 1);
stack::Activation activation(stack::Activation::Kind kind, bool inplace);

/// Convolution, batch norm, relu in place.
Layers unit(std::int64_t out);
Layers operator+(Layers first, const Layers& then);

stack::Layer block(std::string name, Layers layers, bool checkpoint = false);
/// A layer whose output a later merge uses.
stack::Layer named(std::string id, stack::Op op);
stack::Merge merge(stack::Merge::Kind kind, std::string with);

/// Synthetic input of this shape (C and spatial sizes). The loss is the mean of the output, which fits every
/// stack, unless the caller changes it.
stack::Experiment experiment(std::string name, stack::Shape input, std::int64_t batch, Layers stack);
/// Trained as a segmentation: random labels, cross-entropy; the stack gets a final 1x1 convolution to
/// `classes`.
stack::Experiment segmentation(std::string name, stack::Shape input, std::int64_t batch, Layers stack,
                               std::int64_t classes = 3);

/// A preset with another input size and batch, under another name. Errors: no such preset.
base::Result<stack::Experiment> preset(const std::string& id, std::string name, stack::Sizes spatial,
                                       std::int64_t batch);

}  // namespace highwater::kit
