#pragma once

#include <string>
#include <vector>

#include "core/volume/augment.h"

namespace highwater::volume {

/// Describes an augmentation in words, in the order in which it is applied: "flipped along i and k", "turned
/// by 90° about k", "turned by 7.1° about (0.27, -0.80, 0.53)", "scaled 1.08", "noise σ 0.05", "blur σ 1.5
/// voxels", "brightness 1.12", "gamma 0.83"; with several channels "channel 2: gamma 0.83". Angles and axes
/// as in SpaceChange. Empty if nothing is changed.
std::vector<std::string> wordsFor(const DrawnAugmentation& drawn);

}  // namespace highwater::volume
