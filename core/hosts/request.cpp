#include "core/hosts/request.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "core/base/json_file.h"
#include "core/hosts/digest.h"
#include "core/hosts/hosts.h"
#include "core/stack/json/json.h"

namespace highwater::hosts {

namespace {

constexpr std::size_t kMostVolumes = 100'000;
constexpr int kMostSteps = 1'000'000;
constexpr std::int64_t kMostSeconds = 366 * 24 * 3600;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

bool isRunId(std::string_view id) {
    return !id.empty() && id.size() <= 64 && id.front() != '-' &&
           std::all_of(id.begin(), id.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

constexpr std::string_view kNoId = "is not a run's id";

/// Runs where there are any.
template <class Way>
void runs(Way& way, std::string_view key, base::Exchanged<Way, std::vector<std::string>>& runs) {
    way.unless(std::vector<std::string>(), key, runs);
    way.check(runs.size() <= kMostTasks && std::ranges::all_of(runs, isRunId), key,
              fmt::format("must be a list of at most {} runs' ids", kMostTasks));
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Submission>& submit) {
    way("array", submit.array);
    way.check(isRunId(submit.array), "array", kNoId);
    runs(way, "runs", submit.runs);
    way.check(!submit.runs.empty(), "runs", "is missing");
    way.olderWithout("partition", submit.partition);
    way.olderWithout("gres", submit.gres);
    way.olderWithout("node", submit.node);
    const base::Status good = checkQueue(submit.partition, submit.gres, submit.node);
    way.check(good.ok(), "", good.ok() ? "" : good.error().message);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, VolumeKey>& volume) {
    way("sha256", volume.sha256);
    way.check(isSha256(volume.sha256), "sha256", "must be 64 hexadecimal digits");
    way("bytes", volume.bytes, base::Whole{1, kMost});
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Start>& start) {
    way("device", start.device);
    way("steps", start.steps, base::Whole{1, kMostSteps});
    way("warmup", start.warmup, base::Whole{0, kMostSteps});
    way.olderWithout("trace", start.trace);
    way("time_limit_s", start.timeLimit, base::Whole{1, kMostSeconds});
    way("budget_bytes", start.budget, base::Whole{1, kMost});
    if (Way::kReads || !start.volumes.empty()) {
        way.olderWithout("volumes", start.volumes);
    }
    way.check(start.volumes.size() <= kMostVolumes, "volumes", "must be a list of volumes");
    way("experiment", start.experiment);
}

wire::EngineRequest Start::engine(const std::filesystem::path& runFolder) const {
    wire::EngineRequest request;
    request.runFolder = runFolder;
    request.device = device;
    request.steps = steps;
    request.warmup = warmup;
    request.budget = budget;
    request.trace = trace;
    request.traceChunks = true;
    return request;
}

base::Result<Start> startOf(const stack::Experiment& experiment, const wire::EngineRequest& request,
                            std::int64_t timeLimit, const std::atomic<bool>* cancel) {
    Start start;
    start.experiment = stack::toJson(experiment);
    start.device = request.device;
    start.steps = request.steps;
    start.warmup = request.warmup;
    start.budget = request.budget;
    start.trace = request.trace;
    start.timeLimit = timeLimit;
    for (const int fd : request.volumeFds) {
        auto digest = sha256Of(fd, cancel);
        struct stat facts{};
        if (!digest || ::fstat(fd, &facts) != 0) {
            return digest ? base::Error{"a volume cannot be read"} : digest.error();
        }
        start.volumes.push_back({std::move(*digest), facts.st_size});
    }
    return start;
}

base::Json toJson(const Start& start) {
    return base::JsonOut::written(start);
}

base::Result<Start> startFromJson(const base::Json& json, const std::string& where) {
    return base::fromJson<Start>(json, where);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Request>& request) {
    way.format("schema", "highwater.host-request/1");
    bool ofRun = !request.run.empty();
    if constexpr (Way::kReads) {
        ofRun = !way.has("submit") && !way.has("look") && !way.has("stop");
    }
    if (ofRun) {
        way("run", request.run);
        way.check(isRunId(request.run), "run", kNoId);
        way("have", request.have);
        way("have_trace", request.haveTrace, base::Whole{-1, kMost});
    }
    way("start", request.start);
    way.unless(std::string(), "array", request.array);
    way.check(request.array.empty() || isRunId(request.array), "array", kNoId);
    way("submit", request.submit);
    runs(way, "look", request.look);
    runs(way, "stop", request.stop);
    way.check(ofRun || request.submit || !request.look.empty() || !request.stop.empty(), "",
              "asks for nothing");
}

std::string toLine(const Request& request) {
    return base::jsonText(base::JsonOut::written(request)) + "\n";
}

base::Result<Request> parseRequest(std::string_view line) {
    const auto json = base::parseJson(line, "request");
    return json ? base::fromJson<Request>(*json) : json.error();
}

}  // namespace highwater::hosts
