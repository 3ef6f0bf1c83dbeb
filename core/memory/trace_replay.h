#pragma once

#include <vector>

#include "core/memory/trace.h"

namespace highwater::memory {

/// Replays a trace event by event and keeps the live blocks, the ledger and its peak. Uses one byte per
/// block.
class TraceReplay {
public:
    /// Allows block numbers below `count`. The new blocks have not been allocated yet.
    void grow(std::size_t count) { states_.resize(count, kUnborn); }

    /// Adds a block of `bytes` that is live at the start. Returns nullptr, or an error message; nothing
    /// changes then.
    const char* begin(const TraceAlive& block, base::Bytes bytes);
    /// Applies the next event, for a block of `bytes`. Returns nullptr, or an error message; nothing changes
    /// then.
    const char* apply(const TraceEvent& event, base::Bytes bytes);

    bool lives(std::uint32_t block) const { return states_[block] < kCategoryCount; }
    /// The category of a live block.
    Category category(std::uint32_t block) const { return static_cast<Category>(states_[block]); }

    const Ledger& ledger() const { return ledger_; }
    base::Bytes total() const { return total_; }
    /// Events are counted from the first one applied.
    const TracePeak& peak() const { return peak_; }

private:
    static constexpr unsigned char kUnborn = 254, kDead = 255;
    const char* add(Category category, base::Bytes bytes);
    void notePeak(const TraceEvent& event);

    std::vector<unsigned char> states_;  ///< per block: a category, or one of the two values above
    Ledger ledger_;
    base::Bytes total_ = 0;
    TracePeak peak_;
    base::Bytes peakTotal_ = 0;
    Phase peakPhase_ = Phase::Setup;
    std::int16_t peakLayer_ = -1;
    std::ptrdiff_t applied_ = 0;
};

}  // namespace highwater::memory
