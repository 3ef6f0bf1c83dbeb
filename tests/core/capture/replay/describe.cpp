#include "tests/core/capture/replay/describe.h"

#include <fmt/format.h>

namespace highwater::capture {

namespace {

using Kind = HistoryEvent::Kind;

/// PyTorch's names of the kinds.
const char* nameOf(Kind kind) {
    constexpr const char* names[] = {"another event", "alloc",        "free_requested", "free_completed",
                                     "segment_alloc", "segment_free", "segment_map",    "segment_unmap",
                                     "oom",           "snapshot"};
    return names[static_cast<std::size_t>(kind)];
}

Kind kindOf(memory::DeviceEvent::Kind kind) {
    using enum memory::DeviceEvent::Kind;
    switch (kind) {
        case Allocate:
            return Kind::Allocate;
        case FreeRequested:
            return Kind::FreeRequested;
        case FreeCompleted:
            return Kind::FreeCompleted;
        case SegmentAllocate:
            return Kind::SegmentAllocate;
        case SegmentFree:
            return Kind::SegmentFree;
        case SegmentMap:
            return Kind::SegmentMap;
        case SegmentUnmap:
            return Kind::SegmentUnmap;
        case OutOfMemory:
            return Kind::OutOfMemory;
    }
    return Kind::Other;
}

}  // namespace

std::string describe(const HistoryEvent& event) {
    if (event.kind == Kind::OutOfMemory) {
        return fmt::format("oom, {} B requested", event.size);
    }
    return fmt::format("{} {} B at {:#x}", nameOf(event.kind), event.size, event.address);
}

std::string describe(const memory::DeviceEvent& event) {
    HistoryEvent same;
    same.kind = kindOf(event.kind);
    same.address = static_cast<std::uint64_t>(event.address);
    same.size = event.bytes;
    return describe(same);
}

}  // namespace highwater::capture
