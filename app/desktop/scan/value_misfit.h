#pragma once

#include <QString>

#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// What becomes of a scan whose values lie elsewhere than the window that the experiment maps to 0 and 1: one
/// line; empty where the two go together, and for every other way to normalise.
QString valueMisfit(const volume::Header& scan, const stack::Normalize& normalize);

}  // namespace highwater::desktop
