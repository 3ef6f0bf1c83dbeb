#pragma once

#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Computes the sizes of a stack along one axis only: the same result as inferShapes for that axis, but in a
/// microsecond. Private to core/predict.
namespace highwater::predict {

/// Whether a layer changes the order or number of axes (permute, reshape, select): no axis can be followed
/// separately.
bool mixesAxes(const stack::Experiment& experiment);

class AxisWalk {
public:
    /// `axis`: 0 is the first spatial one. The experiment must be valid and not mix axes, `info` its shapes;
    /// both must outlive this object.
    AxisWalk(const stack::Experiment& experiment, const stack::StackInfo& info, int axis);

    /// Returns the size of every layer's input, in StackInfo's order, if the network's input has this size; 1
    /// after a flatten. Returns nullptr if sizes do not fit. Does not check the other conditions of
    /// inferShapes (limits, losses). Valid until the next call.
    const std::vector<std::int64_t>* inputs(std::int64_t size);

    const stack::Op& op(std::size_t layer) const { return *ops_[layer]; }

private:
    /// Returns the output size; 0 if sizes do not fit.
    std::int64_t run(const std::vector<stack::Layer>& layers, std::int64_t size);
    std::int64_t output(const stack::Op& op, std::size_t layer, std::int64_t size) const;

    const stack::Experiment& experiment_;
    const stack::StackInfo& info_;
    std::size_t axis_;
    std::vector<const stack::Op*> ops_;
    std::vector<std::int64_t> inputs_, outputs_;
    std::size_t next_ = 0;
};

}  // namespace highwater::predict
