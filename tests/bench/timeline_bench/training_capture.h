#pragma once

#include "core/memory/trace.h"

namespace highwater::bench {

/// The trace of a U-Net that is trained until it has at least `events` events: parameters once, optimizer
/// state in the first step, and in each step the input, activations that live until their layer's backward,
/// gradients, workspaces, and many small temporaries; in blocks and layers, with operator labels.
/// Deterministic.
memory::Trace trainingCapture(std::size_t events, std::uint64_t seed = 1);

/// The hardest case to draw: about `alive` blocks of log-uniform sizes live at any time and are freed in
/// random order.
memory::Trace randomCapture(std::size_t events, std::uint32_t alive, std::uint64_t seed = 1);

}  // namespace highwater::bench
