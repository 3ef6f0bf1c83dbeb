#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/engine/data/target_sampler.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// A tensor of zeros in the category input.
at::Tensor zeroInput(const stack::Shape& shape, const at::TensorOptions& options,
                     at::MemoryFormat format = at::MemoryFormat::Contiguous);

/// The targets of all outputs: one for each deep supervision head, in order, then the full-size target. A
/// head of the target's size shares its tensor; for the others memory is allocated here (category input).
/// Private to core/engine.
class HeadTargets {
public:
    HeadTargets() = default;
    /// `target`: [N, spatial...], [N, C, spatial...], or undefined.
    HeadTargets(const stack::StackInfo& info, const at::Tensor& target);

    const std::vector<at::Tensor>& all() const { return targets_; }
    /// Samples the heads' targets from the full-size target again; allocates nothing.
    void sample() const;

private:
    std::vector<at::Tensor> targets_;
    std::vector<TargetSampler> samplers_;  ///< for the heads that have another size than the target
};

}  // namespace highwater::engine
