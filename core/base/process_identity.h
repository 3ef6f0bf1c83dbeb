#pragma once

#include <cstdint>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/json_exchange.h"
#include "core/base/result.h"

/// Identifies processes that this one did not start, even if a process id is reused.
namespace highwater::base {

/// Names one process: a process id alone can be reused.
struct ProcessIdentity {
    std::int64_t pid = 0;
    std::int64_t start = 0;  ///< start time in clock ticks since boot (/proc/PID/stat, field 22)
    std::string boot;        ///< /proc/sys/kernel/random/boot_id
    std::string host;        ///< a store in a network home is visible on several machines
    bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity thisProcess();
/// A process on this machine. Its start is 0 if it has ended and was reaped.
ProcessIdentity identityOf(std::int64_t pid);

template <class Way>
void exchange(Way& way, Exchanged<Way, ProcessIdentity>& identity) {
    way("pid", identity.pid);
    way("start", identity.start);
    way("boot", identity.boot);
    way("host", identity.host);
}

enum class Life { Alive, Gone, Unknown };  ///< Unknown: the process is on another machine
/// A process that has ended but was not reaped yet is gone.
Life lifeOf(const ProcessIdentity& identity);

/// Holds a process on this machine (a pidfd), so that its id cannot be reused unnoticed. Does not end the
/// process. Not thread-safe.
class HeldProcess {
public:
    /// Error: it is gone ("process 12 has ended"), is on another machine, or the system has no pidfds.
    static Result<HeldProcess> hold(const ProcessIdentity& identity);
    bool ended() const;
    /// Sends a signal to it and to no other process: none if it has ended.
    void send(int signal) const;

private:
    explicit HeldProcess(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
    Descriptor descriptor_;
};

}  // namespace highwater::base
