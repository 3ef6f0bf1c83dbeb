#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace highwater::memory {

/// The phases of a run: the setup, then the phases of a training step.
enum class Phase : unsigned char { Setup, Data, Forward, Recompute, Backward, Optimizer };
inline constexpr int kPhaseCount = 6;
/// The phases of a step: all except Setup.
inline constexpr std::array kStepPhases{Phase::Data, Phase::Forward, Phase::Recompute, Phase::Backward,
                                        Phase::Optimizer};
inline constexpr std::array<std::string_view, kPhaseCount> kPhaseKeys{"setup",     "data",     "forward",
                                                                      "recompute", "backward", "optimizer"};

/// The name of a phase in files and on screen.
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
