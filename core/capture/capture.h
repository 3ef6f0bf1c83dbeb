#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/memory/trace.h"

/// Writes traces in the formats of other viewers and reads PyTorch's snapshots.
namespace highwater::capture {

enum class Format {
    /// PyTorch's memory snapshot, pickle protocol 4, as torch/cuda/_memory_viz.py and pytorch.org/memory_viz
    /// read it. Label, layer, phase and category are written as the frames of an event. A block has its last
    /// category, since a snapshot has no retags. Times are whole microseconds. The addresses are made up: one
    /// segment holds every block, so a viewer's picture of segments and fragmentation does not describe the
    /// run. Reading the file back gives the same trace except for these points.
    Snapshot,
    /// Chrome trace JSON (Perfetto, chrome://tracing): slices for the steps, phases and layers, and counters
    /// for the bytes by category. Beyond 100,000 events the counters are thinned to the lowest and highest
    /// total of each group of events (`otherData` says so); the peak is kept.
    Chrome,
    /// CSV with a header line, the blocks that are live at the start (as "alive", without a number), then one
    /// line per event. `allocated_bytes` is the total after the event. RFC 4180, lines end in a line feed.
    Csv
};

/// Called with 0..1; returning false stops the work, which then fails with the Error "cancelled".
using Progress = std::function<bool(double)>;
/// Writes a trace. Error if writing fails.
base::Status write(const memory::Trace& trace, Format format, const std::filesystem::path& file,
                   const Progress& progress = {});
base::Status write(const memory::Trace& trace, Format format, std::ostream& out,
                   const Progress& progress = {});

/// A part of a capture, by event numbers.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// One device in a snapshot's file.
struct SnapshotDevice {
    std::int64_t device = 0;
    std::int64_t events = 0;    ///< events of every kind
    std::int64_t refusals = 0;  ///< how often an allocation ran out of memory
    std::int64_t segments = 0;  ///< these fields: at the time of the snapshot
    std::int64_t blocks = 0;
    base::Bytes reserved = 0;   ///< bytes in all segments
    base::Bytes allocated = 0;  ///< bytes in blocks in use, at the allocator's block sizes
    bool operator==(const SnapshotDevice&) const = default;
};

/// The device to show first: the one with the most events among those that ran out of memory, or among all if
/// none did; ties go to the most reserved memory. -1 if none has events or segments.
std::int64_t chosenDevice(const std::vector<SnapshotDevice>& devices);

/// The contents of a snapshot's file, without its trace.
struct SnapshotInfo {
    std::int64_t fileBytes = 0;
    std::vector<SnapshotDevice> devices;  ///< by number, including those without events and segments
    std::int64_t device = -1;             ///< chosenDevice(devices)
    std::int64_t events = 0;              ///< in that device's trace
    base::Bytes peak = 0;                 ///< the highest total of allocated bytes
    std::int64_t skipped = 0;             ///< inconsistent events, not counted in `events`
};

/// Reads a file of torch.cuda.memory._dump_snapshot (or torch::cuda::_memory_snapshot_pickled) from PyTorch
/// 2.0 or later: the device given by chosenDevice(). The pickle is read as data: nothing in it is executed or
/// imported; an opcode that would do so, or an unknown one, is an error. Memory is bounded by the file's
/// size, there is no recursion, and lengths and memo numbers are checked. Error (one line) if it is not a
/// pickle, is truncated, is not a snapshot (which key is missing), or has no history (how to record one).
///
/// Sizes are the requested ones; for blocks that are live at the end the reserved size is known too. A free
/// is placed where it completed. A block that is freed, or live at the end, but was never allocated was live
/// at the start. Inconsistent events are skipped; a label of the trace has their number. Times count from the
/// first event; before PyTorch 2.1 there are none. Phases are those that frames name, and last until a frame
/// names another. Categories come from the frames where these identify them (a workspace, the optimizer's
/// state, Module._apply, pinned memory). Otherwise they are guessed from the block's lifetime: a block that
/// outlives the forward pass is an activation, the backward pass a gradient, the optimizer's step its state;
/// any other is temporary. Labels are the innermost frame outside PyTorch; layers come from
/// torch.cuda.memory._set_memory_metadata; steps from torch.profiler.
///
/// `range` selects events of the whole file's trace. Error if it begins outside that trace.
base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range = {},
                                         const Progress& progress = {});
base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress = {});
/// Reads a snapshot from memory, for tests and fuzzing.
base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range = {});

}  // namespace highwater::capture
