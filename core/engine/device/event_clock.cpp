#include "core/engine/device/event_clock.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace highwater::engine {

namespace {

using Event = StreamEvents::Event;

/// A pool of events with reference counts: an event is reused when its count is 0.
class EventPool {
public:
    explicit EventPool(std::unique_ptr<StreamEvents> events) : events_(std::move(events)) {}

    void provide(std::size_t count) {
        while (free_.size() < count) {
            const Event event = events_->make();
            holders_.resize(event + 1U);
            free_.reserve(holders_.size());
            free_.push_back(event);
        }
    }

    /// Records a free event; its count is 1.
    Event record() {
        provide(1);
        const Event event = free_.back();
        events_->record(event);
        free_.pop_back();
        holders_[event] = 1;
        return event;
    }

    Event hold(Event event) {
        ++holders_[event];
        return event;
    }

    void drop(Event event) {
        if (--holders_[event] == 0) {
            free_.push_back(event);
        }
    }

    StreamEvents& operator*() { return *events_; }

private:
    std::unique_ptr<StreamEvents> events_;
    std::vector<int> holders_;  ///< reference counts, by event
    std::vector<Event> free_;   ///< has capacity for all events
};

/// Time from the event `begin` on counts to this phase and layer.
struct Mark {
    Event begin = 0;
    Phase phase = Phase::Data;
    int layer = -1;
};

struct MarkedStep {
    std::vector<Mark> marks;  ///< at least one
    std::optional<Event> end;
    bool layered = false;
};

class EventClock final : public StreamClock {
public:
    EventClock(std::unique_ptr<StreamEvents> events, std::size_t layers)
        : pool_(std::move(events)), layers_(layers), largest_(4 * layers + 16) {}

    void beginStep(bool layers) override {
        forgetOpen();
        pool_.provide(largest_);
        const Event begin = last_ ? pool_.hold(*last_) : pool_.record();
        forgetLast();
        open_ = MarkedStep{{{begin, Phase::Data, -1}}, {}, layers};
    }

    void enter(Phase phase, int layer) override {
        if (!open_) {
            return;
        }
        if (!open_->layered || layer < 0 || static_cast<std::size_t>(layer) >= layers_) {
            layer = -1;
        }
        const Mark& now = open_->marks.back();
        if (now.phase != phase || now.layer != layer) {
            open_->marks.push_back({pool_.record(), phase, layer});
        }
    }

    void endStep() override {
        if (!open_) {
            return;
        }
        open_->end = pool_.record();
        forgetLast();
        last_ = pool_.hold(*open_->end);
        largest_ = std::max(largest_, open_->marks.size() + 1);
        ended_.push_back(*std::exchange(open_, {}));
    }

    std::optional<StepTimes> take(bool wait) override {
        if (ended_.empty() || !(*pool_).passed(*ended_.front().end, wait)) {
            return std::nullopt;
        }
        StepTimes times = timesOf(ended_.front());
        forget(ended_.front());
        ended_.pop_front();
        if (wait && ended_.empty()) {
            forgetLast();
        }
        return times;
    }

    void abandon() override {
        for (const MarkedStep& step : ended_) {
            forget(step);
        }
        ended_.clear();
        forgetOpen();
        forgetLast();
    }

private:
    StepTimes timesOf(const MarkedStep& step) {
        StepTimes times;
        times.clear(layers_);
        times.layered = step.layered;
        for (std::size_t i = 0; i < step.marks.size(); ++i) {
            const Mark& mark = step.marks[i];
            const Event next = i + 1 < step.marks.size() ? step.marks[i + 1].begin : *step.end;
            times.add(mark.phase, mark.layer, (*pool_).between(mark.begin, next));
        }
        return times;
    }

    void forget(const MarkedStep& step) {
        for (const Mark& mark : step.marks) {
            pool_.drop(mark.begin);
        }
        if (step.end) {
            pool_.drop(*step.end);
        }
    }

    void forgetOpen() {
        if (open_) {
            forget(*open_);
        }
        open_.reset();
    }

    void forgetLast() {
        if (last_) {
            pool_.drop(*last_);
        }
        last_.reset();
    }

    EventPool pool_;
    std::size_t layers_, largest_;
    std::optional<MarkedStep> open_;
    std::deque<MarkedStep> ended_;  ///< oldest first
    std::optional<Event> last_;  ///< the event that ended the previous step, if the next step may begin with
                                 ///< it
};

}  // namespace

std::unique_ptr<StreamClock> makeEventClock(std::unique_ptr<StreamEvents> events, std::size_t layers) {
    return std::make_unique<EventClock>(std::move(events), layers);
}

}  // namespace highwater::engine
