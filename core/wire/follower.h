#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/process_identity.h"
#include "core/base/result.h"

namespace highwater::wire {

/// The process that follows a run: it reads the engine's output, can stop it, and settles the run at its end.
struct Follower {
    base::ProcessIdentity follower, engine;
    std::string host = {};  ///< the host that the engine runs on (core/hosts); empty: this machine
    bool operator==(const Follower&) const = default;
};

/// Writes follower.json into the run's folder: this process follows the run of that engine. The file is on
/// disk when this returns.
base::Status followRun(const std::filesystem::path& runFolder, const base::ProcessIdentity& engine);
/// The same for a run whose engine is on a host.
base::Status followRunOn(const std::string& host, const std::filesystem::path& runFolder);

/// std::nullopt if there is no follower.json. Error: it is damaged.
base::Result<std::optional<Follower>> readFollower(const std::filesystem::path& runFolder);

}  // namespace highwater::wire
