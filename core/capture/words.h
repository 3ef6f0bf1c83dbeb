#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/memory/trace.h"

namespace highwater::capture {

/// An error such as "a.pickle: is not a regular file".
base::Error fileError(const std::filesystem::path& file, std::string_view what);

/// Parses a category's key (memory::categoryKey) or the name in PyTorch's memory profiler ("temporary",
/// "activation", "gradient", "autograd_detail", "parameter"); std::nullopt for "unknown".
std::optional<memory::Category> categoryOf(std::string_view word);

/// The place of an event: "forward · 5 conv", or only the phase.
std::string placeWords(const memory::Trace& trace, memory::Phase phase, std::int16_t layer);

}  // namespace highwater::capture
