#include "core/engine/run/trace_drain.h"

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

TraceDrain::TraceDrain(Accounting& accounting, const RunRequest& request, Announcer& announcer)
    : accounting_(accounting), sink_(request.trace), announcer_(announcer) {
    if (!sink_) {
        return;
    }
    followOperators(true);
    accounting_.startTrace({request.traceEvents, &operatorNow});
    ticker_.emplace(std::chrono::milliseconds(50), [this] { pass(false); });
}

TraceDrain::~TraceDrain() {
    if (!sink_) {
        return;
    }
    followOperators(false);
    ticker_->stop();
    pass(true);
    accounting_.stopTrace();
}

void TraceDrain::pass(bool last) {
    accounting_.takeTrace(chunk_, last);
    if (failed_) {
        return;
    }
    chunk_.last = last;
    if (!chunk_.note.empty()) {
        announcer_.say(wire::Warning{chunk_.note});
    }
    if (const auto taken = sink_(chunk_); !taken) {
        failed_ = true;
        accounting_.closeTrace({});
        announcer_.say(wire::Warning{"the trace ends early: " + taken.error().message});
    }
}

}  // namespace highwater::engine
