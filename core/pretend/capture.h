#pragma once

#include <cstdint>
#include <memory>

#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// Streams and events of the CUDA runtime, and what captures them into a graph.
namespace highwater::pretend {

struct Capture {
    unsigned long long id;
    std::uint64_t launchesBefore;
    bool active = true;
};

}  // namespace highwater::pretend

struct CUstream_st {
    unsigned flags;
    int priority;
    std::shared_ptr<highwater::pretend::Capture> capture;  // possibly of an earlier capture, which is no
                                                           // longer active
};
struct CUevent_st {
    std::uint64_t at;  // deviceTime()
    bool recorded;
    std::weak_ptr<highwater::pretend::Capture> capture;  // the capture in which it was recorded
};

namespace highwater::pretend {

// The handles 0, 1 and 2 are the default streams, which are not captured.
inline bool isOwn(cudaStream_t stream) {
    return reinterpret_cast<std::uintptr_t>(stream) > 2;
}

// The active capture that a stream belongs to, or null.
inline std::shared_ptr<Capture> captureOf(cudaStream_t stream) {
    return isOwn(stream) && stream->capture && stream->capture->active ? stream->capture : nullptr;
}

}  // namespace highwater::pretend
