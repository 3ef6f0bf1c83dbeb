#pragma once

#include "app/desktop/study/interval_chart.h"

namespace highwater::desktop {

/// The effects as bars in percent: first memory, then time; within each, the single levers before the
/// interactions of two. Effects within the measurement noise are gray and labeled so.
std::vector<IntervalSection> effectSections(const std::vector<EffectRow>& effects);

}  // namespace highwater::desktop
