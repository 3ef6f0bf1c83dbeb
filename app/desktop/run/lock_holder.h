#pragma once

#include <QString>
#include <string_view>

namespace highwater::desktop {

/// Names the program that holds the lock for which a thread of process `pid` waits, such as "highwater-cli
/// (process 1234)"; empty if no thread of it waits. `locks` is the text of /proc/locks.
QString lockHolder(std::string_view locks, int pid);
/// The same for this process, from the current /proc/locks.
QString lockHolder();

}  // namespace highwater::desktop
