#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

/// Further processes of this program.
namespace highwater::kit {

/// Starts this program again with these arguments; a descriptor of -1 leaves stdin or stdout unchanged.
/// Throws std::runtime_error if it cannot be started.
pid_t startSelf(const std::vector<std::string>& arguments, int in = -1, int out = -1);

/// Waits for it until `until` (secondsNow), then kills it. Returns std::nullopt if it exited by itself with
/// 0, otherwise what happened, in one line.
std::optional<std::string> waitFor(pid_t process, double until);

}  // namespace highwater::kit
