#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/hosts/hosts.h"

/// The command lines of a host's shell.
namespace highwater::hosts {

/// The text in single quotes for the shell there. Only for text without quotes, "!" and line breaks, so that
/// every login shell takes it alike; anything else is a programming error.
std::string singleQuoted(std::string_view text);

/// `sh -c COMMAND` on this machine, where the host is that; else `ssh ... -- DESTINATION COMMAND`, with the
/// user's own configuration, keys and agent; $HIGHWATER_SSH_CONFIG names another configuration file. No
/// password is asked for, a host's key that is not known is refused, nothing is forwarded, and a connection
/// that is silent for 45 s is given up. Error: ssh is not installed, or the host is none (checkHost).
base::Result<base::Launch> shellLaunch(const Host& host, const std::string& command);

/// Why a connection could not be made or broke, as one line, from what ssh wrote on stderr.
std::string describeFailure(const Host& host, std::string_view said);

}  // namespace highwater::hosts
