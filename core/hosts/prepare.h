#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/hosts/check.h"
#include "core/hosts/hosts.h"

namespace highwater::hosts {

/// The minimal engine with its header-only libraries, as it is sent to a host.
struct EngineSource {
    std::filesystem::path archive;  ///< engine-source.tar.gz, next to the private programs
    std::string id;                 ///< digest of its content: 16 hexadecimal digits
};
/// Error: it is not installed.
base::Result<EngineSource> engineSource();

/// The command that becomes this version's highwater-host on the host.
std::string startCommand(const EngineSource& source);

/// Builds the engine on the host, unless it was built for this version and this Python: sends the source and
/// runs packaging/build-on-host, whose log stays there. `progress` gets the current action, as one line. A
/// build continues if the connection breaks; the next call follows it. Errors: something is missing
/// (missingThere), the source cannot be sent, the build failed (its first error, and where the log is),
/// "cancelled".
base::Status prepareThere(const Host& host, const HostFacts& facts,
                          const std::function<void(std::string_view)>& progress,
                          const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::hosts
