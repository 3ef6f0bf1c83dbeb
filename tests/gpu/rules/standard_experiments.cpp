#include "tests/gpu/rules/standard_experiments.h"

#include <filesystem>

#include "core/stack/nnunet/nnunet.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"

namespace highwater::gpu {

namespace {

using stack::Experiment;
using stack::Precision;

void checkpointBlocks(std::vector<stack::Layer>& layers) {
    for (stack::Layer& layer : layers) {
        if (auto* const block = std::get_if<stack::Block>(&layer.op)) {
            block->checkpoint = true;
        }
    }
}

class List {
public:
    void addAll(const std::string& name, const Experiment& base) {
        const bool hasLayout = stack::inferShapes(base)->input.size() > 3;
        constexpr std::pair<Precision, const char*> kPrecisions[] = {{Precision::Fp32, "fp32"},
                                                                     {Precision::Fp16, "fp16"},
                                                                     {Precision::Bf16, "bf16"},
                                                                     {Precision::Fp16True, "fp16_true"}};
        for (const auto& [precision, word] : kPrecisions) {
            for (const bool channelsLast : {false, true}) {
                if (channelsLast && !hasLayout) {
                    continue;
                }
                Experiment made = base;
                made.step.precision = precision;
                made.step.channelsLast = channelsLast;
                made_.push_back({name + " " + word + (channelsLast ? " channels_last" : ""), made});
            }
        }
        for (const bool adam : {false, true}) {
            for (const bool checkpoint : {false, true}) {
                made_.push_back(
                    {name + " fp16" + (adam ? " adam" : " nesterov") + (checkpoint ? " checkpointed" : ""),
                     trained(base, adam, checkpoint)});
            }
        }
    }

    std::vector<NamedExperiment> take() { return std::move(made_); }

private:
    static Experiment trained(Experiment made, bool adam, bool checkpoint) {
        made.step.precision = Precision::Fp16;
        made.optimizer = {};
        made.optimizer.kind = adam ? stack::Optimizer::Kind::Adam : stack::Optimizer::Kind::Sgd;
        made.optimizer.momentum = 0.99;
        made.optimizer.nesterov = !adam;
        if (checkpoint) {
            checkpointBlocks(made.stack);
        }
        return made;
    }

    std::vector<NamedExperiment> made_;
};

}  // namespace

base::Result<std::vector<NamedExperiment>> standardExperiments(const std::string& plans) {
    const auto presets = stack::loadPresets();
    if (!presets) {
        return presets.error();
    }
    List list;
    for (const stack::Preset& preset : *presets) {
        list.addAll(preset.id, preset.experiment);
    }
    if (std::filesystem::exists(plans)) {
        auto imported = stack::importNnunetFile(plans, {});
        if (!imported) {
            return imported.error();
        }
        imported->experiment.backend.benchmark = false;
        list.addAll("nnU-Net 3d_fullres", imported->experiment);
    }
    return list.take();
}

}  // namespace highwater::gpu
