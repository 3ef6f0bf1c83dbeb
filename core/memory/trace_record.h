#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/memory/trace_chunk.h"

/// trace.chunks in a run's folder on a host: the trace as the engine there writes it, because a host has no
/// SQLite. A line of text, then parts: their length (4 bytes, little endian) and that many bytes. The first
/// part contains the layers' names, each later one a chunk.
namespace highwater::memory {

inline constexpr std::string_view kTraceChunks = "trace.chunks";
inline constexpr std::string_view kTraceChunksPart = "trace.chunks.part";  ///< the name until all of it has
                                                                           ///< arrived
/// Limit when recording, transferring and reading: more than the 2 million events of a trace take.
inline constexpr base::Bytes kMostTraceChunks = 256 * base::kMiB;

/// The beginning of the file.
std::string encodeLayers(const std::vector<std::string>& layers);
std::string encodeChunk(const TraceChunk& chunk);

/// Reads such a file, which may be untrusted: every category, phase, layer and label is checked to be in
/// range, no byte count is negative, and their sum is at most 2^62. Whether the events are consistent is not
/// checked.
class TraceRecordReader {
public:
    /// `content` must outlive this object.
    explicit TraceRecordReader(std::string_view content) : rest_(content) {}
    /// Call this first. Error: it is not such a file.
    base::Result<std::vector<std::string>> layers();
    /// The next chunk. std::nullopt at the end, or if the last part is cut off because the engine died.
    /// Error: it is damaged.
    base::Result<std::optional<TraceChunk>> next();

private:
    std::optional<std::string_view> part();
    std::string_view rest_;
    std::size_t layers_ = 0, labels_ = 0;
    base::Bytes total_ = 0;
};

}  // namespace highwater::memory
