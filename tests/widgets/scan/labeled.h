#pragma once

#include <vector>

#include "core/volume/labels.h"
#include "widgets/scan/label_map.h"

namespace highwater::testing {

/// The volume as a label map with these labels, without names.
inline widgets::LabelMap labeled(const volume::Volume& volume, const std::vector<std::int64_t>& values) {
    widgets::LabelMap map;
    map.volume = volume;
    const auto counts = volume::countLabels(volume);
    for (const std::int64_t value : values) {
        for (const volume::LabelCount& count : *counts) {
            if (count.value == value) {
                map.labels.push_back({value, widgets::labelName(value), widgets::labelColor(value),
                                      count.voxels, count.inside});
            }
        }
    }
    return map;
}

}  // namespace highwater::testing
