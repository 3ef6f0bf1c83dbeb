#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

/// Further processes of this program.
namespace highwater::kit {

/// Starts this program anew with these arguments; -1 for a descriptor leaves stdin or stdout as they are.
/// Throws std::runtime_error where it cannot be started.
pid_t startSelf(const std::vector<std::string>& arguments, int in = -1, int out = -1);

/// Waits for it until `until` (secondsNow), then kills it. Nothing where it ended by itself with 0, else what
/// happened, in one line.
std::optional<std::string> waitFor(pid_t process, double until);

}  // namespace highwater::kit
