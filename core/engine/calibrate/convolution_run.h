#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <vector>

#include "core/engine/books/allocation_log.h"
#include "core/engine/device/device.h"
#include "core/engine/layers/layers.h"
#include "core/predict/tables/conv_key.h"

/// One convolution, alone, run as a training step runs it. Private to core/engine.
namespace highwater::engine {

class ConvolutionRun {
public:
    /// Makes its tensors, of the key's type and layout. `key` has positive sizes that fit each other.
    explicit ConvolutionRun(const predict::ConvKey& key, const Device& device = {});

    /// Forward: the output. Backward: the gradient of the input, the weight, the bias; undefined where not
    /// wanted.
    using Results = std::array<at::Tensor, 3>;
    /// Runs the key's pass once, between `begins` and `ends`. Throws what LibTorch and the allocator throw.
    Results run(const std::function<void()>& begins, const std::function<void()>& ends);

    struct Pass {
        std::vector<LoggedAllocation> log;  ///< of the operator alone
        Results results;
        double microseconds = 0;
    };
    /// The same on the CPU, with its log and its time.
    Pass run();

    /// Bytes of all tensors that the run holds and makes, without temporaries; 2^62 or more: too large to
    /// say.
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

/// Where the results lie; null where there is none.
std::array<const void*, 3> addressesOf(const ConvolutionRun::Results& results);

/// The lower quartile of times, to three significant digits: other programs only ever add to a time, and a
/// table need not say more of it.
double typicalTime(std::vector<double> times);

}  // namespace highwater::engine
