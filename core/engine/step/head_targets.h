#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/engine/step/target_sampler.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// Zeros that count to the input.
at::Tensor zeroInput(const stack::Shape& shape, const at::TensorOptions& options,
                     at::MemoryFormat format = at::MemoryFormat::Contiguous);

/// A target at the size of each output: every head's in order, then itself. Those of its size are itself; the
/// others' memory is allocated here (category input). Private to core/engine.
class HeadTargets {
public:
    HeadTargets() = default;
    /// `target`: N, spatial or N, C, spatial, or undefined.
    HeadTargets(const stack::StackInfo& info, const at::Tensor& target);

    const std::vector<at::Tensor>& all() const { return targets_; }
    /// Writes the heads' anew from the target; allocates nothing.
    void sample() const;

private:
    std::vector<at::Tensor> targets_;
    std::vector<TargetSampler> samplers_;  ///< of the heads whose target has a size of its own
};

}  // namespace highwater::engine
