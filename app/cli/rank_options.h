#pragma once

#include <CLI/CLI.hpp>

#include "core/predict/target/ranks.h"

namespace highwater::cli {

/// --ranks and --gradient-as-bucket-view, of `run` and `predict`. Returns --ranks.
CLI::Option* addRankOptions(CLI::App& command, predict::Ranks& ranks);

}  // namespace highwater::cli
