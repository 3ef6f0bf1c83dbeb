#include "core/engine/books/trace_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace highwater::engine {

namespace {

using memory::Category;
using memory::TraceEvent;

/// The maximum number of events that may wait for a slow disk, about 50 MB. Beyond it the trace ends, so that
/// the step never waits.
constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
constexpr std::size_t kUsualChunk = std::size_t{1} << 14;
constexpr std::size_t kMostLabels = std::size_t{1} << 15;
constexpr std::uint32_t kMostBlocks = 0xfffffff0U;

}  // namespace

TraceBuffer::TraceBuffer(const TraceOptions& options) : options_(options) {
    chunk_.events.reserve(kUsualChunk);
    chunk_.blocks.reserve(kUsualChunk);
}

std::uint32_t TraceBuffer::alive(base::Bytes bytes, Category category, int layer) {
    chunk_.blocks.push_back({bytes, bytes, -1});
    chunk_.alive.push_back({next_, category, static_cast<std::int16_t>(layer)});
    return next_++;
}

std::uint32_t TraceBuffer::allocated(base::Bytes bytes, base::Bytes reserved, const Place& place) {
    guarded([&] {
        letGo();
        const char* const name = options_.operatorNow != nullptr ? options_.operatorNow() : nullptr;
        chunk_.blocks.push_back({bytes, reserved, labelOf(name)});
        note(TraceEvent::Kind::Allocate, next_, Category::Temporaries, place);
    });
    return next_++;
}

void TraceBuffer::undone(std::uint32_t block, const Place& place) {
    auto& events = chunk_.events;
    std::size_t i = events.size();
    while (i > 0 && events[i - 1].block != block) {
        --i;
    }
    if (i == 0) {
        return changed(TraceEvent::Kind::Free, block, Category::Temporaries, place);
    }
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    stepStart_ = std::min(stepStart_, recorded());
    for (memory::TraceStep& step : chunk_.steps) {
        step.event = std::min(step.event, static_cast<std::size_t>(recorded()));
    }
}

void TraceBuffer::changed(TraceEvent::Kind kind, std::uint32_t block, Category category, const Place& place) {
    guarded([&] { note(kind, block, category, place); });
}

void TraceBuffer::note(TraceEvent::Kind kind, std::uint32_t block, Category category, const Place& place) {
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
    auto& events = holds_ ? held_ : chunk_.events;
    events.push_back({time, block, static_cast<std::int16_t>(place.layer), kind, category, place.phase});
    if (chunk_.events.size() >= kMostWaiting) {
        close(fmt::format("the trace ends in step {}: it could not be written as fast as the run went on",
                          place.step));
    } else if (block >= kMostBlocks) {
        close(fmt::format("the trace ends in step {}: it has {} blocks", place.step, block));
    }
}

/// Runs `work`; if the host is out of memory, the trace ends. It must not throw, because the caller has
/// blocks to free.
template <class Work>
void TraceBuffer::guarded(Work work) {
    try {
        work();
    } catch (const std::bad_alloc&) {
        open_ = false;
        chunk_.note = "no memory";  // short enough to need no allocation
    }
}

void TraceBuffer::letGo() {
    holds_ = false;
    chunk_.events.insert(chunk_.events.end(), held_.begin(), held_.end());
    held_.clear();
}

void TraceBuffer::beginStep(int index) {
    letGo();
    const std::int64_t last = recorded() - stepStart_;
    stepStart_ = recorded();
    if (steps_ > 0 && stepStart_ + last > options_.mostEvents) {
        close(fmt::format("the trace holds the steps up to {}: another would exceed {} events", index - 1,
                          options_.mostEvents));
        return;
    }
    ++steps_;
    chunk_.steps.push_back({static_cast<std::size_t>(stepStart_), index});
}

void TraceBuffer::close(std::string why) {
    open_ = false;
    chunk_.note = std::move(why);
}

void TraceBuffer::take(memory::TraceChunk& empty) {
    taken_ = recorded();
    empty.clear();
    std::swap(chunk_, empty);
}

std::int32_t TraceBuffer::labelOf(const char* name) {
    if (name == nullptr || *name == '\0') {
        return -1;
    }
    const std::string_view text = name;
    if (const auto known = labels_.find(text); known != labels_.end()) {
        return known->second;
    }
    if (labels_.size() >= kMostLabels) {
        return -1;
    }
    const auto number = static_cast<std::int32_t>(labels_.size());
    labels_.emplace(text, number);
    chunk_.labels.emplace_back(text);
    return number;
}

}  // namespace highwater::engine
