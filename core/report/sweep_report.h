#pragma once

#include <string>

#include "core/report/report.h"
#include "core/study/factorial.h"

namespace highwater::report {

/// A sweep or a factorial with what was measured of it.
struct SweepInput {
    study::SweepResult result;
    std::string created;  ///< time of the report, for people; empty: left out
};

/// The content refers to the input, which must outlive it. CSV: sweepCsv(). JSON: highwater.sweep-result/1,
/// which the window opens.
Content contentOf(const SweepInput& input);

}  // namespace highwater::report
