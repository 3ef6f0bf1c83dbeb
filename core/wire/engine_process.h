#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/wire/events.h"

namespace highwater::wire {

/// How an engine is asked to run: `highwater-engine --run DIR --device D --steps N --warmup N [--budget B]
/// [--volume FD]... [--no-trace]`
struct EngineRequest {
    std::filesystem::path runFolder;  ///< holds experiment.json; the engine writes everything else there
    std::string device = "cpu";
    int steps = 20;  ///< measured steps
    int warmup = 3;
    std::optional<base::Bytes> budget;
    bool trace = true;  ///< record every allocation
    /// Handover files, one a channel, then the label map where the target is one; of a cohort case by case.
    std::vector<int> volumeFds;
    /// The program to start; empty: "highwater-engine" beside this program. (Tests start others.)
    std::filesystem::path program;
};

/// `program`, or, if it is empty, highwater-engine beside this program. Error: there is none.
base::Result<std::filesystem::path> engineProgram(const std::filesystem::path& program);

/// A started engine. It has its own session and process group and outlives its parent (a write to a parent
/// that is gone fails with EPIPE and raises no signal); destroying this object stops nothing. What it writes
/// on stderr goes to stderr.txt in the run's folder. It inherits stdin (/dev/null), stdout, stderr and the
/// volumes, nothing else. Not thread-safe.
class EngineProcess {
public:
    /// Errors: the engine is not installed or cannot be executed, a volume's descriptor is not open, ...
    static base::Result<EngineProcess> start(const EngineRequest& request);
    EngineProcess(EngineProcess&&) noexcept;
    EngineProcess& operator=(EngineProcess&&) noexcept;
    ~EngineProcess();

    int pid() const { return pid_; }
    /// Non-blocking; readable when there is something for read(). -1 after the end.
    int fd() const { return output_.get(); }
    /// The complete events that have arrived, of at most 4 MiB a call. Lines that are no events become one
    /// Warning, which says how many they were.
    std::vector<Event> read();
    /// True once the pipe is closed and the process has been reaped.
    bool finished();
    /// Blocks until something arrives, the end, or the time-out.
    void wait(int timeoutMs);
    /// Asks it to stop (SIGINT): it ends at the next allocation or layer boundary and records what it
    /// measured.
    void cancel();
    void kill();  ///< SIGKILL to its whole process group
    /// After finished(): the exit code, or 128 + signal.
    int exitCode() const { return exitCode_; }
    /// The last lines it wrote on stderr (at most 4 KiB), for a message when it died.
    const std::string& errorText() const { return errorText_; }

private:
    EngineProcess() = default;
    void swap(EngineProcess& other) noexcept;
    bool readSome();
    bool reap();
    void parse(std::string_view line, std::vector<Event>& events, int& bad);
    void boundErrors();
    base::Process process_;
    base::Descriptor output_, errors_;
    int pid_ = -1, exitCode_ = -1;
    bool reaped_ = false;
    bool skipping_ = false;  ///< inside a line that is too long to be an event
    std::string buffer_, errorText_;
};

}  // namespace highwater::wire
