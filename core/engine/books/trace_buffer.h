#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "core/memory/trace_chunk.h"

namespace highwater::engine {

/// Where the training thread is.
struct Place {
    int step = 0;
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;  ///< index into Started::layers, or -1
};

struct TraceOptions {
    /// The trace ends at the first step's start at which one more step like the last would pass this number.
    std::int64_t mostEvents = 2'000'000;
    /// The operator that the calling thread is in, null for none; its text may go away when it returns.
    const char* (*operatorNow)() = nullptr;
};

/// The events of a run that nobody has taken yet. Used under Accounting's lock; each note costs a clock read
/// and a push_back.
class TraceBuffer {
public:
    explicit TraceBuffer(const TraceOptions& options);

    /// A block from before the trace; its number. Only before the first event.
    std::uint32_t alive(base::Bytes bytes, memory::Category category, int layer);
    /// A new block; its number.
    std::uint32_t allocated(base::Bytes bytes, base::Bytes reserved, const Place& place);
    /// The newest events are taken back: the block's memory could not be had.
    void undone(std::uint32_t block, const Place& place);
    void changed(memory::TraceEvent::Kind kind, std::uint32_t block, memory::Category category,
                 const Place& place);
    void beginStep(int index);

    /// False: the trace has ended early, nothing more is noted.
    bool open() const { return open_; }
    void close(std::string why);
    /// Swaps what there is for an empty chunk.
    void take(memory::TraceChunk& empty);

private:
    template <class Work>
    void guarded(Work work);
    using Clock = std::chrono::steady_clock;
    std::int32_t labelOf(const char* name);
    std::int64_t recorded() const { return taken_ + static_cast<std::int64_t>(chunk_.events.size()); }
    void note(memory::TraceEvent::Kind kind, std::uint32_t block, memory::Category category,
              const Place& place);

    TraceOptions options_;
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
