#include "core/hosts/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/base/json_reader.h"
#include "core/base/text.h"

namespace highwater::hosts {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAnswerWaitMs = 50;
constexpr auto kLongestQuiet = std::chrono::seconds(120);

constexpr std::array<std::pair<std::string_view, Task::State>, 6> kStates = {
    {{"waiting", Task::State::Waiting},
     {"running", Task::State::Running},
     {"ended", Task::State::Ended},
     {"broken", Task::State::Broken},
     {"gone", Task::State::Gone},
     {"absent", Task::State::Absent}}};

struct Words {
    std::string_view slurm, plain;
};

/// Reasons as `squeue --format=%r` reports them; the first one that is a prefix of the reason is used.
constexpr Words kReasons[] = {
    {"Resources", "waiting for resources"},
    {"Priority", "waiting for its turn"},
    {"JobArrayTaskLimit", "waiting for its turn"},
    {"None", "waiting for its turn"},
    {"BeginTime", "waiting to be started again"},
    {"Nodes required for job are DOWN", "waiting for a node: those there are down or reserved"},
    {"ReqNodeNotAvail", "waiting for a node: those there are down or reserved"},
    {"PartitionDown", "waiting: the partition is down"},
    {"PartitionInactive", "waiting: the partition is inactive"},
    {"PartitionTimeLimit", "waiting: its time limit is more than the partition allows"},
    {"PartitionNodeLimit", "waiting: it asks for more than the partition has"},
    {"JobHeld", "held in the queue"},
    {"launch failed", "held in the queue: Slurm could not start it"},
    {"Assoc", "waiting: a limit of your account is reached"},
    {"QOS", "waiting: a limit of your account is reached"},
    {"MaxJob", "waiting: a limit of your account is reached"}};

constexpr Words kFinal[] = {{"CANCELLED", "it was cancelled in the queue"},
                            {"TIMEOUT", "Slurm ended it at its time limit"},
                            {"DEADLINE", "Slurm ended it at its deadline"},
                            {"OUT_OF_MEMORY", "Slurm ended it at its limit of the machine's memory"}};

/// Whether sbatch's message means that Slurm's controller is only temporarily unavailable.
bool isAway(std::string_view said) {
    constexpr std::string_view kAway[] = {"ontact slurm controller", "imed out", "onnection refused",
                                          "does not answer"};
    return std::any_of(std::begin(kAway), std::end(kAway),
                       [&](std::string_view words) { return said.find(words) != std::string_view::npos; });
}

std::optional<Task> readTask(const base::Json& json) {
    base::JsonReader reader(json, "");
    Task task;
    task.run = reader.text("run");
    const std::string state = reader.text("state");
    task.word = base::oneLine(reader.text("word", ""), 40);
    task.node = base::oneLine(reader.text("node", ""), 64);
    task.reason = base::oneLine(reader.text("reason", ""), 200);
    task.exitCode = static_cast<int>(reader.integer("exit_code", -1, 255, -1));
    const auto at =
        std::find_if(kStates.begin(), kStates.end(), [&](const auto& one) { return one.first == state; });
    if (!reader.finish() || at == kStates.end()) {
        return std::nullopt;
    }
    task.state = at->second;
    return task;
}

std::string textIn(const base::Json& line, const char* key) {
    const auto at = line.find(key);
    return at != line.end() && at->is_string() ? base::oneLine(at->get<std::string>(), 300) : "";
}

}  // namespace

std::string wordsOf(const Task& task) {
    if (task.state == Task::State::Running) {
        return task.node.empty() ? "running" : "running on node " + task.node;
    }
    if (task.state != Task::State::Waiting) {
        return "";
    }
    if (task.word == "RUNNING" || task.word == "CONFIGURING") {
        return task.node.empty() ? "starting" : "starting on node " + task.node;
    }
    if (task.word == "SUSPENDED") {
        return "suspended";
    }
    if (task.word.empty()) {
        return "waiting";
    }
    for (const Words& each : kReasons) {
        if (task.reason.starts_with(each.slurm)) {
            return std::string(each.plain);
        }
    }
    return task.reason.empty() ? "waiting for its turn" : "waiting: " + task.reason;
}

