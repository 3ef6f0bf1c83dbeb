#pragma once

#include <vector>

#include "core/engine/step/recorder.h"
#include "core/stack/shapes.h"

namespace highwater::engine {

/// Collects the times of the measured steps and gives their medians. A layer's times are kept for the latest
/// 10,000 steps in which layers were timed.
class Samples {
public:
    explicit Samples(const stack::StackInfo& info);

    void addStep(const StepTimes& times);
    std::size_t steps() const { return totals_.size(); }

    /// Costs by layer; those of a block are the sum of its layers'.
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

/// Names, types, shapes and parameters of the layers, with all costs 0.
std::vector<wire::LayerCost> emptyCosts(const stack::StackInfo& info);

}  // namespace highwater::engine
