#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/wire/event_lines.h"
#include "core/wire/running_engine.h"

namespace highwater::wire {

/// A request to run the engine: `highwater-engine --run DIR --device D --steps N --warmup N [--budget B]
/// [--volume FD]... [--no-trace | --trace-chunks] [--ranks N [--gradient-as-bucket-view]]`
struct EngineRequest {
    std::filesystem::path runFolder;  ///< contains experiment.json; the engine writes all other files to it
    std::string device = "cpu";
    int steps = 20;  ///< measured steps
    int warmup = 3;
    std::optional<base::Bytes> budget;
    bool trace = true;         ///< record every allocation
    bool traceChunks = false;  ///< into trace.chunks (core/memory/trace_record.h) instead of trace.db
    int ranks = 1;             ///< number of processes that train together; the engine starts the others
    bool gradientAsBucketView = false;
    /// Handover files, one per channel, then the label map if the target is one; for a cohort, case by case.
    std::vector<int> volumeFds;
    /// The program to start; empty: "highwater-engine" next to this program. (Tests start others.)
    std::filesystem::path program;
};

/// `program`, or, if it is empty, highwater-engine next to this program. Error: there is none.
base::Result<std::filesystem::path> engineProgram(const std::filesystem::path& program);

/// A started engine. It has its own session and process group and outlives its parent (a write to a parent
/// that has ended fails with EPIPE and raises no signal). Its stderr is written to stderr.txt in the run's
/// folder; before it begins, follower.json there records that this process follows it. It inherits only stdin
/// (/dev/null), stdout, stderr and the volumes. Not thread-safe.
class EngineProcess : public RunningEngine {
public:
    /// Errors: the engine is not installed or cannot be executed, a volume's descriptor is not open, ...
    static base::Result<EngineProcess> start(const EngineRequest& request);
    /// Starts any program that writes an engine's events. stdout, stderr and the callback of `launch` are set
    /// here.
    static base::Result<EngineProcess> start(base::Launch launch, const std::filesystem::path& runFolder);
    EngineProcess(EngineProcess&&) noexcept;
    EngineProcess& operator=(EngineProcess&&) noexcept;
    ~EngineProcess() override;

    int pid() const { return pid_; }
    /// Non-blocking. -1 after the end.
    int fd() const override { return output_.get(); }
    /// Reads at most 4 MiB a call.
    std::vector<Event> read() override;
    bool behind() const override { return false; }  ///< fd() is then readable
    /// True once the pipe is closed and the process has been reaped.
    bool finished() override;
    /// Blocks until data arrives, the engine ends, or the timeout.
    void wait(int timeoutMs);
    void cancel() override;
    void kill() override;  ///< kills its whole process group
    int exitCode() const override { return exitCode_; }
    const std::string& errorText() const override { return errorText_; }

private:
    EngineProcess() = default;
    void swap(EngineProcess& other) noexcept;
    std::size_t readSome();
    bool reap();
    base::Process process_;
    base::Descriptor output_;
    EngineErrors errors_;
    EventLines lines_;
    int pid_ = -1, exitCode_ = -1;
    bool reaped_ = false;
    std::string errorText_;
};

}  // namespace highwater::wire
