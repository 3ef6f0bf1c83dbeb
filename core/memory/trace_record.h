#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/memory/trace_chunk.h"

/// trace.chunks in a run's folder on a host: its trace as the engine there passes it on, for a host has no
/// SQLite. A line of text, then parts: their length (4 bytes, little endian) and so many bytes. The first
/// part holds the layers' names, each later one a chunk.
namespace highwater::memory {

inline constexpr std::string_view kTraceChunks = "trace.chunks";
inline constexpr std::string_view kTraceChunksPart = "trace.chunks.part";  ///< until all of it has arrived
/// The most that is recorded, handed over and read: more than the 2 million events of a trace take.
inline constexpr base::Bytes kMostTraceChunks = 256 * base::kMiB;

/// The beginning of the file.
std::string encodeLayers(const std::vector<std::string>& layers);
std::string encodeChunk(const TraceChunk& chunk);

/// Reads such a file, which may come from anywhere: every category, phase, layer and label is in range, no
/// number of bytes is negative, and all of them together are at most 2^62. Whether the events fit each other
/// is not looked at.
class TraceRecordReader {
public:
    /// `content` has to outlive this object.
    explicit TraceRecordReader(std::string_view content) : rest_(content) {}
    /// First. Error: it is no such file.
    base::Result<std::vector<std::string>> layers();
    /// The next chunk. Nothing at the end, or where the last part is cut off: its engine died. Error: it is
    /// damaged.
    base::Result<std::optional<TraceChunk>> next();

private:
    std::optional<std::string_view> part();
    std::string_view rest_;
    std::size_t layers_ = 0, labels_ = 0;
    base::Bytes total_ = 0;
};

}  // namespace highwater::memory
