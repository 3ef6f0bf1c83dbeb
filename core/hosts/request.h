#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stack/experiment.h"
#include "core/wire/engine_process.h"

namespace highwater::hosts {

/// A volume's handover file (core/volume), by its content.
struct VolumeKey {
    std::string sha256;
    base::Bytes bytes = 0;
    bool operator==(const VolumeKey&) const = default;
};

/// What is to be run there. It stays in the run's folder on the host as request.json.
struct Start {
    base::Json experiment;
    std::string device = "cpu";
    int steps = 20, warmup = 3;
    std::optional<base::Bytes> budget;
    bool trace = true;               ///< record every allocation
    std::int64_t timeLimit = 1;      ///< seconds; the run is stopped then, and recorded as stopped
    std::vector<VolumeKey> volumes;  ///< in the engine's order (wire::EngineRequest::volumeFds)
    /// For the engine there, without its volumes. Its trace goes into trace.chunks.
    wire::EngineRequest engine(const std::filesystem::path& runFolder) const;
};

/// Runs that are to become the tasks of one array of Slurm, and what each asks for (checkQueue).
struct Submission {
    std::string array;              ///< an id of ours, as a run's; the same one twice is submitted once
    std::vector<std::string> runs;  ///< placed before (Request::array), at most kMostTasks
    std::string partition, gres;
    std::string node = {};  ///< the only one that may run them; empty: any
};
inline constexpr std::size_t kMostTasks = 500;

/// What highwater-host is asked, one line each. A run is handed over until its end. After its line: kCancel,
/// kKill, kFetched, kNoTrace, an empty line, which says that the connection is alive, and parts of the
/// volumes that it asks for: frames of a line {"volume": SHA256, "at": N, "bytes": N} and the bytes.
struct Request {
    std::string run;             ///< the run's id here and there
    std::optional<Start> start;  ///< starts the run if it is not there; nothing: follows it only
    std::int64_t have = 0;       ///< bytes of events.jsonl that are here already
    std::int64_t haveTrace = 0;  ///< the same of trace.chunks; -1: it is not wanted
    std::string array = {};      ///< with `start`: the run is made ready for this array, and not started
    // Instead of a run, what concerns the queue; each is answered by one frame (core/hosts/queue.h).
    std::optional<Submission> submit = {};
    std::vector<std::string> look = {};  ///< how are these runs? at most kMostTasks
    std::vector<std::string> stop = {};  ///< take these runs from the queue
};

inline constexpr std::string_view kCancel = "cancel", kKill = "kill", kFetched = "fetched",
                                  kNoTrace = "no-trace";

/// What is to be run there; the volumes in `request` are read once, to name them by their content.
/// `timeLimit` in seconds. Errors: sha256Of()'s.
base::Result<Start> startOf(const stack::Experiment& experiment, const wire::EngineRequest& request,
                            std::int64_t timeLimit, const std::atomic<bool>* cancel = nullptr);
inline constexpr std::int64_t kTimeLimit = 24 * 3600;

base::Json toJson(const Start& start);
base::Result<Start> startFromJson(const base::Json& json, const std::string& where);
std::string toLine(const Request& request);
/// Error: one line. A run's id has lower-case letters, digits and "-" alone.
base::Result<Request> parseRequest(std::string_view line);

}  // namespace highwater::hosts
