#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/engine/data/data.h"
#include "core/engine/data/head_targets.h"
#include "core/stack/windows.h"

/// Cuts a batch into sliding windows, one at a time. The network's input and target always have the size of a
/// window. Private to core/engine.
namespace highwater::engine {

class Windowed {
public:
    /// Allocates all tensors (category input; the blended output: activations). `data` must outlive this
    /// object. With training, `samples` samples of the batch are taken at a time; without, the outputs are
    /// blended.
    Windowed(const stack::Experiment& experiment, const stack::StackInfo& info, const DataSource& data,
             std::int64_t samples);

    std::int64_t count() const { return grid_.count(); }
    /// Copies a window of samples [first, first + samples) to input() and targets().
    void select(std::int64_t first, std::int64_t window);
    const at::Tensor& input() const { return input_; }
    const std::vector<at::Tensor>& targets() const { return targets_.all(); }

    /// Sets the blended output to 0.
    void begin();
    /// Adds the weighted output of the window that was selected last.
    void blend(const at::Tensor& output);
    /// Divides by the sum of weights. Afterwards blended() is the whole batch's output: at each voxel the
    /// weighted mean of all windows that cover it.
    void finish();
    const at::Tensor& blended() const { return blended_; }

private:
    at::Tensor cut(const at::Tensor& whole) const;
    void makeBlend(const stack::Experiment& experiment, const stack::StackInfo& info);

    const DataSource& data_;
    stack::WindowGrid grid_;
    std::int64_t dims_, samples_;
    at::Tensor input_, target_;
    HeadTargets targets_;
    at::Tensor weights_;  ///< by voxel of a window
    at::Tensor sums_;     ///< sum of weights by voxel of the data
    at::Tensor blended_;  ///< undefined with training
    std::int64_t first_ = 0;
    stack::Sizes corner_;
};

}  // namespace highwater::engine
