#include "core/engine/books/accounting.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/wire/timeline.h"

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
    unwinds_ = false;
    before_.reset();
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

void Accounting::startTrace(const TraceOptions& options) {
    const std::lock_guard lock(mutex_);
    trace_ = std::make_unique<TraceBuffer>(options);
    for (Block& block : blocks_) {
        block.number = block.lives ? trace_->alive(block.bytes, block.category, block.layer) : kNoNumber;
    }
}

void Accounting::stopTrace() {
    const std::lock_guard lock(mutex_);
    trace_.reset();
    for (Block& block : blocks_) {
        block.number = kNoNumber;
    }
}

bool Accounting::takeTrace(memory::TraceChunk& chunk, bool last) {
    chunk.clear();
    const std::lock_guard lock(mutex_);
    if (!trace_ || (!last && making_.load(std::memory_order_relaxed) != 0)) {
        return false;
    }
    trace_->take(chunk);
    return !chunk.empty();
}

void Accounting::closeTrace(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (trace_ && trace_->open()) {
        trace_->close(why);
    }
}

BlockId Accounting::allocate(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
        unwinds();
        throw Cancelled();
    }
    if (refuseIn_ == 0 || (limit_ >= 0 && bytes > limit_ - total_)) {
        refuse(bytes);
    }
    goesOn();
    const BlockId id = enlist(bytes);
    if (refuseIn_ > 0) {
        --refuseIn_;
    }
    ++allocations_;
    making_.fetch_add(1, std::memory_order_relaxed);
    if (trace_ && trace_->open()) {
        blocks_[id].number = trace_->allocated(bytes, bytes, place_);
    }
    ledger_[Category::Temporaries] += bytes;
    total_ += bytes;
    changed();
    return id;
}

BlockId Accounting::add(Bytes bytes, Bytes reserved) {
    const std::lock_guard lock(mutex_);
    goesOn();
    const BlockId id = enlist(bytes);
    ++allocations_;
    if (trace_ && trace_->open()) {
        blocks_[id].number = trace_->allocated(bytes, reserved, place_);
    }
    ledger_[Category::Temporaries] += bytes;
    total_ += bytes;
    changed();
    return id;
}

void Accounting::refused(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    refusal_ = Refusal{bytes, ledger_, place_, true};
    unwinds();
}

BlockId Accounting::enlist(Bytes bytes) {
    if (vacant_.empty()) {
        blocks_.emplace_back();
        vacant_.reserve(blocks_.capacity());
        vacant_.push_back(static_cast<BlockId>(blocks_.size() - 1));
    }
    const BlockId id = vacant_.back();
    vacant_.pop_back();
    blocks_[id] = {bytes, kNoNumber, static_cast<std::int16_t>(place_.layer), Category::Temporaries, true};
    return id;
}

void Accounting::forget(BlockId block) {
    blocks_[block].lives = false;
    vacant_.push_back(block);
}

void Accounting::refuse(Bytes bytes) {
    refuseIn_ = -1;
    if (!refusal_) {
        refusal_ = Refusal{bytes, ledger_, place_, false};
    }
    unwinds();
    throw AllocationRefused("an allocation of " + base::formatBytes(bytes) + " was refused");
}

void Accounting::undo(BlockId block) {
    const std::lock_guard lock(mutex_);
    made();
    if (peakAllocation_ == allocations_) {  // the peak was this block's: restore the one before
        runPeak_ = earlier_.run;
        stepPeak_ = earlier_.step;
        runPeakTotal_ = earlier_.runTotal;
        stepPeakTotal_ = earlier_.stepTotal;
        peakAllocation_ = -1;
    }
    const auto [bytes, number, layer, category, lives] = blocks_[block];
    if (trace_ && number != kNoNumber) {
        trace_->undone(number, place_);
    }
    ledger_[category] -= bytes;
    total_ -= bytes;
    if (!refusal_) {
        refusal_ = Refusal{bytes, ledger_, place_, true};
    }
    forget(block);
    changed();
    unwinds();
}

