#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/memory/trace.h"

/// A trace to and from the files of other viewers.
namespace highwater::capture {

enum class Format {
    Snapshot,  ///< PyTorch's memory snapshot, pickle protocol 4, as _memory_viz.py and pytorch.org/memory_viz
               ///< read it
    Chrome,    ///< Chrome trace JSON: counters by category, a slice a layer and phase (Perfetto)
    Csv        ///< one event a line, with a header line
};

/// Writes a trace; errors are what the disk says. `progress` is called with 0..1 and stops the writing by
/// returning false (then an error says "cancelled").
using Progress = std::function<bool(double)>;
base::Status write(const memory::Trace& trace, Format format, const std::filesystem::path& file,
                   const Progress& progress = {});
base::Status write(const memory::Trace& trace, Format format, std::ostream& out,
                   const Progress& progress = {});

/// A part of a capture, by its events' numbers.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// What a snapshot's file holds, without making a trace of it.
struct SnapshotInfo {
    std::int64_t fileBytes = 0;
    int devices = 0;           ///< lists of events, one a device; those without events count too
    int device = -1;           ///< the one with the most events; -1: none
    std::int64_t events = 0;   ///< of that device
    base::Bytes peak = 0;      ///< the highest total of allocated bytes
    std::int64_t skipped = 0;  ///< further events that make no sense
};

/// Reads what torch.cuda.memory._dump_snapshot (or torch::cuda::_memory_snapshot_pickled) wrote, of
/// PyTorch 2.0 and later. The pickle is read as data: nothing in it is executed or imported, unknown opcodes
/// and globals are an error. Memory is bounded by the file's size; recursion, lengths and memo numbers are
/// checked. Errors, one line: not a pickle, truncated, not a snapshot (which key is missing), an event that
/// makes no sense is skipped and counted in a label of the trace. Categories are guessed from the frames
/// where they say it ("optimizer", "backward"), else activations; labels are the innermost frame that is not
/// PyTorch's own.
base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range = {},
                                         const Progress& progress = {});
base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress = {});
/// The same from memory, for tests and fuzzing.
base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range = {});

}  // namespace highwater::capture
