#include "core/memory/trace_replay.h"

namespace highwater::memory {

namespace {
constexpr base::Bytes kMostBytes = base::Bytes{1} << 62;
}

const char* TraceReplay::add(Category category, base::Bytes bytes) {
    if (bytes < 0) {
        return "has negative bytes";
    }
    if (bytes > kMostBytes - total_) {
        return "brings the total beyond 2^62 bytes";
    }
    ledger_[category] += bytes;
    total_ += bytes;
    return nullptr;
}

const char* TraceReplay::begin(const TraceAlive& block, base::Bytes bytes) {
    if (static_cast<int>(block.category) >= kCategoryCount) {
        return "has no category";
    }
    if (block.block >= states_.size()) {
        return "is of a block that does not exist";
    }
    if (states_[block.block] != kUnborn) {
        return "is of a block that lives already";
    }
    if (const char* wrong = add(block.category, bytes)) {
        return wrong;
    }
    states_[block.block] = static_cast<unsigned char>(block.category);
    peak_.ledger = ledger_;
    peakTotal_ = total_;
    return nullptr;
}

const char* TraceReplay::apply(const TraceEvent& event, base::Bytes bytes) {
    if (static_cast<int>(event.category) >= kCategoryCount) {
        return "has no category";
    }
    if (static_cast<int>(event.phase) >= kPhaseCount) {
        return "has no phase";
    }
    if (event.block >= states_.size()) {
        return "is of a block that does not exist";
    }
    unsigned char& state = states_[event.block];
    if (event.kind == TraceEvent::Kind::Allocate) {
        if (state != kUnborn) {
            return "allocates a block a second time";
        }
        if (const char* wrong = add(event.category, bytes)) {
            return wrong;
        }
        state = static_cast<unsigned char>(event.category);
    } else {
        if (event.kind != TraceEvent::Kind::Retag && event.kind != TraceEvent::Kind::Free) {
            return "is not an allocation, retag or free";
        }
        if (state >= kCategoryCount) {
            return "is of a block that does not live";
        }
        const auto had = static_cast<Category>(state);
        if (event.kind == TraceEvent::Kind::Free) {
            if (had != event.category) {
                return "frees a block from another category than it has";
            }
            total_ -= bytes;
            state = kDead;
        } else {
            ledger_[event.category] += bytes;
            state = static_cast<unsigned char>(event.category);
        }
        ledger_[had] -= bytes;
    }
    notePeak(event);
    ++applied_;
    return nullptr;
}

void TraceReplay::notePeak(const TraceEvent& event) {
    if (total_ > peakTotal_) {
        peak_ = {applied_, ledger_};
        peakTotal_ = total_;
        peakPhase_ = event.phase;
        peakLayer_ = event.layer;
    } else if (event.kind == TraceEvent::Kind::Retag && event.phase == peakPhase_ &&
               event.layer == peakLayer_ && total_ == peakTotal_) {
        peak_.ledger = ledger_;
    }
}

}  // namespace highwater::memory
