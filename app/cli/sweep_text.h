#pragma once

#include <string>

#include "core/study/factorial.h"

namespace highwater::cli {

/// The cells as a table (memory, time with its interval, the Pareto front marked), then the effects and the
/// notes.
std::string sweepText(const study::SweepResult& result);
/// A row a cell (RFC 4180): its name, a column an axis, its status, memory, time and interval.
std::string sweepCsv(const study::SweepResult& result);
/// The toggles, a line each: whether it applies, and what it does or why not.
std::string togglesText(const stack::Experiment& experiment, bool cuda);

}  // namespace highwater::cli
