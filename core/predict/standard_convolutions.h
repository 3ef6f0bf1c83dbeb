#pragma once

#include <vector>

#include "core/predict/conv_key.h"

namespace highwater::predict {

/// The convolutions that calibration measures on every machine: kernels of 1, 3 and 5, strides, dilated,
/// grouped, depthwise and transposed ones, in 1d, 2d and 3d, from tiny to large, forward and backward, as the
/// layers of a stack meet them. They are what guesses are made from; about 900, each once.
std::vector<ConvKey> standardConvolutions();

/// The passes of a forward convolution in a training step: itself, and its backward for the weights alone (as
/// the first layer of a stack has it), for input and weights, and the same with a strided gradient.
std::vector<ConvKey> trainingPasses(const ConvKey& forward);

}  // namespace highwater::predict
