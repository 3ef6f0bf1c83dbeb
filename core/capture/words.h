#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/memory/trace.h"

namespace highwater::capture {

/// The category for its key (memory::categoryKey) or for the word of PyTorch's memory profiler ("temporary",
/// "activation", "gradient", "autograd_detail", "parameter"). std::nullopt for other words, "unknown"
/// included.
std::optional<memory::Category> categoryOf(std::string_view word);

/// The place of an event: "forward · 5 conv", or only the phase.
std::string placeWords(const memory::Trace& trace, memory::Phase phase, std::int16_t layer);

}  // namespace highwater::capture
