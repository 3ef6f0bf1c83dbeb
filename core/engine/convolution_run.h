#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "core/engine/allocation_log.h"
#include "core/engine/layers.h"
#include "core/predict/conv_key.h"

/// One convolution, alone, run as a training step runs it. Private to core/engine.
namespace highwater::engine {

class ConvolutionRun {
public:
    /// Makes its tensors. `key` has positive sizes that fit each other.
    explicit ConvolutionRun(const predict::ConvKey& key);

    struct Pass {
        std::vector<LoggedAllocation> log;  ///< of the operator alone
        /// Forward: the output. Backward: the gradient of the input, the weight, the bias; undefined where
        /// not wanted.
        std::array<at::Tensor, 3> results;
        double microseconds = 0;
    };
    /// Runs the key's pass once. Throws what LibTorch and the allocator throw.
    Pass run();

    /// Bytes of all tensors that the run holds and makes, without temporaries; 2^62 or more: too large to
    /// say.
    static double tensorBytes(const predict::ConvKey& key);

private:
    Pass runForward();
    Pass runBackward();
    at::Tensor incomingGradient(const at::Tensor& output) const;

    predict::ConvKey key_;
    stack::Op op_;
    at::Tensor input_;
    LayerTensors tensors_;
};

}  // namespace highwater::engine
