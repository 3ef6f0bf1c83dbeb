#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/wire/events.h"

namespace highwater::wire {

/// The arguments of an engine run: `highwater-engine --run DIR --device D --steps N --warmup N [--budget B]
/// [--volume FD]... [--no-trace]`
struct EngineRequest {
    std::filesystem::path runFolder;  ///< holds experiment.json; the engine writes everything else into it
    std::string device = "cpu";
    int steps = 20;  ///< measured steps
    int warmup = 3;
    std::optional<base::Bytes> budget;
    bool trace = true;  ///< record every allocation
    /// Descriptors of handover files: one for each channel, then the label map if the target is one; for a
    /// cohort, case by case.
    std::vector<int> volumeFds;
    /// The program to start; empty: "highwater-engine" in this program's folder. (Tests start others.)
    std::filesystem::path program;
};

/// A started engine. It has its own session and process group and outlives its parent (its writes to a closed
/// pipe fail with EPIPE and raise no signal); destroying this object does not stop it. Its stderr goes to
/// stderr.txt in the run's folder. It inherits stdin (/dev/null), stdout, stderr and the volumes'
/// descriptors, nothing else. Not thread-safe.
class EngineProcess {
public:
    /// Error if the engine is not installed or cannot be executed, a volume's descriptor is not open, ...
    static base::Result<EngineProcess> start(const EngineRequest& request);
    EngineProcess(EngineProcess&&) noexcept;
    EngineProcess& operator=(EngineProcess&&) noexcept;
    ~EngineProcess();

    int pid() const { return pid_; }
    /// The pipe's descriptor, non-blocking; readable when read() has something to read. -1 after the end.
    int fd() const { return fd_; }
    /// Returns the events whose lines have arrived completely; reads at most 4 MiB per call. For lines that
    /// are not events it adds a Warning with the first of them, and one with the number of the others.
    std::vector<Event> read();
    /// True once the pipe is closed and the process has been reaped.
    bool finished();
    /// Blocks until something arrives, the engine ends, or the time is over.
    void wait(int timeoutMs);
    /// Asks the engine to stop (SIGINT): it ends at the next allocation or layer boundary and records what it
    /// has measured.
    void cancel();
    void kill();  ///< sends SIGKILL to its process group
    /// The exit code, or 128 + signal; valid after finished().
    int exitCode() const { return exitCode_; }
    /// The end of its stderr (at most 4 KiB), for an error message; valid after finished().
    const std::string& errorText() const { return errorText_; }

private:
    EngineProcess() = default;
    void swap(EngineProcess& other) noexcept;
    bool readSome();
    bool reap();
    void parse(std::string_view line, std::vector<Event>& events, int& bad);
    void closeOutput();
    void boundErrors();
    int pid_ = -1, fd_ = -1, errorFd_ = -1, exitCode_ = -1;
    bool reaped_ = false;
    bool skipping_ = false;  ///< inside a line that is too long for an event
    std::string buffer_, errorText_;
};

}  // namespace highwater::wire
