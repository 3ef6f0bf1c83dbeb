#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::report {

/// What a report shows of one run, picked from its record. Points into the record, which must outlive it.
struct Facts {
    const runs::RunRecord* run = nullptr;
    const wire::Started* started = nullptr;  ///< null where the engine never said so
    std::vector<const wire::StepDone*> steps;
    std::vector<const wire::LedgerSample*> samples;
    /// Of the steps that carry a timeline the one with the highest peak; null where none does.
    const wire::StepDone* shown = nullptr;
    const wire::PatchSaved* patch = nullptr;  ///< the last one
    std::optional<wire::Failed> failure;
    std::vector<std::string> warnings;  ///< each once, in order
    std::optional<base::Bytes> budget;

    const wire::RunResult& result() const { return run->result; }
    const wire::Environment& environment() const;
    /// The name of a layer of the run by its index, empty for -1.
    std::string layerName(int index) const;
    int measuredSteps() const;
    int warmupSteps() const;
};

Facts factsOf(const runs::RunRecord& run);

/// "done", "out of memory": for people.
std::string statusText(wire::RunStatus status);
/// "activations", "optimizer state": for people.
std::string categoryText(memory::Category category);
/// "#13 two levels, checkpoint enc2"; the id where the run has no number.
std::string runTitle(const runs::RunSummary& summary);

}  // namespace highwater::report
