#pragma once

#include <string>

#include "core/study/factorial.h"

namespace highwater::cli {

/// The cells as a table (memory, time with its interval, the Pareto front marked), then effects and notes.
std::string sweepText(const study::SweepResult& result);
/// The toggles, one line each: what it does, or why it does not apply.
std::string togglesText(const stack::Experiment& experiment, bool cuda);

}  // namespace highwater::cli
