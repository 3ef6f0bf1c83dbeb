#pragma once

#include <utility>
#include <vector>

#include "app/desktop/prediction/plan/plan_values.h"
#include "core/plan/make_fit.h"

namespace highwater::desktop {

/// What the plans of one experiment keep, layer by layer. Not thread-safe.
class PlanLayerValues {
public:
    explicit PlanLayerValues(const predict::Target& target) : target_(target) {}
    /// In StackInfo's order; empty if the experiment cannot be predicted.
    std::vector<PlanLayer> of(const stack::Experiment& experiment);

private:
    const std::vector<base::Bytes>& bytesOf(const stack::Experiment& experiment,
                                            const stack::StackInfo& info);
    std::vector<base::Bytes> keptBytes(const stack::Experiment& experiment,
                                       const stack::StackInfo& info) const;
    const predict::Target& target_;
    /// By experiment without a plan: what each layer keeps.
    std::vector<std::pair<stack::Experiment, std::vector<base::Bytes>>> known_;
};

/// "keeps 412 MiB of 1.20 GiB for the backward pass"; empty if there are no layers.
QString keptText(const std::vector<PlanLayer>& layers);

}  // namespace highwater::desktop
