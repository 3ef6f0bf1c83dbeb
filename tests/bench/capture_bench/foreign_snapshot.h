#pragma once

#include <cstdint>
#include <filesystem>

namespace highwater::bench {

/// Writes a snapshot as PyTorch's Python side pickles one (protocol 4, every event a dictionary with a list
/// of `depth` frames of its own, the frames shared) until it has at least `bytes`; gives its events.
std::int64_t writeForeignSnapshot(const std::filesystem::path& file, std::int64_t bytes, int depth);

}  // namespace highwater::bench
