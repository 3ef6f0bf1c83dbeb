#pragma once

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

/// The experiments that it is measured with; none has branches, heads, or checkpoints.
base::Result<std::vector<Case>> overheadCases(Scale scale);

/// Drives three processes in turn (the bare loop, the engine, the engine with its trace) and adds the times
/// to the journal.
void measureOverhead(const Session& session);

enum class Loop { Bare, Engine, Traced };
/// One of these processes: reads a number of steps from stdin, writes milliseconds a step to stdout, until
/// stdin ends. The experiment is session.only.
void serve(const Session& session, Loop loop);

}  // namespace highwater::kit
