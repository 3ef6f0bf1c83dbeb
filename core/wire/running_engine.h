#pragma once

#include <string>
#include <vector>

#include "core/wire/events.h"

namespace highwater::wire {

/// The exit code of an engine that was asked to stop before it could record the result: 128 + SIGINT.
inline constexpr int kInterrupted = 128 + 2;

/// An engine that executes a run, seen from the process that follows the run: started by this process
/// (EngineProcess) or found (FoundEngine). Destroying this object stops nothing.
class RunningEngine {
public:
    virtual ~RunningEngine() = default;

    /// Readable when there is something for read(). -1: there is no such descriptor; call read() now and
    /// then.
    virtual int fd() const = 0;
    /// The complete events that have arrived since the last call; each call reads a limited amount. Lines
    /// that are not events become one or two Warnings a call, which give their number.
    virtual std::vector<Event> read() = 0;
    /// True if the last read() left data that had already arrived.
    virtual bool behind() const = 0;
    /// True once the engine has ended and all its output was read.
    virtual bool finished() = 0;
    /// The current activity besides the run, as one line: its volumes are sent, its host cannot be reached.
    /// Otherwise empty.
    virtual std::string activity() const { return {}; }
    /// Asks it to stop (SIGINT): it ends at the next allocation or layer boundary and records its
    /// measurements.
    virtual void cancel() = 0;
    virtual void kill() = 0;  ///< SIGKILL
    /// After finished(): the exit code, or 128 + signal; -1: unknown.
    virtual int exitCode() const = 0;
    /// After finished(): the last lines it wrote on stderr (at most 4 KiB), for a message if it died.
    virtual const std::string& errorText() const = 0;

protected:
    RunningEngine() = default;
    RunningEngine(RunningEngine&&) = default;
    RunningEngine& operator=(RunningEngine&&) = default;
};

}  // namespace highwater::wire
