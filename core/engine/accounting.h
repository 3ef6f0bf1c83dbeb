#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/memory/ledger.h"
#include "core/wire/events.h"

/// The books of the allocator: plain C++, no LibTorch. Every change happens under one lock, so that whoever
/// reads sees categories that sum to the total.
namespace highwater::engine {

using base::Bytes;
using memory::Category;
using memory::Ledger;
using wire::Phase;

/// Where the training thread is.
struct Place {
    int step = 0;
    Phase phase = Phase::Setup;
    int layer = -1;  ///< index into Started::layers, or -1
};

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

class Accounting {
public:
    using Clock = std::chrono::steady_clock;

    /// Begins a run: peaks start at the present ledger. `limit` is the most bytes allowed in all; `cancel` is
    /// looked at before every allocation.
    void start(Bytes limit, const std::atomic<bool>* cancel);
    /// Ends a run: nothing is refused any more.
    void stop();

    // The allocator's side, on any thread.
    void allocate(
        Bytes bytes);        ///< as temporaries; throws AllocationRefused or Cancelled, then nothing changed
    void undo(Bytes bytes);  ///< the memory behind allocate() could not be had
    void release(Bytes bytes, Category category);
    /// Moves an allocation to another category; `tag` is where it keeps its own. With `onlyTemporaries`,
    /// allocations that have another category stay as they are.
    void retag(Bytes bytes, Category& tag, Category to, bool onlyTemporaries);

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
    /// What changed since the last call; nothing when nothing did.
    std::optional<wire::LedgerSample> sample();

    /// For tests: refuses the n-th allocation from now (0 the next); negative: never.
    void refuseAfter(std::int64_t n);

private:
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
