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

/// The accounting of allocations ("the books"): the ledger by category, peaks, limit and trace. Plain C++, no
/// LibTorch. Every change happens under one lock, so a reader always sees categories that sum to the total.
namespace highwater::engine {

using base::Bytes;
using memory::Category;
using memory::Ledger;
using wire::Phase;

/// An allocation that was refused.
struct Refusal {
    Bytes requested = 0;
    Ledger ledger;  ///< at the refusal
    Place place;
    bool bySystem = false;  ///< not refused by the limit: the system could not provide the memory
};

/// Thrown by the allocator if an allocation would exceed the limit.
struct AllocationRefused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Thrown by the allocator or at a layer's boundary after the run was cancelled.
struct Cancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

/// The memory of one step. Times are milliseconds since the step's start.
struct StepMemory {
    wire::PeakMoment peak;                      ///< exact, not sampled
    std::vector<wire::TimelinePoint> timeline;  ///< at most 400 points; empty unless the step was recorded
    std::vector<wire::PhaseMark> marks;
};

/// Identifies a live block in the books. Ids are reused after the block is freed.
using BlockId = std::uint32_t;

class Accounting {
public:
    using Clock = std::chrono::steady_clock;

    /// Begins a run: peaks start at the current ledger. `limit` is the largest allowed total in bytes,
    /// negative: no limit; `cancel` is checked before every allocation.
    void start(Bytes limit, const std::atomic<bool>* cancel);
    /// Ends a run: limit and cancel no longer apply.
    void stop();

    /// Records every event from now on, for takeTrace(). Blocks that are live now are listed as live at the
    /// trace's start.
    void startTrace(const TraceOptions& options);
    /// Ends the trace; events that were not taken are discarded.
    void stopTrace();
    /// Moves the events since the last call into `chunk`, which is cleared first (its vectors' memory is
    /// reused). False if there are none. Unless this is the `last` call, also false while an allocation is in
    /// progress: if it fails, its event is removed again.
    bool takeTrace(memory::TraceChunk& chunk, bool last = false);
    /// Ends the trace early, for this reason.
    void closeTrace(const std::string& why);

    // For the allocator, on any thread.
    /// Records a block as temporaries before its memory is allocated; made() or undo() must follow. Throws
    /// AllocationRefused or Cancelled, in which case the ledger is unchanged.
    BlockId allocate(Bytes bytes);
    void made() { making_.fetch_sub(1, std::memory_order_relaxed); }
    void undo(BlockId block);  ///< the memory for this block could not be allocated
    /// For a device whose allocator reports after the fact: records a block as temporaries without checking
    /// the limit. `reserved`: the bytes that the block takes.
    BlockId add(Bytes bytes, Bytes reserved);
    /// For such a device: an allocation of `bytes` failed. refusal() returns the latest one.
    void refused(Bytes bytes);
    void release(BlockId block);
    /// Moves a block to another category. With `onlyTemporaries`, only if it is in the category temporaries.
    void retag(BlockId block, Category to, bool onlyTemporaries);
    Category categoryOf(BlockId block) const;

    // For the training thread.
    void enter(Phase phase, int layer);
    void beginStep(int index, bool record);
    StepMemory endStep();
    void checkCancel() const;  ///< throws Cancelled

    // Any thread.
    Ledger ledger() const;
    Bytes activations() const { return activations_.load(std::memory_order_relaxed); }
    Place place() const;
    wire::PeakMoment peak() const;  ///< the run's peak; its time is relative to the start of its step
    std::optional<Refusal> refusal() const;
    std::int64_t allocations() const;  ///< number of allocations since start()
    Bytes total() const;
    /// The ledger, with the lowest and highest total since the last call; std::nullopt if nothing has
    /// changed. After a refusal or a cancellation it is the ledger of that moment, once, until the next
    /// allocation: memory that the exception frees is not part of the step.
    std::optional<wire::LedgerSample> sample();

    /// For tests: refuses the n-th allocation from now (0 the next); negative: never.
    void refuseAfter(std::int64_t n);

private:
    struct Block {
        Bytes bytes = 0;
        std::uint32_t number = kNoNumber;  ///< number in the trace
        std::int16_t layer = -1;
        Category category = Category::Temporaries;
        bool lives = false;
    };
    static constexpr std::uint32_t kNoNumber = 0xffffffff;
    BlockId enlist(Bytes bytes);
    void forget(BlockId block);
    bool traces(const Block& block) const { return trace_ && trace_->open() && block.number != kNoNumber; }
    void changed();
    void unwinds();
    void goesOn();
    wire::LedgerSample present() const;
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
    std::vector<BlockId>
        vacant_;  ///< free ids; has capacity for all of blocks_, so that release() never allocates memory
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
    Peaks earlier_;                     ///< the peaks before the step's current peak, for undo()
    std::int64_t peakAllocation_ = -1;  ///< the allocation that reached the step's current peak
    bool record_ = false;
    std::vector<wire::TimelinePoint> points_;
    std::vector<wire::PhaseMark> marks_;
    Bytes low_ = 0, high_ = 0;
    std::int64_t merged_ = 0;
    /// An allocation was refused or cancelled. Later frees belong to the run only if another allocation
    /// follows.
    bool unwinds_ = false;
    std::optional<wire::LedgerSample> before_;  ///< the sample just before that, if it was not taken yet
};

}  // namespace highwater::engine
