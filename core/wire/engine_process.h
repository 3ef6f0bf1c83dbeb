#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/wire/events.h"

namespace highwater::wire {

/// How an engine is asked to run: `highwater-engine --run DIR --device D --steps N --warmup N [--budget B]
/// [--volume FD]...`
struct EngineRequest {
    std::filesystem::path runFolder;  ///< holds experiment.json; the engine writes everything else there
    std::string device = "cpu";
    int steps = 20;  ///< measured steps
    int warmup = 3;
    std::optional<base::Bytes> budget;
    std::vector<int> volumeFds;  ///< handover files, one a channel; then the labels, if any
};

/// A started engine. It has its own process group and outlives its parent; destroying this object stops
/// nothing. Not thread-safe.
class EngineProcess {
public:
    static base::Result<EngineProcess> start(const EngineRequest& request);
    EngineProcess(EngineProcess&&) noexcept;
    EngineProcess& operator=(EngineProcess&&) noexcept;
    ~EngineProcess();

    int pid() const { return pid_; }
    /// Non-blocking; readable when there is something for read(). -1 after the end.
    int fd() const { return fd_; }
    /// The complete events that have arrived. A line that is no event is returned as a Warning.
    std::vector<Event> read();
    /// True once the pipe is closed and the process has been reaped.
    bool finished();
    /// Blocks until something arrives, the end, or the time-out.
    void wait(int timeoutMs);
    /// Asks it to stop (SIGINT): it ends at the next allocation or layer boundary and records what it
    /// measured.
    void cancel();
    void kill();
    /// After finished(): the exit code, or 128 + signal.
    int exitCode() const { return exitCode_; }
    /// The last lines it wrote on stderr (at most 4 KiB), for a message when it died.
    const std::string& errorText() const { return errorText_; }

private:
    EngineProcess() = default;
    void drainErrors();
    int pid_ = -1, fd_ = -1, errorFd_ = -1, exitCode_ = -1;
    std::string buffer_, errorText_;
};

}  // namespace highwater::wire
