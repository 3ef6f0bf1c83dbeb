#include "core/predict/tables/calibration.h"

#include <algorithm>

#include "core/predict/tables/calibration_guess.h"
#include "core/predict/tables/calibration_times.h"

namespace highwater::predict {

void Calibration::add(const ConvKey& op, OpRow row) {
    rows_.insert_or_assign(op.text(), std::move(row));
    guesses_.reset();
    times_.reset();
}

const OpRow* Calibration::find(const ConvKey& op) const {
    const auto at = rows_.find(op.text());
    return at == rows_.end() ? nullptr : &at->second;
}

void Calibration::join(const Calibration& other) {
    for (const auto& [key, row] : other.rows_) {
        rows_.emplace(key, row);
    }
    if (machine.empty()) {
        machine = other.machine;
    }
    if (speed == CpuSpeed{}) {
        speed = other.speed;
    }
    guesses_.reset();
    times_.reset();
}

void Calibration::prepareGuesses(const Calibration* from, double widening) {
    guesses_ = std::make_shared<const GuessModel>(from != nullptr ? from->key_ : key_,
                                                  from != nullptr ? from->rows_ : rows_, widening);
    times_ = std::make_shared<const ConvTimes>(rows_);
}

double Calibration::guessMicroseconds(const ConvKey& op) const {
    if (!times_) {
        return 0;
    }
    // A measured part of a batch takes at least its share.
    constexpr std::int64_t kMostParts = 64;
    for (ConvKey whole = op; whole.batch < kMostParts * op.batch;) {
        whole.batch += op.batch;
        if (const OpRow* const row = find(whole); row != nullptr && row->microseconds > 0) {
            const double share = static_cast<double>(op.batch) / static_cast<double>(whole.batch);
            return std::max(times_->guess(op), share * row->microseconds);
        }
    }
    return times_->guess(op);
}

Estimate Calibration::guess(const ConvKey& op) const {
    return guesses_ ? guesses_->guess(op) : GuessModel(key_, rows_, 1).guess(op);
}

base::Bytes highestTemporaries(const OpRow& row) {
    std::vector<base::Bytes> temporaries;
    base::Bytes now = 0, highest = 0;
    for (const OpEvent& event : row.events) {
        if (event.kind == OpEvent::Kind::Allocate) {
            temporaries.push_back(event.value);
            now += event.value;
        } else if (event.kind == OpEvent::Kind::Free) {
            now -= temporaries[static_cast<std::size_t>(event.value)];
        }
        highest = std::max(highest, now);
    }
    return highest;
}

}  // namespace highwater::predict
