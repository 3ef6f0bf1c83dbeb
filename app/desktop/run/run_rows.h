#pragma once

#include "app/desktop/run/run_row.h"
#include "core/runs/run_store.h"

namespace highwater::desktop {

/// A run as its table shows it.
RunRow toRow(const runs::RunSummary& run);

/// "−9.1 % memory, +14.8 % time"; a difference in time within the noise (runs::timeDiffers) is called so,
/// and so is one of too few steps. Empty where nothing was measured.
QString difference(const runs::RunSummary& run, const runs::RunSummary& baseline);

}  // namespace highwater::desktop
