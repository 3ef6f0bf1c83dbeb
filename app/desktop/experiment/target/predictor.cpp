#include "app/desktop/experiment/target/predictor.h"

#include <utility>

namespace highwater::desktop {

namespace {
constexpr qint64 kFrameMs = 15;  // timers are late by a millisecond
}

Predictor::Predictor(Work work, QObject* parent) : QObject(parent), work_(std::move(work)) {
    frame_.setSingleShot(true);
    frame_.setTimerType(Qt::PreciseTimer);
    connect(&frame_, &QTimer::timeout, this, &Predictor::begin);
}

std::int64_t Predictor::ask(stack::Experiment experiment, stack::StackInfo info, TargetChoice target) {
    pending_ = PredictionRequest{++revision_, std::move(experiment), std::move(info), std::move(target)};
    begin();
    return revision_;
}

void Predictor::drop() {
    pending_.reset();
    frame_.stop();
    least_ = ++revision_;
}

void Predictor::begin() {
    if (!pending_ || working_ || frame_.isActive()) {
        return;
    }
    const qint64 since = sinceBegin_.isValid() ? sinceBegin_.elapsed() : kFrameMs;
    if (since < kFrameMs) {
        frame_.start(static_cast<int>(kFrameMs - since));
        return;
    }
    sinceBegin_.start();
    working_ = true;
    worker_.run([work = work_, request = *std::exchange(pending_, {})] { return work(request); }, this,
                [this](PredictionAnswer answer) {
                    working_ = false;
                    if (answer.revision >= least_) {
                        emit answered(answer);
                    }
                    begin();
                });
}

void Predictor::once(PredictionRequest request, QObject* context,
                     std::function<void(PredictionAnswer)> then) {
    worker_.run([work = work_, request = std::move(request)] { return work(request); }, context,
                std::move(then));
}

}  // namespace highwater::desktop

#include "moc_predictor.cpp"
