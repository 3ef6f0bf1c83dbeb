#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/process_identity.h"
#include "core/base/result.h"
#include "core/runs/labels.h"
#include "core/runs/progress.h"
#include "core/runs/store_lock.h"
#include "core/stack/experiment.h"
#include "core/wire/events.h"
#include "core/wire/python_source.h"
#include "core/wire/script_source.h"

/// The store has one folder for each run, STORE/runs/ID/: experiment.json (or script.json), state.json,
/// labels.json, follower.json (core/wire/follower.h), events.jsonl, result.json, stderr.txt, previews.
/// STORE/index.db is a local index that can be rebuilt from the folders; STORE/last-number is the highest
/// number given. A run's folder, and the whole store, may come from elsewhere, so their files are untrusted
/// and checked. A state is written to disk before it is announced.
namespace highwater::runs {

/// A row of the runs table.
struct RunSummary {
    std::string id;
    int number = 0;       ///< 1, 2, ... in order of creation within the store
    std::string name;     ///< the label if it has one, otherwise the experiment's name
    std::string created;  ///< ISO 8601, UTC
    wire::RunStatus status = wire::RunStatus::Running;
    std::string device;
    std::int64_t batchSize = 0;
    stack::Sizes patch;  ///< spatial size of the input
    base::Bytes peakAllocated = 0;
    base::Interval stepMs;
    std::string message;  ///< why it failed or ran out of memory; empty otherwise
    std::string note;
    std::vector<std::string> tags;
    Study study;
    std::optional<double> loss;        ///< loss of the last step
    std::optional<Progress> progress;  ///< only while it runs
    std::string host;                  ///< name in `hosts list` of the host where it ran; empty: this machine
    std::string torch;                 ///< the PyTorch that it went through, in Python; empty: the engine
    bool operator==(const RunSummary&) const = default;
};

/// Where it ran: "cuda:0", "cuda:0 on lab", "cpu, PyTorch 2.11.0 in Python".
std::string whereText(const RunSummary& run);

/// A run that an engine on this machine is executing, or that a process is about to start; or a run on a
/// host, until its record has been fetched.
struct ActiveRun {
    enum class FollowedBy {
        Nobody,  ///< its follower has ended: it can be taken over
        ThisProcess,
        Another,
        Unknown  ///< no follower.json, or a damaged one
    };
    std::string id;
    int number = 0;
    FollowedBy followedBy = FollowedBy::Unknown;
    std::string problem;    ///< what is wrong with follower.json; empty if nothing is
    std::string host = {};  ///< the host of its engine; empty: this machine
    bool operator==(const ActiveRun&) const = default;
};

/// A run that this process has taken over.
struct TakenRun {
    std::filesystem::path folder;
    int number = 0;
    stack::Experiment experiment;
    base::ProcessIdentity engine;
    std::string host = {};  ///< the host of its engine; empty: this machine, the process above
};

/// Everything recorded of one run.
struct RunRecord {
    RunSummary summary;
    stack::Experiment experiment;                   ///< for a script: only its command, as the name
    wire::RunResult result;                         ///< assembled from its events if the engine died
    std::vector<wire::Event> events;                ///< in order
    std::optional<wire::ScriptSource> script = {};  ///< only for a run of a script
    std::optional<wire::PythonSource> python = {};  ///< if it is an experiment's that went through Python
    /// Whether the device was pretended: nothing was executed.
    bool pretended() const { return (script && script->pretended()) || (python && python->pretended()); }
};

class RunStore {
public:
    /// Opens or creates a store. Rebuilds a missing or damaged index. Settles runs that are marked as running
    /// but whose engine is gone: they become failed and keep their measurements. `waiting` is called, here
    /// and in all later calls, when another program has locked the store for more than a second.
    static base::Result<RunStore> open(const std::filesystem::path& folder, Waiting waiting = {});
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;
    ~RunStore();

    const std::filesystem::path& folder() const;
    /// A remark on the store, as one line: its index was written by a newer version. Usually empty.
    std::string note() const;

    /// Creates a run folder with experiment.json and the state "running", for the engine to continue.
    base::Result<std::filesystem::path> create(const stack::Experiment& experiment, std::string_view device,
                                               const Study& study = {});
    /// The same for a run of a script: with script.json instead of experiment.json.
    base::Result<std::filesystem::path> create(const wire::ScriptSource& script);
    /// Call after the engine has ended: reads the folder, marks the run as failed if the engine died ("the
    /// engine died: signal 9"), updates the index. Returns the row.
    base::Result<RunSummary> settle(const std::string& id, int exitCode, std::string_view errorText);

    base::Result<std::vector<RunSummary>> list() const;   ///< oldest first
    base::Result<std::vector<ActiveRun>> active() const;  ///< oldest first
    /// Makes this process the follower of a run without one. std::nullopt if there is no such run (any more):
    /// its engine has ended, or another process follows it. If two processes try, one succeeds.
    base::Result<std::optional<TakenRun>> takeOver(const std::string& id);
    /// Records a run on a host as failed, with the data that has arrived; nothing on the host is stopped.
    /// Errors: it is not on a host, or another process follows it.
    base::Result<RunSummary> giveUp(const std::string& id);
    /// Loads a run by id, by a unique prefix of an id, or by number.
    base::Result<RunRecord> load(std::string_view idOrNumber) const;
    /// Changes name, note or tags; they are on disk when it returns. Returns the row.
    base::Result<RunSummary> label(std::string_view idOrNumber, const LabelChange& change);
    base::Status remove(std::string_view idOrNumber);
    base::Status rebuildIndex();

private:
    struct Impl;
    explicit RunStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Writes the engine's events and result into the run's folder.
class RunWriter {
public:
    static base::Result<RunWriter> open(const std::filesystem::path& runFolder);
    RunWriter(RunWriter&&) noexcept;
    RunWriter& operator=(RunWriter&&) noexcept;
    ~RunWriter();
    /// Appends to events.jsonl. Each line is written to the kernel at once, and synced to disk for state
    /// changes. If a line cannot be written, because the disk is full, no more are: the file ends with the
    /// last whole line, and the disk space reserved until then is used to record how the run ended.
    base::Status append(const wire::Event& event);
    /// The same, for an event whose line (wire::toLine) already exists.
    base::Status append(const wire::Event& event, std::string_view line);
    /// Writes result.json, then the final state, using the disk space reserved for them.
    base::Status finish(const wire::RunResult& result);

private:
    struct Impl;
    explicit RunWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace highwater::runs
