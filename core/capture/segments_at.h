#pragma once

#include <span>

#include "core/capture/history.h"

namespace highwater::capture {

/// The segments and blocks of a device after the first `count` of its events, found by undoing the later ones
/// from the state at the end. A block that was freed later has the size of its request rounded up to 512
/// bytes: the events do not record what the allocator added to it. Stacks and ages are those at that moment.
/// Events that contradict the state are skipped. Error "cancelled".
base::Result<std::vector<HistorySegment>> segmentsAt(std::span<const HistoryEvent> events, std::size_t count,
                                                     const std::vector<HistorySegment>& atEnd,
                                                     const Progress& progress = {});

}  // namespace highwater::capture
