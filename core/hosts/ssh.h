#pragma once

#include <string>
#include <string_view>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/hosts/hosts.h"

/// Command lines for a host's shell.
namespace highwater::hosts {

/// The text in single quotes for the remote shell. Only for text without quotes, "!" and line breaks, which
/// every login shell treats the same; anything else is a programming error.
std::string singleQuoted(std::string_view text);

/// `sh -c COMMAND` if the host is this machine; otherwise `ssh ... -- DESTINATION COMMAND`, with the user's
/// own configuration, keys and agent; $HIGHWATER_SSH_CONFIG names another configuration file. No password is
/// requested, unknown host keys are refused, nothing is forwarded, and a connection that is silent for 45 s
/// is closed. Error: ssh is not installed, or the host is invalid (checkHost).
base::Result<base::Launch> shellLaunch(const Host& host, const std::string& command);

/// Why a connection could not be opened or broke, as one line, derived from ssh's stderr.
std::string describeFailure(const Host& host, std::string_view said);

}  // namespace highwater::hosts