bool isFinal(std::string_view word) {
    return !whyFinal(word).empty();
}

std::string whyFinal(std::string_view word) {
    const auto at = std::find_if(std::begin(kFinal), std::end(kFinal),
                                 [&](const Words& each) { return each.slurm == word; });
    return at == std::end(kFinal) ? "" : std::string(at->plain);
}

base::Result<Connection> Queue::lend(const std::atomic<bool>* cancel) {
    if (auto kept = std::exchange(connection_, std::nullopt); kept && !kept->closed()) {
        return std::move(*kept);
    }
    return Connection::openAndWait(host_, cancel);
}

/// Sends a request and waits for its answer. After an error the connection is closed.
base::Result<Frame> Queue::ask(const Request& request, const std::atomic<bool>* cancel) {
    auto connection = HIGHWATER_TRY(lend(cancel));
    connection.send(toLine(request));
    const auto begun = Clock::now();
    for (;;) {
        connection.wait(kAnswerWaitMs);
        connection.pump();
        for (;;) {
            auto frame = connection.take();
            if (!frame) {
                return base::Error{fmt::format("host {}: {}", host_.name, frame.error().message)};
            }
            if (!*frame) {
                break;
            }
            if ((*frame)->line.contains("answer")) {
                connection_ = std::move(connection);
                return std::move(**frame);
            }
            if (const std::string problem = textIn((*frame)->line, "problem"); !problem.empty()) {
                return base::Error{fmt::format("host {}: {}", host_.name, problem)};
            }
            connection.answer();
        }
        if (connection.closed()) {
            return base::Error{connection.failure()};
        }
        if (cancel && cancel->load()) {
            return base::Error{"cancelled"};
        }
        if (Clock::now() - begun > kLongestQuiet) {
            return base::Error{fmt::format("host {}: it does not answer", host_.name)};
        }
    }
}

base::Result<std::string> Queue::submit(const std::string& array, const std::vector<std::string>& runs,
                                        const std::string& node, const std::atomic<bool>* cancel) {
    Request request;
    request.submit = Submission{array, runs, host_.partition, host_.gres, node};
    refused_ = false;
    const auto answer = HIGHWATER_TRY(ask(request, cancel));
    if (const std::string why = textIn(answer.line, "refused"); !why.empty()) {
        refused_ = !isAway(why);
        return base::Error{fmt::format("host {}: {}", host_.name, why)};
    }
    return textIn(answer.line, "job");
}

base::Result<std::vector<Task>> Queue::look(const std::vector<std::string>& runs, std::string& silent,
                                            const std::atomic<bool>* cancel) {
    std::vector<Task> tasks;
    silent.clear();
    for (std::size_t at = 0; at < runs.size(); at += kMostTasks) {
        Request request;
        request.look.assign(
            runs.begin() + static_cast<std::ptrdiff_t>(at),
            runs.begin() + static_cast<std::ptrdiff_t>(std::min(at + kMostTasks, runs.size())));
        const auto answer = HIGHWATER_TRY(ask(request, cancel));
        if (const std::string why = textIn(answer.line, "silent"); !why.empty()) {
            silent = why;
        }
        const auto list = base::parseJson(answer.bytes, "answer");
        const base::Error foreign{
            fmt::format("host {}: what runs there answered with something else", host_.name)};
        if (!list || !list->is_array() || list->size() != request.look.size()) {
            return foreign;
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            auto task = readTask((*list)[i]);
            if (!task || task->run != request.look[i]) {
                return foreign;
            }
            tasks.push_back(std::move(*task));
        }
    }
    return tasks;
}

base::Status Queue::stop(const std::vector<std::string>& runs) {
    for (std::size_t at = 0; at < runs.size(); at += kMostTasks) {
        Request request;
        request.stop.assign(
            runs.begin() + static_cast<std::ptrdiff_t>(at),
            runs.begin() + static_cast<std::ptrdiff_t>(std::min(at + kMostTasks, runs.size())));
        const auto answer = HIGHWATER_TRY(ask(request, nullptr));
        if (const std::string why = textIn(answer.line, "silent"); !why.empty()) {
            return base::Error{fmt::format("host {}: {}", host_.name, why)};
        }
    }
    return {};
}

}  // namespace highwater::hosts
