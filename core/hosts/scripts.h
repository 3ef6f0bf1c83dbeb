#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hosts/hosts.h"

/// Runs commands on a host before highwater-host is built there: scripts for a POSIX shell, which are
/// embedded in this program. Their arguments are positional parameters. Private to core/hosts.
namespace highwater::hosts {

/// Reports what the host has, as `key=value` lines. $1: the engine's version, $2: a Python or empty.
extern const char* const kCheckScript;
/// Builds the unpacked source, or follows a build in progress, and prints the log. $1: version, $2: Python.
extern const char* const kBuildScript;
/// One command, without quotes: unpacks stdin as the source of this version.
std::string unpackCommand(const std::string& version);
/// One command: becomes highwater-host of this version.
std::string becomeHostCommand(const std::string& version);
/// The command that runs a script from stdin with these parameters.
std::string scriptCommand(const std::vector<std::string>& parameters);

struct HostAnswer {
    int exitCode = 0;
    std::string errors;  ///< the last line on stderr
};

/// Runs a command on a host. Its stdin is the file `input`; `line` gets its output line by line, and stops it
/// by returning false. Errors: the host cannot be reached, "cancelled".
base::Result<HostAnswer> runThere(const Host& host, const std::string& command, int input,
                                  const std::function<bool(std::string_view)>& line,
                                  const std::atomic<bool>* cancel);
/// The same for a script.
base::Result<HostAnswer> runScript(const Host& host, const char* script,
                                   const std::vector<std::string>& parameters,
                                   const std::function<bool(std::string_view)>& line,
                                   const std::atomic<bool>* cancel);

}  // namespace highwater::hosts
