#pragma once

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Rewrites experiments so that layers need less memory for the same result, or nearly the same.
namespace highwater::stack {

/// Makes every activation in-place that has an in-place form and may overwrite its input; results stay the
/// same. Error if there is none, or none may.
base::Result<Experiment> withInplaceActivations(const Experiment& experiment);

/// Replaces every affine batch_norm followed by a leaky_relu or an elu with an inplace_abn, where possible.
/// Its weight acts as |weight| + eps, and the activation is inverted in backward: gradients differ by
/// rounding. Error if there is none.
base::Result<Experiment> withInplaceAbn(const Experiment& experiment);

/// Visits every list of layers in the order of execution, a list before those inside it.
template <class Visit>
void eachList(std::vector<Layer>& layers, const Visit& visit) {
    visit(layers);
    for (Layer& layer : layers) {
        if (auto* block = std::get_if<Block>(&layer.op)) {
            eachList(block->layers, visit);
        }
    }
}

/// Visits every layer with such an operator: visit(layer, op).
template <class Wanted, class Visit>
void eachLayer(Experiment& e, const Visit& visit) {
    eachList(e.stack, [&](std::vector<Layer>& layers) {
        for (Layer& layer : layers) {
            if (auto* op = std::get_if<Wanted>(&layer.op)) {
                visit(layer, *op);
            }
        }
    });
}

}  // namespace highwater::stack
