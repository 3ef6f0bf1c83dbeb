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

/// A volume's handover file (core/volume), identified by its content.
struct VolumeKey {
    std::string sha256;
    base::Bytes bytes = 0;
    bool operator==(const VolumeKey&) const = default;
};

/// A run to start on the host. It is stored in the run's folder there as request.json.
struct Start {
    base::Json experiment;
    std::string device = "cpu";
    int steps = 20, warmup = 3;
    std::optional<base::Bytes> budget;
    bool trace = true;               ///< record every allocation
    std::int64_t timeLimit = 1;      ///< in seconds; the run is then stopped, and recorded as stopped
    std::vector<VolumeKey> volumes;  ///< in the engine's order (wire::EngineRequest::volumeFds)
    /// The request for the engine on the host, without its volumes. The trace is written to trace.chunks.
    wire::EngineRequest engine(const std::filesystem::path& runFolder) const;
};

/// Runs that become the tasks of one Slurm array, and the resources that each requests (checkQueue).
struct Submission {
    std::string array;              ///< one of our ids, like a run's; submitting it twice has no effect
    std::vector<std::string> runs;  ///< prepared before (Request::array), at most kMostTasks
    std::string partition, gres;
    std::string node = {};  ///< the only node that may run them; empty: any
};
inline constexpr std::size_t kMostTasks = 500;

/// The requests to highwater-host, one line each. A run's connection stays open until the run ends. After the
/// request line, these lines may follow: kCancel, kKill, kFetched, kNoTrace, an empty line, which says that
/// the connection is alive, and parts of the volumes that the host asks for: frames of a line {"volume":
/// SHA256, "at": N, "bytes": N} and the bytes.
struct Request {
    std::string run;             ///< the run's id, both here and on the host
    std::optional<Start> start;  ///< starts the run if it does not exist; std::nullopt: only follows it
    std::int64_t have = 0;       ///< size of the local copy of events.jsonl
    std::int64_t haveTrace = 0;  ///< the same for trace.chunks; -1: it is not wanted
    std::string array = {};      ///< with `start`: prepares the run for this array without starting it
    // Instead of a run, requests about the queue; each is answered by one frame (core/hosts/queue.h).
    std::optional<Submission> submit = {};
    std::vector<std::string> look = {};  ///< asks for the state of these runs, at most kMostTasks
    std::vector<std::string> stop = {};  ///< removes these runs from the queue
};

inline constexpr std::string_view kCancel = "cancel", kKill = "kill", kFetched = "fetched",
                                  kNoTrace = "no-trace";

/// Describes the run to start; the volumes in `request` are read once, to identify them by content.
/// `timeLimit` in seconds. Errors: sha256Of()'s.
base::Result<Start> startOf(const stack::Experiment& experiment, const wire::EngineRequest& request,
                            std::int64_t timeLimit, const std::atomic<bool>* cancel = nullptr);
inline constexpr std::int64_t kTimeLimit = 24 * 3600;

base::Json toJson(const Start& start);
base::Result<Start> startFromJson(const base::Json& json, const std::string& where);
std::string toLine(const Request& request);
/// Error: one line. A run's id may contain only lower-case letters, digits and "-".
base::Result<Request> parseRequest(std::string_view line);

}  // namespace highwater::hosts
