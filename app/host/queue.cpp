#include "app/host/queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "app/host/place.h"
#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/hosts/connection.h"
#include "core/hosts/frames.h"

namespace highwater::host_app {

namespace fs = std::filesystem;

namespace {

constexpr auto kLongestAnswer = std::chrono::seconds(40);
constexpr std::size_t kMostAnswer = 16 << 20;

/// The script that Slurm starts for each task. $1: highwater-host, $2: the array's folder.
constexpr std::string_view kTask = "#!/bin/sh\nexec \"$1\" --task \"$2\" \"$SLURM_ARRAY_TASK_ID\"\n";

/// The output of one of Slurm's programs. Errors: it is not installed, fails (its last line), or does not
/// answer.
base::Result<std::string> ask(const char* program, std::vector<std::string> arguments) {
    base::Launch launch;
    launch.program = base::programOnPath(program);
    if (launch.program.empty()) {
        return base::Error{fmt::format("{} is not on PATH: this is not a login node of Slurm", program)};
    }
    launch.arguments = std::move(arguments);
    auto out = base::openPipe();
    const auto errors = hosts::unnamedFile();
    if (!out || !errors) {
        return out ? errors.error() : out.error();
    }
    launch.output = out->write.get();
    launch.errors = errors->get();
    auto process = HIGHWATER_TRY(base::Process::start(launch));
    out->write = base::Descriptor();
    std::string said;
    const auto begun = std::chrono::steady_clock::now();
    const auto code = HIGHWATER_TRY(process.follow(
        out->read.get(),
        [&](std::string_view text) -> base::Status {
            said += text;
            return said.size() > kMostAnswer
                       ? base::Status(base::Error{fmt::format("{} writes too much", program)})
                       : base::Status();
        },
        [&](std::chrono::steady_clock::duration) -> base::Status {
            base::boundErrors(errors->get());
            return std::chrono::steady_clock::now() - begun > kLongestAnswer
                       ? base::Status(base::Error{fmt::format("{} does not answer", program)})
                       : base::Status();
        }));
    if (code != 0) {
        std::string why = base::lastLine(errors->get(), program);
        constexpr std::string_view kError = "error: ";
        why.erase(0, why.starts_with(kError) ? kError.size() : 0);
        return base::Error{fmt::format("{}: {}", program, why)};
    }
    return said;
}

fs::path arrayFolder(const std::string& id) {
    return arraysFolder() / id;
}

std::string jobOf(const std::string& array) {
    const auto text = base::readFile(arrayFolder(array) / "job", base::kKiB);
    return text ? *text : std::string();
}

std::vector<std::string> runsOf(const fs::path& array) {
    const auto text = base::readFile(array / "runs", base::kMiB);
    std::vector<std::string> runs;
    for (std::size_t at = 0; text && at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        runs.push_back(text->substr(at, end - at));
        at = end + 1;
    }
    return runs;
}

base::Status makeArray(const hosts::Submission& submit) {
    const auto made = putFolder(arrayFolder(submit.array), [&](const fs::path& folder) -> base::Status {
        std::string list;
        for (const std::string& run : submit.runs) {
            list += run + "\n";
        }
        const auto written = base::writeFileAtomically(folder / "runs", list);
        return written ? base::writeFileAtomically(folder / "task.sh", kTask) : written;
    });
    return made ? base::Status() : made.error();
}

/// The job's number.
base::Result<std::string> submitArray(const hosts::Submission& submit) {
    HIGHWATER_TRY(makeArray(submit));
    if (std::string job = jobOf(submit.array); !job.empty()) {
        return job;
    }
    const fs::path folder = arrayFolder(submit.array);
    std::vector<std::string> arguments = {
        "--parsable",           fmt::format("--array=0-{}", submit.runs.size() - 1),
        "--job-name=highwater", "--requeue",
        "--open-mode=append",   "--chdir=" + folder.string(),
        "--output=%a.out"};
    if (!submit.partition.empty()) {
        arguments.push_back("--partition=" + submit.partition);
    }
    if (!submit.node.empty()) {
        arguments.push_back("--nodelist=" + submit.node);
    }
    if (submit.gres.empty()) {  // other jobs on the node would change the measured times
        arguments.insert(arguments.end(), {"--exclusive", "--mem=0"});
    } else {
        arguments.push_back("--gres=" + submit.gres);
    }
    arguments.insert(arguments.end(), {(folder / "task.sh").string(),
                                       base::siblingProgram("highwater-host").string(), folder.string()});
    auto said = HIGHWATER_TRY(ask("sbatch", std::move(arguments)));
    const std::string job = said.substr(0, said.find_first_not_of("0123456789"));  // "12;cluster"
    if (job.empty()) {
        return base::Error{fmt::format("sbatch: did not print a job number: {}", base::oneLine(said, 100))};
    }
    const auto written = base::writeFileAtomically(folder / "job", job);
    return written ? base::Result<std::string>(job) : written.error();
}

struct Task {
    std::string word, node, reason;
};
using Queue = std::map<std::string, Task>;  ///< by "JOB_INDEX"

base::Result<Queue> readQueue() {
    const auto said =
        HIGHWATER_TRY(ask("squeue", {"--noheader", "--array", "--user=" + std::to_string(::getuid()),
                                     "--states=all", "--format=%F|%K|%T|%N|%r"}));
    Queue queue;
    for (std::size_t at = 0; at < said.size();) {
        const std::size_t end = std::min(said.find('\n', at), said.size());
        std::string_view line = std::string_view(said).substr(at, end - at);
        std::string parts[5];
        for (std::string& part : parts) {
            const std::size_t bar = &part == &parts[4] ? line.size() : std::min(line.find('|'), line.size());
            part = line.substr(0, bar);
            line.remove_prefix(std::min(bar + 1, line.size()));
        }
        queue[parts[0] + "_" + parts[1]] = {parts[2], parts[3], parts[4]};
        at = end + 1;
    }
    return queue;
}

/// Finds the tasks of runs; reads each array once.
class Tasks {
public:
    /// "JOB_INDEX"; empty if the run was not submitted.
    std::string of(const std::string& run) {
        std::string array = arrayOf(runsFolder() / run);
        if (array.empty()) {
            array = arrayWith(run);  // the run was fetched, and its folder removed
        }
        if (array.empty()) {
            return {};
        }
        auto [at, added] = arrays_.try_emplace(array);
        if (added) {
            at->second = {jobOf(array), runsOf(arrayFolder(array))};
        }
        const auto& runs = at->second.second;
        const auto place = std::find(runs.begin(), runs.end(), run);
        return at->second.first.empty() || place == runs.end()
                   ? ""
                   : fmt::format("{}_{}", at->second.first, place - runs.begin());
    }

private:
    static std::string arrayWith(const std::string& run) {
        std::error_code error;
        for (fs::directory_iterator at(arraysFolder(), error), end; !error && at != end;
             at.increment(error)) {
            const std::vector<std::string> runs = runsOf(at->path());
            if (std::find(runs.begin(), runs.end(), run) != runs.end()) {
                return at->path().filename().string();
            }
        }
        return {};
    }
    std::map<std::string, std::pair<std::string, std::vector<std::string>>> arrays_;
};

bool isOver(std::string_view word) {
    static constexpr std::string_view kOver[] = {"COMPLETED",     "FAILED",    "CANCELLED", "TIMEOUT",
                                                 "NODE_FAIL",     "PREEMPTED", "BOOT_FAIL", "DEADLINE",
                                                 "OUT_OF_MEMORY", "REVOKED"};
    return word.empty() || std::find(std::begin(kOver), std::end(kOver), word) != std::end(kOver);
}

std::string_view stateOf(const fs::path& folder, const std::optional<End>& end, const std::string& word,
                         bool queueKnown) {
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) {
        return "absent";
    }
    if (end) {
        return "ended";
    }
    if (fs::exists(folder / hosts::kEvents, ignored)) {
        const base::Descriptor lock = tryLock(folder);
        return lock.get() < 0 ? "running" : readEnd(folder) ? "ended" : "broken";
    }
    return queueKnown && isOver(word) ? "gone" : "waiting";
}

std::pair<base::Json, std::string> lookAt(const std::vector<std::string>& runs) {
    const auto queue = readQueue();
    Tasks tasks;
    base::Json list = base::Json::array();
    for (const std::string& run : runs) {
        const fs::path folder = runsFolder() / run;
        Task task;
        if (queue) {
            const auto at = queue->find(tasks.of(run));
            task = at == queue->end() ? Task() : at->second;
        }
        const auto state = stateOf(folder, readEnd(folder), task.word, queue.ok());
        const auto end = readEnd(folder);
        base::Json json = {{"run", run}, {"state", state}};
        if (end) {
            json["exit_code"] = end->exitCode;
        }
        for (const auto& [key, text] : {std::pair("word", &task.word), std::pair("node", &task.node),
                                        std::pair("reason", &task.reason)}) {
            if (!text->empty()) {
                json[key] = *text;
            }
        }
        list.push_back(std::move(json));
    }
    base::Json answer = {{"answer", "look"}};
    if (!queue) {
        answer["silent"] = queue.error().message;
    }
    return {answer, base::jsonText(list)};
}

base::Json stopTasks(const std::vector<std::string>& runs) {
    Tasks tasks;
    std::vector<std::string> all;
    for (const std::string& run : runs) {
        if (std::string task = tasks.of(run); !task.empty()) {
            all.push_back(std::move(task));
        }
    }
    const auto done = all.empty() ? base::Result<std::string>("") : ask("scancel", all);
    return done ? base::Json{{"answer", "stop"}}
                : base::Json{{"answer", "stop"}, {"silent", done.error().message}};
}

}  // namespace

fs::path arraysFolder() {
    return runsFolder().parent_path() / "arrays";
}

fs::path taskRun(const fs::path& array, const std::string& index) {
    const std::vector<std::string> runs = runsOf(array);
    std::size_t number = 0;
    return base::readNumber(index, number) && number < runs.size() ? runsFolder() / runs[number] : fs::path();
}

std::pair<base::Json, std::string> answerOfQueue(const hosts::Request& request) {
    if (request.submit) {
        const auto job = submitArray(*request.submit);
        return {job ? base::Json{{"answer", "submit"}, {"job", *job}}
                    : base::Json{{"answer", "submit"}, {"refused", job.error().message}},
                ""};
    }
    return request.look.empty() ? std::pair(stopTasks(request.stop), std::string()) : lookAt(request.look);
}

}  // namespace highwater::host_app
