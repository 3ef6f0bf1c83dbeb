#pragma once

#include "widgets/study/interval_chart.h"

namespace highwater::widgets {

/// Effects as bars in percent: memory, then time, each lever's own before those of two together. What lies
/// within the noise is grey and says so.
std::vector<IntervalSection> effectSections(const std::vector<EffectRow>& effects);

}  // namespace highwater::widgets
