#pragma once

#include <string>
#include <vector>

#include "core/report/facts.h"
#include "core/stack/experiment.h"

/// Texts about experiments, and times.
namespace highwater::report {

/// A layer's options in words: "64 channels, kernel 3, padding 1", "in place", "with enc1", "checkpointed".
/// Options with uninteresting defaults are left out; may be empty. A block's mark counts only where
/// checkpointing is by block.
std::string optionsText(const stack::Layer& layer, stack::Checkpointing::Kind checkpointing);

/// A layer with its depth of nesting in blocks. The list is in the order of execution, a block before its
/// layers, which is the order of RunResult::layers.
struct ListedLayer {
    const stack::Layer* layer = nullptr;
    int depth = 0;
};
std::vector<ListedLayer> listed(const std::vector<stack::Layer>& stack);

/// "batch 2 of 64³ patches, fp32, blocks checkpointed as marked; adam, lr 0.001; loss mse against the input".
std::string setupText(const stack::Experiment& experiment);
/// The source of the data: "head.nii.gz", "random values", "the cohort brats, 12 cases".
std::string inputText(const Facts& facts);
/// "2026-11-21 07:05 UTC" for "2026-11-21T07:05:12.345Z"; other text is returned unchanged.
std::string readableTime(const std::string& iso);
/// "highwater-cli run experiment.json --device cpu --steps 20 --warmup 3".
std::string commandLine(const Facts& facts);

}  // namespace highwater::report
