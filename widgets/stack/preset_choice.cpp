#include "widgets/stack/preset_choice.h"

#include "core/stack/shapes.h"

namespace highwater::widgets {

stack::Experiment withPreset(const stack::Experiment& current, stack::Experiment preset) {
    const auto* scan = std::get_if<stack::ScanInput>(&current.input);
    const auto* synthetic = std::get_if<stack::SyntheticInput>(&preset.input);
    if (!scan || !synthetic || synthetic->shape.size() != 4) {
        return preset;
    }
    stack::ScanInput input = *scan;
    const stack::Sizes presetPatch(synthetic->shape.begin() + 1, synthetic->shape.end());
    preset.input = input;
    if (!stack::inferShapes(preset)) {
        input.patch = presetPatch;
        preset.input = input;
    }
    return preset;
}

}  // namespace highwater::widgets
