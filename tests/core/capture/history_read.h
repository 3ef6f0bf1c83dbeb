#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/capture/history.h"
#include "core/memory/allocator_config.h"

/// The whole of a snapshot, as the replay of it needs.
namespace highwater::capture {

struct DeviceHistory {
    std::int64_t device = 0;
    std::vector<HistoryEvent> events;      ///< oldest first; the oldest ones may have been dropped
    std::vector<HistorySegment> segments;  ///< at the time of the snapshot
};

/// The allocator's settings given in the file (PyTorch 2.3 and later).
struct HistorySettings {
    std::string text;  ///< PYTORCH_CUDA_ALLOC_CONF; a long one is cut
    base::Bytes maxSplitSize = memory::kUnlimited;
    bool expandableSegments = false;
    std::array<std::int64_t, memory::kRoundupIntervals> roundupDivisions{};
};

/// The PyTorch releases that write a file with these fields.
struct TorchSpan {
    memory::TorchVersion first{2, 0};
    std::optional<memory::TorchVersion> last;  ///< none: no later release is known to write different fields
    bool operator==(const TorchSpan&) const = default;
};

struct History {
    std::vector<DeviceHistory> devices;  ///< by number, including those without events or segments
    std::optional<HistorySettings> settings;
    TorchSpan torch;
    bool own = false;  ///< written by Highwater: one segment with synthetic addresses
};

/// Reads a file of torch.cuda.memory._dump_snapshot(), or a pickled torch.cuda.memory_snapshot(), which is a
/// list of segments, from PyTorch 2.0 or later. Read as data and with bounded memory, as readSnapshot() does.
/// Stacks and ages of blocks are left out. The numbers are not validated: addresses and sizes may contradict
/// each other. Error (one line) if it is not a pickle, is truncated, or is not a snapshot.
base::Result<History> readHistory(const std::filesystem::path& file, const Progress& progress = {});
/// The same from memory.
base::Result<History> readHistoryBytes(std::string_view bytes);

}  // namespace highwater::capture