void Accounting::release(BlockId block) {
    const std::lock_guard lock(mutex_);
    const Block& freed = blocks_[block];
    if (traces(freed)) {
        trace_->changed(memory::TraceEvent::Kind::Free, freed.number, freed.category, place_);
    }
    ledger_[freed.category] -= freed.bytes;
    total_ -= freed.bytes;
    if (freed.category == Category::Activations) {
        activations_.store(ledger_[Category::Activations], std::memory_order_relaxed);
    }
    forget(block);
    changed();
}

void Accounting::retag(BlockId block, Category to, bool onlyTemporaries) {
    const std::lock_guard lock(mutex_);
    Block& moved = blocks_[block];
    if (moved.category == to || (onlyTemporaries && moved.category != Category::Temporaries)) {
        return;
    }
    ledger_[moved.category] -= moved.bytes;
    ledger_[to] += moved.bytes;
    moved.category = to;
    if (traces(moved)) {
        trace_->changed(memory::TraceEvent::Kind::Retag, moved.number, to, place_);
    }
    activations_.store(ledger_[Category::Activations], std::memory_order_relaxed);
    // A retag at the peak updates the peak's ledger: an output becomes an activation only when its layer
    // returns it, with the total unchanged.
    if (total_ == stepPeakTotal_ && stepPeak_.layer == place_.layer && stepPeak_.phase == place_.phase) {
        stepPeak_.ledger = ledger_;
    }
    if (total_ == runPeakTotal_ && runPeak_.layer == place_.layer && runPeak_.phase == place_.phase) {
        runPeak_.ledger = ledger_;
    }
    changed();
}

Category Accounting::categoryOf(BlockId block) const {
    const std::lock_guard lock(mutex_);
    return blocks_[block].category;
}

void Accounting::changed() {
    ++merged_;
    low_ = std::min(low_, total_);
    high_ = std::max(high_, total_);
    const bool stepPeak = total_ > stepPeakTotal_;
    if (!record_ && !stepPeak) {
        return;
    }
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
    if (!record_) {
        return;
    }
    if (points_.size() == kMostPoints) {
        points_ = wire::thin(points_, kMostPoints / 4), points_.reserve(kMostPoints);
    }
    points_.push_back({now, ledger_});
}

void Accounting::enter(Phase phase, int layer) {
    const std::lock_guard lock(mutex_);
    if (place_.phase == phase && place_.layer == layer) {
        return;
    }
    place_.phase = phase;
    place_.layer = layer;
    if (record_ && marks_.size() < kMostMarks) {
        marks_.push_back({millis(stepStart_), phase, layer});
    }
}

void Accounting::beginStep(int index, bool record) {
    const std::lock_guard lock(mutex_);
    place_ = {index, Phase::Data, -1};
    if (trace_ && trace_->open()) {
        trace_->beginStep(index);
    }
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
        step.timeline = wire::thin(points_, kTimelinePoints);
        step.marks = marks_;
    }
    record_ = false;
    return step;
}

void Accounting::checkCancel() const {
    if (cancel_ != nullptr && cancel_->load(std::memory_order_relaxed)) {
        throw Cancelled();
    }
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

Bytes Accounting::total() const {
    const std::lock_guard lock(mutex_);
    return total_;
}

wire::LedgerSample Accounting::present() const {
    return {millis(runStart_), ledger_, low_, high_, merged_, place_.step, place_.phase, {}};
}

void Accounting::unwinds() {
    if (unwinds_) {
        return;
    }
    unwinds_ = true;
    if (merged_ > 0) {
        before_ = present();
    }
    if (trace_) {
        trace_->hold();
    }
}

/// The run continued after all, although an allocation was refused or the run was cancelled.
void Accounting::goesOn() {
    unwinds_ = false;
}

std::optional<wire::LedgerSample> Accounting::sample() {
    const std::lock_guard lock(mutex_);
    if (before_) {
        const wire::LedgerSample sample = *std::exchange(before_, std::nullopt);
        low_ = std::min(total_, sample.ledger.total());
        high_ = std::max(total_, sample.ledger.total());
        merged_ -= sample.merged;
        return sample;
    }
    if (merged_ == 0 || unwinds_) {
        return std::nullopt;
    }
    const wire::LedgerSample sample = present();
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
