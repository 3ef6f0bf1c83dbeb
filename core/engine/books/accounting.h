#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/engine/books/trace_buffer.h"
#include "core/memory/ledger.h"
#include "core/wire/events.h"

/// The books of the allocator: plain C++, no LibTorch. Every change happens under one lock, so that whoever
/// reads sees categories that sum to the total.
namespace highwater::engine {

using base::Bytes;
using memory::Category;
using memory::Ledger;
using wire::Phase;

/// An allocation that was not made.
struct Refusal {
    Bytes requested = 0;
    Ledger ledger;  ///< at that moment
    Place place;
    bool bySystem = false;  ///< within the limit, but the memory could not be had
};

/// Thrown out of the allocator when an allocation would pass the limit.
struct AllocationRefused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thrown out of the allocator, or at a layer's boundary, once cancel was asked for.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

/// One step's memory. Times are milliseconds since the step's start.
struct StepMemory {
    wire::PeakMoment peak;                      ///< exact, not sampled
    std::vector<wire::TimelinePoint> timeline;  ///< at most 400 points; empty unless the step was recorded
    std::vector<wire::PhaseMark> marks;
};

/// A block that lives, as the books know it; numbers are used again.
using BlockId = std::uint32_t;

class Accounting {
public:
    using Clock = std::chrono::steady_clock;

    /// Begins a run: peaks start at the present ledger. `limit` is the most bytes allowed in all; `cancel` is
    /// looked at before every allocation.
    void start(Bytes limit, const std::atomic<bool>* cancel);
    /// Ends a run: nothing is refused any more.
    void stop();

    /// Keeps every event from here on, for takeTrace(). What lives now is alive at the trace's start.
    void startTrace(const TraceOptions& options);
    /// Ends it; what nobody took is gone.
    void stopTrace();
    /// Swaps the events since the last call for an empty chunk (its vectors' memory is used again); false
    /// when there are none. While an allocation is being made there are none either, unless it is the `last`
    /// call: if the memory cannot be had, its event is taken back.
    bool takeTrace(memory::TraceChunk& chunk, bool last = false);
    /// Ends the trace early, for this reason.
    void closeTrace(const std::string& why);

    // The allocator's side, on any thread.
    /// As temporaries; throws AllocationRefused or Cancelled, then nothing changed. made() or undo() follows.
    BlockId allocate(Bytes bytes);
    void made() { making_.fetch_sub(1, std::memory_order_relaxed); }
    void undo(BlockId block);  ///< the memory behind allocate() could not be had
    /// For a device whose allocator only reports: as temporaries, whatever the limit. `reserved`: what it
    /// takes.
    BlockId add(Bytes bytes, Bytes reserved);
    /// The same: it could not give so much. The latest is what refusal() gives.
    void refused(Bytes bytes);
    void release(BlockId block);
    /// Moves an allocation to another category. With `onlyTemporaries`, allocations that have another
    /// category stay as they are.
    void retag(BlockId block, Category to, bool onlyTemporaries);
    Category categoryOf(BlockId block) const;

    // The training thread's side.
    void enter(Phase phase, int layer);
    void beginStep(int index, bool record);
    StepMemory endStep();
    void checkCancel() const;  ///< throws Cancelled

    // Any thread.
    Ledger ledger() const;
    Bytes activations() const { return activations_.load(std::memory_order_relaxed); }
    Place place() const;
    wire::PeakMoment peak() const;  ///< over the run; its time is since the start of its step
    std::optional<Refusal> refusal() const;
    std::int64_t allocations() const;  ///< made since start()
    Bytes total() const;
    /// What changed since the last call; nothing when nothing did.
    std::optional<wire::LedgerSample> sample();

    /// For tests: refuses the n-th allocation from now (0 the next); negative: never.
    void refuseAfter(std::int64_t n);

private:
    struct Block {
        Bytes bytes = 0;
        std::uint32_t number = kNoNumber;  ///< in the trace
        std::int16_t layer = -1;
        Category category = Category::Temporaries;
        bool lives = false;
    };
    static constexpr std::uint32_t kNoNumber = 0xffffffff;
    BlockId enlist(Bytes bytes);
    void forget(BlockId block);
    bool traces(const Block& block) const { return trace_ && trace_->open() && block.number != kNoNumber; }
    void changed();
    double millis(Clock::time_point since) const;
    [[noreturn]] void refuse(Bytes bytes);

    mutable std::mutex mutex_;
    Ledger ledger_;
    Bytes total_ = 0;
    std::atomic<Bytes> activations_{0};
    Bytes limit_ = -1;
    const std::atomic<bool>* cancel_ = nullptr;
    std::int64_t allocations_ = 0, refuseIn_ = -1;
    std::vector<Block> blocks_;
    std::vector<BlockId> vacant_;  ///< with room for all of blocks_
    std::unique_ptr<TraceBuffer> trace_;
    std::atomic<int> making_{0};
    std::optional<Refusal> refusal_;
    Place place_;
    Clock::time_point runStart_{}, stepStart_{};
    wire::PeakMoment runPeak_, stepPeak_;
    Bytes runPeakTotal_ = 0, stepPeakTotal_ = 0;
    struct Peaks {
        wire::PeakMoment run, step;
        Bytes runTotal = 0, stepTotal = 0;
    };
    Peaks earlier_;                     ///< before the step's present peak, for undo()
    std::int64_t peakAllocation_ = -1;  ///< the allocation that made the step's present peak
    bool record_ = false;
    std::vector<wire::TimelinePoint> points_;
    std::vector<wire::PhaseMark> marks_;
    Bytes low_ = 0, high_ = 0;
    std::int64_t merged_ = 0;
};

}  // namespace highwater::engine
