#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/engine/data/data.h"
#include "core/engine/step/head_targets.h"
#include "core/stack/windows.h"

/// A batch seen through sliding windows, one at a time: what the network reads and is compared with is as
/// large as a window, whatever the data's size. Private to core/engine.
namespace highwater::engine {

class Windowed {
public:
    /// Allocates everything (category input; the blended output: activations). `data` must outlive this.
    /// Training takes `samples` of the batch at a time; without, outputs are blended.
    Windowed(const stack::Experiment& experiment, const stack::StackInfo& info, const DataSource& data,
             std::int64_t samples);

    std::int64_t count() const { return grid_.count(); }
    /// Copies a window of samples [first, first + samples) to input() and targets().
    void select(std::int64_t first, std::int64_t window);
    const at::Tensor& input() const { return input_; }
    const std::vector<at::Tensor>& targets() const { return targets_.all(); }

    /// Forgets what was blended.
    void begin();
    /// Adds the output for the window that was selected last, weighted.
    void blend(const at::Tensor& output);
    /// Divides by the sum of weights. Then blended() is the whole batch's output, each place the weighted
    /// mean of the windows over it.
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
    at::Tensor weights_;  ///< of a window's places
    at::Tensor sums_;     ///< of weights, over the data's places
    at::Tensor blended_;  ///< undefined when training
    std::int64_t first_ = 0;
    stack::Sizes corner_;
};

}  // namespace highwater::engine
