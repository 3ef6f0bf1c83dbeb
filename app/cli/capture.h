#pragma once

#include <CLI/CLI.hpp>

namespace highwater::cli {

/// Adds `runs capture`, which writes a run's trace for other viewers.
void addCapture(CLI::App& runs, int& exit);

}  // namespace highwater::cli
