#pragma once

#include <cstdint>
#include <filesystem>

namespace highwater::bench {

/// Writes a snapshot as PyTorch's Python side pickles it (protocol 4, every event a dictionary with its own
/// list of `depth` frames, the frames shared) until it has at least `bytes`; returns the number of events.
std::int64_t writeForeignSnapshot(const std::filesystem::path& file, std::int64_t bytes, int depth);

}  // namespace highwater::bench
