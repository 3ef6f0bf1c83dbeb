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
    /// PyTorch's memory snapshot, pickle protocol 4, as torch/cuda/_memory_viz.py and pytorch.org/memory_viz
    /// read
    /// it. Label, layer, phase and category are an event's frames; a block has the category that it ends in,
    /// for
    /// a snapshot has no retags. Times are whole microseconds. The addresses are made up: one segment that
    /// holds
    /// every block, so that what a viewer says of segments and fragmentation says nothing about the run. Read
    /// back, it is the same trace but for these.
    Snapshot,
    /// Chrome trace JSON (Perfetto, chrome://tracing): slices of the steps, the phases and the layers, and
    /// the
    /// bytes by category as counters. Beyond 100,000 events the counters are thinned to the lowest and the
    /// highest total of every so many, which `otherData` says; the peak is among them.
    Chrome,
    /// One event a line, after a header line and what is alive at the start (as "alive", without a number).
    /// `allocated_bytes` is the total after the event. RFC 4180, lines end in a line feed.
    Csv
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
/// PyTorch 2.0 and later: the device with the most events. The pickle is read as data: nothing in it is
/// executed or imported, what would is an error, and so is an unknown opcode. Memory is bounded by the file's
/// size, there is no recursion, lengths and memo numbers are checked. Errors, one line: not a pickle,
/// truncated, not a snapshot (which key is missing), no history (how to record one).
///
/// Sizes are what was asked; of what lives at the end the reserved size is known too. A free is where it
/// completed. What is freed, or is there at the end, and was never allocated was alive at the start. An event
/// that makes no sense is skipped, and their number is in a label of the trace. Times count from the first
/// event; before PyTorch 2.1 there are none. Phases are those that the frames name, and stay until they name
/// another. Categories are guessed from the frames where they say it (a workspace, the optimizer's state,
/// Module._apply, pinned memory), else from the block's life: what outlives the forward pass is an
/// activation, the backward pass a gradient, the optimizer its state, what does not is temporary. Labels are
/// the innermost frame that is not PyTorch's own; layers are what torch.cuda.memory._set_memory_metadata
/// attached; steps are torch.profiler's.
///
/// `range` counts the events of the trace that the whole file gives; beginning outside of it is an error.
base::Result<memory::Trace> readSnapshot(const std::filesystem::path& file, std::optional<Range> range = {},
                                         const Progress& progress = {});
base::Result<SnapshotInfo> inspectSnapshot(const std::filesystem::path& file, const Progress& progress = {});
/// The same from memory, for tests and fuzzing.
base::Result<memory::Trace> readSnapshotBytes(std::string_view bytes, std::optional<Range> range = {});

}  // namespace highwater::capture
