#pragma once

#include <cstdint>
#include <string>

/// Which process a run belongs to, and whether it still lives. Private to core/runs.
namespace highwater::runs {

/// A process that cannot be mistaken for another: a process id alone is used again.
struct Owner {
    std::string role;  ///< "starter" until the engine takes over, then "engine"
    std::int64_t pid = 0;
    std::int64_t start = 0;  ///< start time in clock ticks since boot (/proc/PID/stat, field 22)
    std::string boot;        ///< /proc/sys/kernel/random/boot_id
    std::string host;        ///< a store on a network home is seen from several machines
    bool operator==(const Owner&) const = default;
};

enum class Life { Alive, Gone, Unknown };  ///< Unknown: it belongs to another machine

Owner thisProcess(std::string role);
Life lifeOf(const Owner& owner);

}  // namespace highwater::runs
