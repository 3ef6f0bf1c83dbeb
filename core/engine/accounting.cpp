#include "core/engine/accounting.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/engine/timeline.h"

namespace highwater::engine {

namespace {
constexpr std::size_t kMostPoints = std::size_t{1} << 15;
constexpr std::size_t kMostMarks = 8192;
}  // namespace

void Accounting::start(Bytes limit, const std::atomic<bool>* cancel) {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    cancel_ = cancel;
    allocations_ = 0;
    refuseIn_ = -1;
    refusal_.reset();
    place_ = {};
    runStart_ = stepStart_ = Clock::now();
    runPeak_ = stepPeak_ = {ledger_, 0, Phase::Setup, -1};
    runPeakTotal_ = stepPeakTotal_ = low_ = high_ = total_;
    peakAllocation_ = -1;
    merged_ = 0;
    record_ = false;
    points_.reserve(kMostPoints);
    marks_.reserve(kMostMarks);
}

void Accounting::stop() {
    const std::lock_guard lock(mutex_);
    limit_ = -1;
    refuseIn_ = -1;
    cancel_ = nullptr;
    record_ = false;
}

void Accounting::allocate(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed))
        throw Cancelled();
    if (refuseIn_ == 0 || (limit_ >= 0 && bytes > limit_ - total_))
        refuse(bytes);
    if (refuseIn_ > 0)
        --refuseIn_;
    ++allocations_;
    ledger_[Category::Temporaries] += bytes;
    total_ += bytes;
    changed();
}

void Accounting::refuse(Bytes bytes) {
    refuseIn_ = -1;
    if (!refusal_)
        refusal_ = Refusal{bytes, ledger_, place_, false};
    throw AllocationRefused("an allocation of " + base::formatBytes(bytes) + " was refused");
}

void Accounting::undo(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (peakAllocation_ == allocations_) {  // a peak that never was
        runPeak_ = earlier_.run;
        stepPeak_ = earlier_.step;
        runPeakTotal_ = earlier_.runTotal;
        stepPeakTotal_ = earlier_.stepTotal;
        peakAllocation_ = -1;
    }
    ledger_[Category::Temporaries] -= bytes;
    total_ -= bytes;
    if (!refusal_)
        refusal_ = Refusal{bytes, ledger_, place_, true};
    changed();
}

void Accounting::release(Bytes bytes, Category category) {
    const std::lock_guard lock(mutex_);
    ledger_[category] -= bytes;
    total_ -= bytes;
    if (category == Category::Activations)
        activations_.store(ledger_[category], std::memory_order_relaxed);
    changed();
}

void Accounting::retag(Bytes bytes, Category& tag, Category to, bool onlyTemporaries) {
    const std::lock_guard lock(mutex_);
    if (tag == to || (onlyTemporaries && tag != Category::Temporaries))
        return;
    ledger_[tag] -= bytes;
    ledger_[to] += bytes;
    tag = to;
    activations_.store(ledger_[Category::Activations], std::memory_order_relaxed);
    // At the peak itself, the split is the one that the step settles on: an output becomes an activation
    // only when its layer returns it, with the total unchanged.
    if (total_ == stepPeakTotal_ && stepPeak_.layer == place_.layer && stepPeak_.phase == place_.phase)
        stepPeak_.ledger = ledger_;
    if (total_ == runPeakTotal_ && runPeak_.layer == place_.layer && runPeak_.phase == place_.phase)
        runPeak_.ledger = ledger_;
    changed();
}

void Accounting::changed() {
    ++merged_;
    low_ = std::min(low_, total_);
    high_ = std::max(high_, total_);
    const bool stepPeak = total_ > stepPeakTotal_;
    if (!record_ && !stepPeak)
        return;
    const double now = millis(stepStart_);
    if (stepPeak) {
        earlier_ = {runPeak_, stepPeak_, runPeakTotal_, stepPeakTotal_};
        peakAllocation_ = allocations_;
        stepPeakTotal_ = total_;
        stepPeak_ = {ledger_, now, place_.phase, place_.layer};
        if (total_ > runPeakTotal_) {
            runPeakTotal_ = total_;
            runPeak_ = stepPeak_;
        }
    }
    if (!record_)
        return;
    if (points_.size() == kMostPoints)
        points_ = thin(points_, kMostPoints / 4), points_.reserve(kMostPoints);
    points_.push_back({now, ledger_});
}

void Accounting::enter(Phase phase, int layer) {
    const std::lock_guard lock(mutex_);
    if (place_.phase == phase && place_.layer == layer)
        return;
    place_.phase = phase;
    place_.layer = layer;
    if (record_ && marks_.size() < kMostMarks)
        marks_.push_back({millis(stepStart_), phase, layer});
}

void Accounting::beginStep(int index, bool record) {
    const std::lock_guard lock(mutex_);
    place_ = {index, Phase::Data, -1};
    stepStart_ = Clock::now();
    stepPeakTotal_ = total_;
    stepPeak_ = {ledger_, 0, Phase::Data, -1};
    if (total_ > runPeakTotal_) {
        runPeakTotal_ = total_;
        runPeak_ = stepPeak_;
    }
    record_ = record;
    points_.clear();
    marks_.clear();
    if (record) {
        points_.push_back({0, ledger_});
        marks_.push_back({0, Phase::Data, -1});
    }
}

StepMemory Accounting::endStep() {
    constexpr std::size_t kTimelinePoints = 400;
    const std::lock_guard lock(mutex_);
    StepMemory step{stepPeak_, {}, {}};
    if (record_) {
        points_.push_back({millis(stepStart_), ledger_});
        step.timeline = thin(points_, kTimelinePoints);
        step.marks = marks_;
    }
    record_ = false;
    return step;
}

void Accounting::checkCancel() const {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed))
        throw Cancelled();
}

Ledger Accounting::ledger() const {
    const std::lock_guard lock(mutex_);
    return ledger_;
}

Place Accounting::place() const {
    const std::lock_guard lock(mutex_);
    return place_;
}

wire::PeakMoment Accounting::peak() const {
    const std::lock_guard lock(mutex_);
    return runPeak_;
}

std::optional<Refusal> Accounting::refusal() const {
    const std::lock_guard lock(mutex_);
    return refusal_;
}

std::int64_t Accounting::allocations() const {
    const std::lock_guard lock(mutex_);
    return allocations_;
}

std::optional<wire::LedgerSample> Accounting::sample() {
    const std::lock_guard lock(mutex_);
    if (merged_ == 0)
        return std::nullopt;
    wire::LedgerSample sample{millis(runStart_), ledger_, low_, high_, merged_, place_.step, place_.phase};
    low_ = high_ = total_;
    merged_ = 0;
    return sample;
}

void Accounting::refuseAfter(std::int64_t n) {
    const std::lock_guard lock(mutex_);
    refuseIn_ = n;
}

double Accounting::millis(Clock::time_point since) const {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

}  // namespace highwater::engine
