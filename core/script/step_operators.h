#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"
#include "core/predict/fit/step_time.h"

namespace highwater::script {

/// The operators of a step that step_operators.py recorded in the run's folder (step-operators.json).
/// std::nullopt: none were. Error, one line: the file is damaged.
base::Result<std::optional<predict::StepOperators>> readStepOperators(const std::filesystem::path& runFolder);

}  // namespace highwater::script
