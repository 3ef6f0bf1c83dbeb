#pragma once

#include <string>

#include "core/study/factorial.h"

/// The cells of a sweep as a table of text.
namespace highwater::report {

bool onFront(const study::SweepResult& result, std::size_t cell);
/// The time of a step is known.
bool hasTime(const study::Measured& measured);
/// "cannot be run", "not run", or how its last run ended: "done", "out_of_memory".
std::string cellStatus(const study::SweepResult& result, std::size_t cell);

/// CSV (RFC 4180) with one row for each cell: its name, one column for each axis, status, memory, time and
/// interval.
std::string sweepCsv(const study::SweepResult& result);

}  // namespace highwater::report
