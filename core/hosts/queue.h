#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/hosts/request.h"

/// The queue of a cluster (Slurm), accessed through highwater-host on its login node. The state of a run is
/// read from its folder there, because the queue's answers are not reliable.
namespace highwater::hosts {

/// A run in the queue.
struct Task {
    enum class State {
        Waiting,  ///< not started; it is in the queue, or the queue does not answer
        Running,  ///< an engine is running it
        Ended,    ///< its end is recorded
        Broken,   ///< it had started, but nothing is running it: its node failed, or its task was killed
        Gone,     ///< not started, and not in the queue (any more)
        Absent    ///< not on the host
    };
    std::string run;
    State state = State::Waiting;
    std::string word, node, reason;  ///< as Slurm reports them: "PENDING", "n1", "Resources"; empty: not
                                     ///< reported
    int exitCode = -1;               ///< for Ended: the engine's exit code; -1: unknown
};

/// Why it waits or where it runs, for display: "waiting for its turn", "running on node n1".
std::string wordsOf(const Task& task);
/// Whether the task was removed from the queue, or Slurm ended it at a limit: it must not be submitted again.
bool isFinal(std::string_view word);
/// The reason for a run that ended this way: "it was cancelled in the queue".
std::string whyFinal(std::string_view word);

class Queue {
public:
    Queue(Host host, std::optional<Connection> connection)
        : host_(std::move(host)), connection_(std::move(connection)) {}
    const Host& host() const { return host_; }

    /// Submits an array of runs that were placed (RemoteEngine::place) and returns the job's number. Errors:
    /// the host cannot be reached; Slurm refuses it. Submitting the same array again has no effect: it is in
    /// the queue once. `node`: the only one that may run it; empty: any.
    base::Result<std::string> submit(const std::string& array, const std::vector<std::string>& runs,
                                     const std::string& node, const std::atomic<bool>* cancel);
    /// `silent` gets the reason if the queue does not answer. Error: the host cannot be reached.
    base::Result<std::vector<Task>> look(const std::vector<std::string>& runs, std::string& silent,
                                         const std::atomic<bool>* cancel);
    /// Removes the runs' tasks from the queue; a running engine is asked to stop. Errors as look().
    base::Status stop(const std::vector<std::string>& runs);

    /// Hands over the connection for one run; a new one if there is none. Error: the host cannot be reached.
    base::Result<Connection> lend(const std::atomic<bool>* cancel);
    void giveBack(std::optional<Connection> connection) { connection_ = std::move(connection); }
    /// After submit(): true if it failed because of Slurm, not because of the connection.
    bool refused() const { return refused_; }

private:
    base::Result<Frame> ask(const Request& request, const std::atomic<bool>* cancel);
    Host host_;
    std::optional<Connection> connection_;
    bool refused_ = false;
};

}  // namespace highwater::hosts
