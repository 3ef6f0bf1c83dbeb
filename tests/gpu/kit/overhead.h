#pragma once

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

/// The experiments used for this measurement; none has branches, heads, or checkpoints.
base::Result<std::vector<Case>> overheadCases(Scale scale);

/// Drives three processes in turns (the bare loop, the engine, the engine with its trace) and adds the times
/// to the journal.
void measureOverhead(const Session& session);

enum class Loop { Bare, Engine, Traced };
/// One of these processes: reads numbers of steps from stdin and writes milliseconds per step to stdout,
/// until stdin is closed. The experiment is session.only.
void serve(const Session& session, Loop loop);

}  // namespace highwater::kit
