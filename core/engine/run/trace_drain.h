#pragma once

#include <optional>

#include "core/base/ticker.h"
#include "core/engine/books/accounting.h"
#include "core/engine/run/runner.h"
#include "core/engine/run/sampler.h"

namespace highwater::engine {

/// Records a run's trace while it exists: a thread takes the events from the books a few times a second and
/// passes them to the request's sink. The step never waits for it: if the sink is slower than the run for
/// long, the trace ends early, with a warning. Does nothing if the request has no sink.
class TraceDrain {
public:
    TraceDrain(Accounting& accounting, const RunRequest& request, Announcer& announcer);
    ~TraceDrain();
    TraceDrain(const TraceDrain&) = delete;
    TraceDrain& operator=(const TraceDrain&) = delete;

private:
    void pass(bool last);

    Accounting& accounting_;
    const TraceSink& sink_;
    Announcer& announcer_;
    memory::TraceChunk chunk_;
    bool failed_ = false;
    std::optional<base::Ticker> ticker_;
};

}  // namespace highwater::engine
