#pragma once

#include <vector>

#include "core/engine/run/recorder.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// What the measured steps have shown so far, and its medians. A layer's times are kept for the latest 10,000
/// steps.
class Samples {
public:
    explicit Samples(const stack::StackInfo& info);

    void addStep(const StepTimes& times);
    std::size_t steps() const { return totals_.size(); }

    /// Costs by layer, a block's the sum of what it contains.
    std::vector<wire::LayerCost> layers(const std::vector<Bytes>& activationBytes) const;
    base::Interval stepMs() const;
    wire::PhaseTimes phases() const;
    wire::PhaseTimes host() const;  ///< zero on the CPU

private:
    struct Phases {
        std::vector<double> data, forward, recompute, backward, optimizer;
        void add(const wire::PhaseTimes& times);
        wire::PhaseTimes medians() const;
    };
    const stack::StackInfo& info_;
    std::vector<std::vector<float>> forward_, backward_;  ///< by layer, then step
    std::size_t layered_ = 0;                             ///< steps whose layers were timed
    std::vector<double> totals_;
    Phases phases_, host_;
};

/// Costs of a run that has not begun: names, types, shapes, parameters.
std::vector<wire::LayerCost> emptyCosts(const stack::StackInfo& info);

}  // namespace highwater::engine
