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

/// Writes a trace to the files of other viewers and reads PyTorch's.
namespace highwater::capture {

enum class Format {
    /// PyTorch's memory snapshot, pickle protocol 4, as torch/cuda/_memory_viz.py and pytorch.org/memory_viz
    /// read it. Label, layer, phase and category are written as the frames of an event. A block has its last
    /// category, since a snapshot has no retags. Times are whole microseconds. The addresses are made up: one
    /// segment holds every block, so a viewer's picture of segments and fragmentation does not describe the
    /// run. Read back, the trace is the same except for these points.
    Snapshot,
    /// Chrome trace JSON (Perfetto, chrome://tracing): slices for the steps, phases and layers, and counters
    /// for the bytes by category. Beyond 100,000 events the counters are thinned to the lowest and the
    /// highest total of groups of events (`otherData` says so); the peak is kept.
    Chrome,
    /// CSV with a header line, the blocks that are alive at the start (as "alive", without a number), then
    /// one line per event. `allocated_bytes` is the total after the event. RFC 4180, lines end in a line
    /// feed.
    Csv
};

/// Called with 0..1; returning false stops the work, which then ends with the Error "cancelled".
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

/// What a snapshot's file says of one device.
struct SnapshotDevice {
    std::int64_t device = 0;
    std::int64_t events = 0;    ///< of every kind
    std::int64_t refusals = 0;  ///< how often it ran out of memory
    std::int64_t segments = 0;  ///< this and the following: when the snapshot was taken
    std::int64_t blocks = 0;
    base::Bytes reserved = 0;   ///< all segments
    base::Bytes allocated = 0;  ///< the blocks in use, as large as the allocator made them
    bool operator==(const SnapshotDevice&) const = default;
};

/// The device to show first: the one with the most events of those that ran out of memory, if any did,
/// otherwise of all; of equals, that with the most reserved. -1 if none has events or segments.
std::int64_t chosenDevice(const std::vector<SnapshotDevice>& devices);

/// The contents of a snapshot's file, without its trace.
struct SnapshotInfo {
    std::int64_t fileBytes = 0;
    std::vector<SnapshotDevice> devices;  ///< by number; those without events and segments too
    std::int64_t device = -1;             ///< chosenDevice(devices)
    std::int64_t events = 0;              ///< of that device's trace
    base::Bytes peak = 0;                 ///< the highest total of allocated bytes
    std::int64_t skipped = 0;             ///< further events, which are inconsistent
};

/// Reads a file of torch.cuda.memory._dump_snapshot (or torch::cuda::_memory_snapshot_pickled), of PyTorch
/// 2.0 and later: the device that chosenDevice() names. The pickle is read as data: nothing in it is executed
/// or imported; an opcode that would do so, or an unknown one, is an error. Memory is bounded by the file's
/// size, there is no recursion, lengths and memo numbers are checked. Error (one line) if it is not a pickle,
/// is truncated, is not a snapshot (which key is missing), or has no history (how to record one).
///
/// Sizes are the requested ones; for blocks that are live at the end the reserved size is known too. A free
/// is placed where it completed. A block that is freed, or live at the end, but was never allocated, was
/// alive at the start. An inconsistent event is skipped; their number is in a label of the trace. Times count
/// from the first event; before PyTorch 2.1 there are none. Phases are those that frames name, and last until
/// a frame names another. Categories are taken from the frames where these tell (a workspace, the optimizer's
/// state, Module._apply, pinned memory). Otherwise they are guessed from the block's life: what outlives the
/// forward pass is an activation, the backward pass a gradient, the optimizer's step its state; what does not
/// is temporary. Labels are the innermost frame that is not PyTorch's own; layers are what
/// torch.cuda.memory._set_memory_metadata attached; steps are torch.profiler's.
///
/// `range` selects events of the trace that the whole file gives. Error if it begins outside of them.
base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range = {},
                                         const Progress& progress = {});
base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress = {});
/// Reads a snapshot from memory, for tests and fuzzing.
base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range = {});

}  // namespace highwater::capture
