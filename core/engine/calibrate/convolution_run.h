#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <vector>

#include "core/engine/books/allocation_log.h"
#include "core/engine/device/device.h"
#include "core/engine/layers/layers.h"
#include "core/predict/tables/conv_key.h"

/// Runs a single convolution as a training step does. Private to core/engine.
namespace highwater::engine {

class ConvolutionRun {
public:
    /// Allocates the tensors with the key's type and layout. The sizes in `key` must be positive and
    /// consistent.
    explicit ConvolutionRun(const predict::ConvKey& key, const Device& device = {});

    /// Forward: the output, then two undefined tensors. Backward: the gradients of input, weight and bias;
    /// undefined if not wanted.
    using Results = std::array<at::Tensor, 3>;
    /// Runs the key's pass once. `begins` and `ends` are called directly before and after it. Exceptions of
    /// LibTorch and the allocator pass through.
    Results run(const std::function<void()>& begins, const std::function<void()>& ends);

    struct Pass {
        std::vector<LoggedAllocation> log;  ///< only the operator's own entries
        Results results;
        double microseconds = 0;
    };
    /// Runs the pass once on the CPU and returns its allocation log and time.
    Pass run();

    /// Bytes of all tensors that the run needs, without temporaries. 2^62 or more: too large to represent.
    static double tensorBytes(const predict::ConvKey& key);

private:
    Results runForward(const std::function<void()>& begins, const std::function<void()>& ends);
    Results runBackward(const std::function<void()>& begins, const std::function<void()>& ends);
    at::Tensor incomingGradient(const at::Tensor& output) const;

    predict::ConvKey key_;
    stack::Op op_;
    at::Tensor input_;
    LayerTensors tensors_;
};

/// The addresses of the results' storages; null for an undefined result.
std::array<const void*, 3> addressesOf(const ConvolutionRun::Results& results);

/// The lower quartile of times, rounded to three significant digits: other programs can only slow a run down,
/// and a table needs no more digits.
double typicalTime(std::vector<double> times);

}  // namespace highwater::engine
