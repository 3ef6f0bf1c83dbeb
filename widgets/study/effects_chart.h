#pragma once

#include "widgets/study/interval_chart.h"

namespace highwater::widgets {

/// The effects as bars in percent: first memory, then time; within each, the single levers before the
/// interactions of two. Effects within the noise are gray and labeled so.
std::vector<IntervalSection> effectSections(const std::vector<EffectRow>& effects);

}  // namespace highwater::widgets
