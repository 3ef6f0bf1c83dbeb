#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/predict/tables/profile.h"
#include "core/script/changes.h"
#include "core/script/outcome.h"
#include "core/wire/engine_process.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace highwater::cli {

// What runs one script (script.cpp).

struct Ended {
    int exitCode = -1;      ///< the script's; -1 if it could not be started
    std::string errorText;  ///< why
};
/// Follows a script to its end. Asks it to stop at the first interrupt, or after `minutes`; kills it at the
/// second interrupt. The exit code of a stopped script is kInterrupted.
Ended followScript(wire::EngineProcess& script, double minutes,
                   const std::function<void(const wire::Event&)>& take);

// script --try

enum class TryOutput { Text, Json, Events };

struct TryCommand {
    bool wanted = false;
    bool everything = false;  ///< --try-all
    std::string keep;         ///< the file for the change that fits
    std::string store;
    double minutes = 30;
    TryOutput output = TryOutput::Text;
};
/// `--try` cannot be combined with `ranks`.
void addTryOptions(CLI::App& command, TryCommand& options, CLI::Option& ranks);

/// A change that was tried: one row.
struct TriedChange {
    script::Change change;
    int run = 0;  ///< its number in the store; 0: not recorded
    wire::RunStatus status = wire::RunStatus::Failed;
    std::string why = {};  ///< if it failed, or ran out of memory
    bool fits = false;     ///< in the GPU's memory and the budget
    bool larger = false;   ///< it ran out of memory, and the figures are those of a run on a larger GPU
    base::Bytes allocated = 0, reserved = 0,
                device = 0;  ///< peaks; `device` includes the context. 0: unknown
    std::string file = {};   ///< the text that applies it
};

/// The rows of one script.
struct TriedScript {
    std::string gpu, gpuName;
    base::Bytes limit = 0;  ///< what may be used of the device
    TriedChange plain;      ///< the script as it is
    std::vector<TriedChange> rows;
    bool stopped = false;  ///< by an interrupt, with further changes not tried

    /// The rows that fit: those with equal results first, then the least work.
    std::vector<const TriedChange*> fitting() const;
};

/// Runs the script as it is, then with changes until some fit; prints the rows. The exit code.
int tryChanges(const TryCommand& command, const wire::ScriptSource& source,
               const predict::DeviceProfile& profile, std::optional<base::Bytes> budget);

// What it prints (script_try_text.cpp).

nlohmann::ordered_json triedJson(const TriedChange& row);
nlohmann::ordered_json triesJson(const TriedScript& tried);
/// "recompute 12 modules (Block): 9.1 GiB on the device, fits"
std::string triedLine(const TriedChange& row);
void printTries(const TriedScript& tried);

}  // namespace highwater::cli
