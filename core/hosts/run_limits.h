#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

/// Limits how much data of a run a host may send: no more than an engine can write, so that a broken or
/// hostile host cannot fill the disk.
namespace highwater::hosts {

/// Maximum size of events.jsonl after this time. 64 MiB for the start, the end, the layers and the warnings;
/// half a MiB for the memory timeline of a step, of which the engine writes at most ten a second; 2 KiB for
/// each other step; 64 KiB a second for samples of the ledger. Never more than wire::kMostEvents. `steps`:
/// the requested number, including warm-up; std::nullopt if unknown.
base::Bytes mostEvents(std::optional<int> steps, std::chrono::seconds since);

/// Maximum size of one of the other files; `experiment` is the run's experiment.json, from which the patch's
/// size is derived.
base::Bytes mostOf(std::string_view name, const std::filesystem::path& experiment);

/// The time since the run's folder was created here, which no host can change, plus a minute for differing
/// clocks.
std::chrono::seconds ageOf(const std::filesystem::path& runFolder);

/// Writes a completely received file into the run's folder.
base::Status putFile(const std::filesystem::path& runFolder, std::string_view name, std::string_view bytes);

}  // namespace highwater::hosts
