#pragma once

#include <cstdint>
#include <string>

/// The process that a run belongs to, and whether it is still alive. Private to core/runs.
namespace highwater::runs {

/// Identifies a process uniquely: a process id alone is reused.
struct Owner {
    std::string role;  ///< "starter" until the engine takes over, then "engine"
    std::int64_t pid = 0;
    std::int64_t start = 0;  ///< start time in clock ticks since boot (/proc/PID/stat, field 22)
    std::string boot;        ///< /proc/sys/kernel/random/boot_id
    std::string host;        ///< a store in a network home is visible on several machines
    bool operator==(const Owner&) const = default;
};

enum class Life { Alive, Gone, Unknown };  ///< Unknown: the process is on another machine

Owner thisProcess(std::string role);
Life lifeOf(const Owner& owner);

}  // namespace highwater::runs
