#pragma once

#include <span>

#include "core/capture/history.h"

namespace highwater::capture {

/// The segments and blocks of a device as they were after the first `count` of its events, found by undoing
/// the others in what there is at the end. A block that was freed later is as large as its request, rounded
/// up to 512 bytes: the events do not say what the allocator added to it. Stacks and ages are those at that
/// moment. Events that contradict what is there are passed over. Error "cancelled".
base::Result<std::vector<HistorySegment>> segmentsAt(std::span<const HistoryEvent> events, std::size_t count,
                                                     const std::vector<HistorySegment>& atEnd,
                                                     const Progress& progress = {});

}  // namespace highwater::capture
