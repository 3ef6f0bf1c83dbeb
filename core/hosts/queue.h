#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/hosts/request.h"

/// The queue of a cluster (Slurm), through highwater-host on its login node. The queue is not believed: what
/// became of a run is what its folder there says.
namespace highwater::hosts {

/// A run in the queue.
struct Task {
    enum class State {
        Waiting,  ///< it has not begun, and the queue has it, or does not answer
        Running,  ///< an engine is at work on it
        Ended,    ///< its end is recorded
        Broken,   ///< it had begun, and nobody is at work on it: its node failed, or its task was killed
        Gone,     ///< it has not begun, and the queue does not have it (any more)
        Absent    ///< the host does not have it
    };
    std::string run;
    State state = State::Waiting;
    std::string word, node, reason;  ///< as Slurm says them: "PENDING", "n1", "Resources"; empty: it does not
    int exitCode = -1;               ///< Ended: the engine's; -1: unknown
};

/// Why it waits or where it runs, in plain words: "waiting for its turn", "running on node n1".
std::string wordsOf(const Task& task);
/// Whether somebody has taken it from the queue, or Slurm ended it at a limit: then it is not to be submitted
/// again.
bool isFinal(std::string_view word);
/// Why, for a run that ended so: "it was cancelled in the queue".
std::string whyFinal(std::string_view word);

class Queue {
public:
    Queue(Host host, std::optional<Connection> connection)
        : host_(std::move(host)), connection_(std::move(connection)) {}
    const Host& host() const { return host_; }

    /// Makes an array of runs that were placed (RemoteEngine::place). The job's number. Errors: the host
    /// cannot be reached; Slurm refuses it. The same array can be submitted again: it is in the queue once.
    /// `node`: the only one that may run it; empty: any.
    base::Result<std::string> submit(const std::string& array, const std::vector<std::string>& runs,
                                     const std::string& node, const std::atomic<bool>* cancel);
    /// `silent` gets why the queue does not answer, if so. Error: the host cannot be reached.
    base::Result<std::vector<Task>> look(const std::vector<std::string>& runs, std::string& silent,
                                         const std::atomic<bool>* cancel);
    /// Takes the runs' tasks from the queue; an engine at work is asked to stop. Errors as look().
    base::Status stop(const std::vector<std::string>& runs);

    /// The connection, for one run; a new one if there is none. Error: the host cannot be reached.
    base::Result<Connection> lend(const std::atomic<bool>* cancel);
    void giveBack(std::optional<Connection> connection) { connection_ = std::move(connection); }
    /// True after submit(): Slurm, and not the connection, was at fault.
    bool refused() const { return refused_; }

private:
    base::Result<Frame> ask(const Request& request, const std::atomic<bool>* cancel);
    Host host_;
    std::optional<Connection> connection_;
    bool refused_ = false;
};

}  // namespace highwater::hosts
