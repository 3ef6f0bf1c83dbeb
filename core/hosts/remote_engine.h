#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/hosts/pace.h"
#include "core/hosts/request.h"
#include "core/wire/event_lines.h"
#include "core/wire/running_engine.h"

namespace highwater::hosts {

/// An engine on a host, followed through ssh. The files that it writes there are copied to the run's folder
/// here, byte for byte: events.jsonl, the preview, and at the end result.json, stderr.txt and the trace
/// (core/memory/trace_record.h). A broken connection does not end the run: it is reopened, with increasing
/// pauses of at most 30 s, and continues where it broke off; a Warning among the events says so. Once
/// everything has been copied and synced to disk, the host is told to delete the run. A host that sends more
/// than a run can have (core/hosts/run_limits.h) is told to end it; the data received is kept, and
/// errorText() says why. Destroying this object stops nothing. Not thread-safe.
class RemoteEngine : public wire::RunningEngine {
public:
    /// Starts the run that was created in this folder. Before the host is told, follower.json in the folder
    /// records that this process follows the run. `volumeFds` are the files that start.volumes names, in that
    /// order; this object duplicates them. Those that the host does not have are sent first. Error:
    /// follower.json could not be written, or there are too many volumes.
    static base::Result<std::unique_ptr<RemoteEngine>> start(const Host& host, Connection connection,
                                                             const std::filesystem::path& runFolder,
                                                             const Start& start,
                                                             const std::vector<int>& volumeFds);
    /// Prepares the run on the host for an array of Slurm (core/hosts/queue.h) and then has finished; if it
    /// failed, errorText() says why. Errors as start()'s.
    static base::Result<std::unique_ptr<RemoteEngine>> place(const Host& host, Connection connection,
                                                             const std::filesystem::path& runFolder,
                                                             const Start& start,
                                                             const std::vector<int>& volumeFds,
                                                             const std::string& array);
    /// Follows a run that was started earlier and that this process takes over.
    static std::unique_ptr<RemoteEngine> follow(const Host& host, Connection connection,
                                                const std::filesystem::path& runFolder);

    int fd() const override { return -1; }  ///< the descriptor changes: call read() now and then
    /// Reads at most 256 KiB a call. Also reopens broken connections.
    std::vector<wire::Event> read() override;
    bool behind() const override { return behind_; }
    bool finished() override { return finished_; }
    /// Without a connection: cancels once there is one again. While the trace arrives: skips the rest of the
    /// trace.
    void cancel() override;
    void kill() override;
    int exitCode() const override { return exitCode_; }
    const std::string& errorText() const override { return errorText_; }

    /// After finished(): the connection, for the next run; std::nullopt if it is not usable.
    std::optional<Connection> takeConnection();
    /// After finished(): the node on which it ran; empty if unknown.
    const std::string& node() const { return node_; }
    /// After finished(): whether it was stopped at its time limit.
    bool timedOut() const { return timedOut_; }
    /// Whether there is a connection now.
    bool connected() const { return connection_ && connection_->greeted(); }
    /// The current activity besides the run, as one line: the volumes are sent, the trace is fetched, the
    /// host cannot be reached. Otherwise empty.
    std::string activity() const;
    /// Waits for data or for the timeout.
    void wait(int timeoutMs) const;

private:
    using Clock = std::chrono::steady_clock;
    RemoteEngine(Host host, Connection connection, std::filesystem::path runFolder,
                 std::optional<Start> start);
    base::Status openEvents();
    std::int64_t openTrace();
    void connect();
    void receive();
    base::Status take(const Frame& frame);
    base::Status takeFile(const Frame& frame);
    base::Status takeTrace(const Frame& frame);
    base::Status refuse(std::string_view name, base::Bytes most);
    base::Status takeEnd(const Frame& frame);
    void stop(std::string_view how);
    base::Status takeNeed(const Frame& frame);
    void sendVolume();
    void lose(const std::string& why);
    void readEvents();
    void say(const std::string& line);

    Host host_;
    std::filesystem::path folder_;
    std::optional<Start> start_;
    std::vector<base::Descriptor> volumes_;
    std::optional<std::size_t> sending_;  ///< index of the volume
    base::Bytes sent_ = 0;                ///< bytes sent of it
    std::optional<Connection> connection_;
    bool asked_ = false;  ///< the request was sent over this connection
    bool lost_ = false;   ///< a Warning says so
    bool begun_ = false;  ///< the run is known to have started on the host
    Clock::time_point retry_{};
    std::chrono::milliseconds pause_ = pace().firstPause;
    std::string stop_;  ///< the message that stops the run
    std::string part_;  ///< content of the file that arrives
    base::Bytes mostPart_ = 0;
    base::Descriptor trace_;
    base::Bytes traceHave_ = 0, traceAll_ = 0;  ///< bytes of the trace; all are 0 before and after its
                                                ///< transfer
    bool noTrace_ = false;
    base::Descriptor events_, reading_;
    wire::EventLines lines_;
    std::vector<wire::Event> own_;
    bool ended_ = false, behind_ = true, finished_ = false;
    Clock::time_point endedAt_{};
    int exitCode_ = -1;
    std::string errorText_, node_, array_;
    bool timedOut_ = false;
    bool forgotten_ = false;  ///< the host has deleted the run
};

}  // namespace highwater::hosts
