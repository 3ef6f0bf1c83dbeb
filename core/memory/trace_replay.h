#pragma once

#include <vector>

#include "core/memory/trace.h"

namespace highwater::memory {

/// Follows a trace event by event: what lives, the ledger, and its peak. One byte a block.
class TraceReplay {
public:
    /// Blocks from here on have numbers below `count`; the new ones have not lived yet.
    void grow(std::size_t count) { states_.resize(count, kUnborn); }

    /// A block that lives at the start. Null, or what is wrong; then nothing changed.
    const char* begin(const TraceAlive& block, base::Bytes bytes);
    /// The next event, of a block with so many bytes. Null, or what is wrong; then nothing changed.
    const char* apply(const TraceEvent& event, base::Bytes bytes);

    bool lives(std::uint32_t block) const { return states_[block] < kCategoryCount; }
    /// Of a block that lives.
    Category category(std::uint32_t block) const { return static_cast<Category>(states_[block]); }

    const Ledger& ledger() const { return ledger_; }
    base::Bytes total() const { return total_; }
    /// Events are counted from the first that was applied.
    const TracePeak& peak() const { return peak_; }

private:
    static constexpr unsigned char kUnborn = 254, kDead = 255;
    const char* add(Category category, base::Bytes bytes);
    void notePeak(const TraceEvent& event);

    std::vector<unsigned char> states_;  ///< a category, or one of the two above
    Ledger ledger_;
    base::Bytes total_ = 0;
    TracePeak peak_;
    base::Bytes peakTotal_ = 0;
    Phase peakPhase_ = Phase::Setup;
    std::int16_t peakLayer_ = -1;
    std::ptrdiff_t applied_ = 0;
};

}  // namespace highwater::memory
