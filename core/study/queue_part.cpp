#include "core/study/queue_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

namespace highwater::study {

bool isToFetch(const hosts::Task& task) {
    using State = hosts::Task::State;
    switch (task.state) {
        case State::Waiting:
        case State::Running:
            return false;
        case State::Ended:  // an end that somebody brought about is understood once the queue says
                            // why
            return task.exitCode == 0 || task.word != "COMPLETING";
        default:
            return true;
    }
}

std::string whyBroken(const hosts::Task& task) {
    if (const std::string why = hosts::whyFinal(task.word); !why.empty()) {
        return why;
    }
    if (task.state == hosts::Task::State::Broken || task.state == hosts::Task::State::Ended) {
        return "its task was killed, or its node failed";
    }
    return task.word.empty() ? "it left the queue before it began"
                             : fmt::format("its task ended before it began ({})", task.word);
}

std::string placeOf(const std::string& node, const hosts::Host& host) {
    return fmt::format("node {} of {}", node, host.name);
}

std::string nodeIn(const std::string& place, const hosts::Host& host) {
    const std::string around = placeOf("", host);
    const std::size_t before = std::string_view("node ").size();
    return place.size() > around.size() && place.starts_with("node ")
               ? place.substr(before, place.size() - around.size())
               : "";
}

QueueProgress progressOf(const std::vector<QueuePart>& parts, const std::string& trouble) {
    QueueProgress progress;
    progress.of = static_cast<int>(parts.size());
    for (const QueuePart& part : parts) {
        if (part.state == QueuePart::State::Over) {
            ++progress.done;
        } else {
            const std::string words =
                part.state == QueuePart::State::InQueue ? hosts::wordsOf(part.task) : "";
            ++progress.states[words.empty() ? "not in the queue yet" : words];
        }
    }
    progress.trouble = trouble;
    return progress;
}

Measured measuredOf(const Subject& subject, std::size_t index, const std::vector<QueuePart>& parts,
                    int& elsewhere) {
    std::map<std::pair<std::string, std::string>, std::vector<const RunOutcome*>> byDevice;
    Measured measured;
    measured.name = subject.name;
    measured.status = wire::RunStatus::Cancelled;
    measured.why = "not run";
    for (const QueuePart& part : parts) {
        if (part.subject != index || part.state != QueuePart::State::Over) {
            continue;
        }
        if (part.outcome && counts(part.outcome->result.status)) {
            byDevice[{part.outcome->place, part.outcome->result.environment.deviceName}].push_back(
                &*part.outcome);
        } else {
            const bool cancelled = !part.outcome || part.outcome->result.status == wire::RunStatus::Cancelled;
            measured.status = cancelled ? wire::RunStatus::Cancelled : wire::RunStatus::Failed;
            measured.why = !part.why.empty()                              ? part.why
                           : part.outcome && part.outcome->result.failure ? part.outcome->result.failure->why
                                                                          : "the run failed";
        }
    }
    const auto most = std::max_element(byDevice.begin(), byDevice.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    if (most == byDevice.end()) {
        return measured;
    }
    for (const auto& [device, outcomes] : byDevice) {
        elsewhere += &outcomes == &most->second ? 0 : static_cast<int>(outcomes.size());
    }
    const int count = static_cast<int>(most->second.size());
    const std::atomic<bool> never{false};
    TrialOptions options;
    options.repeatsLeast = options.repeatsMost = count;
    auto all = measure(
        {subject},
        [&](const Subject&, int repeat) { return *most->second[static_cast<std::size_t>(repeat)]; }, options,
        never);
    return all ? std::move(all->front()) : measured;
}

}  // namespace highwater::study
