#include "core/report/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::report {
namespace {

std::string spaced(std::string_view key) {
    std::string text(key);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

void addWarning(Facts& facts, const std::string& message) {
    if (std::find(facts.warnings.begin(), facts.warnings.end(), message) == facts.warnings.end()) {
        facts.warnings.push_back(message);
    }
}

}  // namespace

Facts factsOf(const runs::RunRecord& run) {
    Facts facts;
    facts.run = &run;
    facts.failure = run.result.failure;
    for (const wire::Event& event : run.events) {
        if (const auto* started = std::get_if<wire::Started>(&event)) {
            facts.started = started;
        } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            facts.steps.push_back(step);
        } else if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
            facts.samples.push_back(sample);
        } else if (const auto* patch = std::get_if<wire::PatchSaved>(&event)) {
            facts.patch = patch;
        } else if (const auto* warning = std::get_if<wire::Warning>(&event)) {
            addWarning(facts, warning->message);
        } else if (const auto* failed = std::get_if<wire::Failed>(&event); failed && !facts.failure) {
            facts.failure = *failed;
        }
    }
    for (const wire::StepDone* step : facts.steps) {
        if (!step->timeline.empty() &&
            (!facts.shown || step->peak.ledger.total() >= facts.shown->peak.ledger.total())) {
            facts.shown = step;
        }
    }
    if (facts.started) {
        facts.budget = facts.started->budget;
    }
    return facts;
}

const wire::Environment& Facts::environment() const {
    return run->result.environment.device.empty() && started ? started->environment : run->result.environment;
}

std::string Facts::layerName(int index) const {
    const auto& layers = !run->result.layers.empty() || !started ? run->result.layers : started->layers;
    return index >= 0 && static_cast<std::size_t>(index) < layers.size() ? layers[index].name : std::string();
}

std::string Facts::stepName(int index) const {
    const int warmup = started ? started->warmup : warmupSteps();
    return warmup == 0      ? fmt::format("step {}", index + 1)
           : index < warmup ? fmt::format("warm-up {}", index + 1)
                            : fmt::format("measured step {}", index + 1 - warmup);
}

int Facts::warmupSteps() const {
    return static_cast<int>(
        std::count_if(steps.begin(), steps.end(), [](const wire::StepDone* s) { return s->warmup; }));
}

int Facts::measuredSteps() const {
    return static_cast<int>(steps.size()) - warmupSteps();
}

std::string statusText(wire::RunStatus status) {
    return spaced(wire::statusKey(status));
}

std::string categoryText(memory::Category category) {
    return spaced(memory::categoryKey(category));
}

std::string runTitle(const runs::RunSummary& summary) {
    const std::string name = summary.name.empty() ? "unnamed experiment" : summary.name;
    return summary.number > 0 ? fmt::format("#{} {}", summary.number, name) : name;
}

}  // namespace highwater::report
