#pragma once

namespace highwater::memory {

/// What a training step is doing.
enum class Phase : unsigned char { Setup, Data, Forward, Recompute, Backward, Optimizer };
inline constexpr int kPhaseCount = 6;

}  // namespace highwater::memory
