#pragma once

#include <QString>

#include "core/stack/experiment.h"
#include "core/volume/volume.h"

namespace highwater::desktop {

/// Returns one line that says why a scan's values do not suit the window that the experiment maps to 0 and 1:
/// their mean is outside the window, they fill less than a hundredth of it, or the window starts below 0 and
/// they do not, like an MRI in a CT window. Returns an empty string if they suit it, and for every other kind
/// of normalization.
QString valueMisfit(const volume::Header& scan, const stack::Normalize& normalize);

}  // namespace highwater::desktop
