#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/cudnn/plans.h"

namespace highwater::cudnn {

/// "ENGINE:BYTES:h:NOTE,NOTE ...": f instead of h for plans of the fallback list; the notes are numbers.
/// Empty if there are no plans. core/pretend parses it too (dnn_plans.h).
std::string planText(std::span<const Plan> plans);
/// std::nullopt if the text is not in planText()'s format.
std::optional<std::vector<Plan>> parsePlans(std::string_view text);

}  // namespace highwater::cudnn
