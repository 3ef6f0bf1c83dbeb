#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

/// How much of a run a host may send: no more than an engine can have written, so that a host that is broken
/// or hostile does not fill the disk.
namespace highwater::hosts {

/// Bytes of events.jsonl after so long. 64 MiB for how it began and ended, its layers and its warnings; half
/// a MiB for the memory of a step over its time, of which the engine writes at most ten a second; 2 KiB for
/// each other step; 64 KiB a second for samples of the ledger. Never more than wire::kMostEvents. `steps`:
/// those that were asked for, warm-up included; nothing if that is not known.
base::Bytes mostEvents(std::optional<int> steps, std::chrono::seconds since);

/// Bytes of one of the other files; `experiment` is the run's experiment.json, for its patch.
base::Bytes mostOf(std::string_view name, const std::filesystem::path& experiment);

/// How long ago the run's folder was made here, which no host can change; with a minute for clocks that
/// differ.
std::chrono::seconds ageOf(const std::filesystem::path& runFolder);

/// Puts a file that has arrived as a whole into the run's folder.
base::Status putFile(const std::filesystem::path& runFolder, std::string_view name, std::string_view bytes);

}  // namespace highwater::hosts
