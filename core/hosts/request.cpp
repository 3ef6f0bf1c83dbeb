#include "core/hosts/request.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

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

std::string readId(base::JsonReader& reader, std::string_view key) {
    std::string id = reader.text(key);
    if (!reader.failed() && !isRunId(id)) {
        reader.fail(key, "is not a run's id");
    }
    return id;
}

std::vector<std::string> readRuns(base::JsonReader& reader, std::string_view key) {
    std::vector<std::string> runs;
    const base::Json* list = reader.raw(key);
    if (!list) {
        return runs;
    }
    if (!list->is_array() || list->empty() || list->size() > kMostTasks) {
        reader.fail(key, "must be a list of runs");
        return runs;
    }
    for (const base::Json& id : *list) {
        if (!id.is_string() || !isRunId(id.get_ref<const std::string&>())) {
            reader.fail(key, "has an invalid run id");
            return runs;
        }
        runs.push_back(id.get<std::string>());
    }
    return runs;
}

Submission readSubmission(base::JsonReader& parent, const base::Json& json) {
    base::JsonReader reader(json, "/submit");
    Submission submit;
    submit.array = readId(reader, "array");
    submit.runs = readRuns(reader, "runs");
    submit.partition = reader.text("partition", "");
    submit.gres = reader.text("gres", "");
    submit.node = reader.text("node", "");
    if (const auto good = checkQueue(submit.partition, submit.gres, submit.node); !good) {
        reader.failAt("/submit: " + good.error().message);
    } else if (submit.runs.empty()) {
        reader.fail("runs", "is missing");
    }
    if (const auto finished = reader.finish(); !finished) {
        parent.failAt(finished.error().message);
    }
    return submit;
}

base::Status readVolumes(const base::Json& list, const std::string& where, std::vector<VolumeKey>& volumes) {
    if (!list.is_array() || list.size() > kMostVolumes) {
        return base::Error{where + ": must be a list of volumes"};
    }
    for (const base::Json& each : list) {
        base::JsonReader reader(each, where + "/" + std::to_string(volumes.size()));
        volumes.push_back({reader.text("sha256"), reader.integer("bytes", 1, kMost)});
        if (!reader.failed() && !isSha256(volumes.back().sha256)) {
            reader.fail("sha256", "must be 64 hexadecimal digits");
        }
        if (const auto finished = reader.finish(); !finished) {
            return finished;
        }
    }
    return {};
}

}  // namespace

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
    base::Json json = {{"device", start.device},
                       {"steps", start.steps},
                       {"warmup", start.warmup},
                       {"trace", start.trace},
                       {"time_limit_s", start.timeLimit}};
    if (start.budget) {
        json["budget_bytes"] = *start.budget;
    }
    for (const VolumeKey& volume : start.volumes) {
        json["volumes"].push_back({{"sha256", volume.sha256}, {"bytes", volume.bytes}});
    }
    json["experiment"] = start.experiment;
    return json;
}

base::Result<Start> startFromJson(const base::Json& json, const std::string& where) {
    base::JsonReader reader(json, where);
    Start start;
    start.device = reader.text("device");
    start.steps = static_cast<int>(reader.integer("steps", 1, kMostSteps));
    start.warmup = static_cast<int>(reader.integer("warmup", 0, kMostSteps));
    start.trace = reader.boolean("trace", true);
    start.timeLimit = reader.integer("time_limit_s", 1, kMostSeconds);
    if (reader.has("budget_bytes")) {
        start.budget = reader.integer("budget_bytes", 1, kMost);
    }
    if (const base::Json* volumes = reader.raw("volumes")) {
        if (const auto read = readVolumes(*volumes, where + "/volumes", start.volumes); !read) {
            return read.error();
        }
    }
    if (const base::Json* experiment = reader.raw("experiment")) {
        start.experiment = *experiment;
    } else {
        reader.fail("experiment", "is missing");
    }
    const auto finished = reader.finish();
    return finished ? base::Result<Start>(std::move(start)) : finished.error();
}

std::string toLine(const Request& request) {
    base::Json json = {{"schema", "highwater.host-request/1"}};
    if (!request.run.empty()) {
        json.update({{"run", request.run}, {"have", request.have}, {"have_trace", request.haveTrace}});
    }
    if (request.start) {
        json["start"] = toJson(*request.start);
    }
    if (!request.array.empty()) {
        json["array"] = request.array;
    }
    if (request.submit) {
        json["submit"] = {{"array", request.submit->array},
                          {"runs", request.submit->runs},
                          {"partition", request.submit->partition},
                          {"gres", request.submit->gres},
                          {"node", request.submit->node}};
    }
    for (const auto& [key, runs] : {std::pair("look", &request.look), std::pair("stop", &request.stop)}) {
        if (!runs->empty()) {
            json[key] = *runs;
        }
    }
    return json.dump(-1, ' ', false, base::Json::error_handler_t::replace) + "\n";
}

base::Result<Request> parseRequest(std::string_view line) {
    const auto json = base::parseJson(line, "request");
    if (!json) {
        return json.error();
    }
    base::JsonReader reader(*json, "");
    reader.choice("schema", {"highwater.host-request/1"});
    Request request;
    request.look = readRuns(reader, "look");
    request.stop = readRuns(reader, "stop");
    if (const base::Json* submit = reader.raw("submit")) {
        request.submit = readSubmission(reader, *submit);
    }
    if (!request.submit && request.look.empty() && request.stop.empty()) {
        request.run = readId(reader, "run");
        request.have = reader.integer("have", 0, kMost);
        request.haveTrace = reader.integer("have_trace", -1, kMost);
        request.array = reader.has("array") ? readId(reader, "array") : "";
    }
    if (const base::Json* start = reader.raw("start")) {
        auto read = startFromJson(*start, "/start");
        if (!read) {
            return read.error();
        }
        request.start = std::move(*read);
    }
    const auto finished = reader.finish();
    return finished ? base::Result<Request>(std::move(request)) : finished.error();
}

}  // namespace highwater::hosts
