#pragma once

#include <string>
#include <vector>

#include "core/predict/tables/conv_key.h"

namespace highwater::predict {

/// Returns the convolutions that calibration measures on every machine: kernels of 1, 3 and 5, with strides,
/// dilated, grouped, depthwise and transposed ones, in 1d, 2d and 3d, from tiny to large, forward and
/// backward, as they occur in stacks. Guesses are made from them. About 900, each once.
std::vector<ConvKey> standardConvolutions();

/// Returns the passes of a forward convolution in a training step: itself; its backward for the weights alone
/// (as in the first layer of a stack); its backward for input and weights; and the latter with a strided
/// gradient.
std::vector<ConvKey> trainingPasses(const ConvKey& forward);

/// Reads a file with the text of one convolution per line; empty lines are ignored. An error names the line.
base::Result<std::vector<ConvKey>> readConvolutions(const std::string& file);

}  // namespace highwater::predict
