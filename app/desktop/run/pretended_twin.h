#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runs/run_store.h"
#include "widgets/plot/forecast.h"

/// A watched run's prediction: the pretended run of the same script on the same GPU.
namespace highwater::desktop {

/// The newest complete pretended run of a command ("train.py --batch 8") on a GPU's profile; nullptr: there
/// is none.
const runs::RunSummary* pretendedTwin(const std::vector<runs::RunSummary>& rows, const std::string& command,
                                      const std::string& gpu);

/// The step with the highest peak, for the plots of the watched run. std::nullopt: it recorded no step.
std::optional<widgets::Forecast> forecastOfTwin(const runs::RunRecord& twin);

}  // namespace highwater::desktop
