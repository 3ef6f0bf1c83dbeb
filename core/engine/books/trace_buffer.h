#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/memory/trace_chunk.h"

namespace highwater::engine {

/// The training thread's current step, phase and layer.
struct Place {
    int step = 0;
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;  ///< index into Started::layers, or -1
};

struct TraceOptions {
    /// The trace contains whole steps: it ends at the start of a step if one more step like the last one
    /// would exceed this number of events.
    std::int64_t mostEvents = 2'000'000;
    /// Returns the calling thread's current operator, null for none. The text need not outlive the operator.
    const char* (*operatorNow)() = nullptr;
};

/// The events of a run that were not taken yet. Used under Accounting's lock; each event costs one clock read
/// and one push_back.
class TraceBuffer {
public:
    explicit TraceBuffer(const TraceOptions& options);

    /// Adds an earlier block and returns its number. Call only before the first event.
    std::uint32_t alive(base::Bytes bytes, memory::Category category, int layer);
    /// Adds a new block and returns its number.
    std::uint32_t allocated(base::Bytes bytes, base::Bytes reserved, const Place& place);
    /// Removes the event of a block's allocation, which failed.
    void undone(std::uint32_t block, const Place& place);
    void changed(memory::TraceEvent::Kind kind, std::uint32_t block, memory::Category category,
                 const Place& place);
    void beginStep(int index);
    /// From now on frees and retags are held back until the next allocation or step: if none follows, an
    /// exception caused them, and they are not part of the trace.
    void hold() { holds_ = true; }

    /// False if the trace has ended early; nothing is recorded then.
    bool open() const { return open_; }
    void close(std::string why);
    /// Moves the events into `empty`, whose vectors' memory is reused.
    void take(memory::TraceChunk& empty);

private:
    template <class Work>
    void guarded(Work work);
    using Clock = std::chrono::steady_clock;
    std::int32_t labelOf(const char* name);
    std::int64_t recorded() const { return taken_ + static_cast<std::int64_t>(chunk_.events.size()); }
    void note(memory::TraceEvent::Kind kind, std::uint32_t block, memory::Category category,
              const Place& place);

    void letGo();

    TraceOptions options_;
    bool holds_ = false;
    std::vector<memory::TraceEvent> held_;
    memory::TraceChunk chunk_;
    Clock::time_point start_ = Clock::now();
    std::int64_t taken_ = 0, stepStart_ = 0;
    std::uint32_t next_ = 0;
    int steps_ = 0;
    bool open_ = true;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> labels_;
};

}  // namespace highwater::engine
