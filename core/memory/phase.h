#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace highwater::memory {

/// What a training step is doing.
enum class Phase : unsigned char { Setup, Data, Forward, Recompute, Backward, Optimizer };
inline constexpr int kPhaseCount = 6;
/// Those of a step: all but the setup.
inline constexpr std::array kStepPhases{Phase::Data, Phase::Forward, Phase::Recompute, Phase::Backward,
                                        Phase::Optimizer};
inline constexpr std::array<std::string_view, kPhaseCount> kPhaseKeys{"setup",     "data",     "forward",
                                                                      "recompute", "backward", "optimizer"};

/// A phase as files and the screen name it.
constexpr std::string_view phaseKey(Phase phase) {
    return kPhaseKeys[static_cast<std::size_t>(phase)];
}
constexpr std::optional<Phase> phaseFromKey(std::string_view key) {
    for (std::size_t i = 0; i < kPhaseKeys.size(); ++i) {
        if (kPhaseKeys[i] == key) {
            return static_cast<Phase>(i);
        }
    }
    return {};
}

}  // namespace highwater::memory
