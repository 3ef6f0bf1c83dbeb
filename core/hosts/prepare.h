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
    std::filesystem::path archive;  ///< engine-source.tar.gz, beside the private programs
    std::string id;                 ///< of its content: 16 hexadecimal digits
};
/// Error: it is not installed.
base::Result<EngineSource> engineSource();

/// The command that becomes highwater-host of this version there.
std::string startCommand(const EngineSource& source);

/// Builds the engine there unless it was built for this version and this Python: sends the source, and runs
/// packaging/build-on-host, whose log stays there. `progress` gets what is being done, as one line. A build
/// goes on when the connection breaks; the next call follows it. Errors: something is missing (missingThere),
/// the source cannot be sent, the build failed (its first error, and where the log is), "cancelled".
base::Status prepareThere(const Host& host, const HostFacts& facts,
                          const std::function<void(std::string_view)>& progress,
                          const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::hosts
