#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/runs/run_store.h"

namespace highwater::report {

/// The parts of a run's record that a report shows. It points into the record, which must outlive it.
struct Facts {
    const runs::RunRecord* run = nullptr;
    const wire::Started* started = nullptr;  ///< null if the engine did not send the event
    std::vector<const wire::StepDone*> steps;
    std::vector<const wire::LedgerSample*> samples;
    /// The step with the highest peak among those with a timeline; null if there is none.
    const wire::StepDone* shown = nullptr;
    const wire::PatchSaved* patch = nullptr;  ///< the last one
    std::optional<wire::Failed> failure;
    std::vector<std::string> warnings;  ///< each once, in order
    std::optional<base::Bytes> budget;

    /// A script on a GPU that was not there: nothing was executed, and no figure was measured.
    bool pretended() const { return run->pretended(); }
    /// A script's own training, recorded by highwatermark.watch.
    bool watched() const { return run->script && run->script->watched; }
    const wire::RunResult& result() const { return run->result; }
    const wire::Environment& environment() const;
    /// The name of a layer of the run by its index, empty for -1.
    std::string layerName(int index) const;
    /// "step 3", or where there was a warm-up "warm-up 1" and "measured step 3"; `index` counts from 0,
    /// warm-up included.
    std::string stepName(int index) const;
    int measuredSteps() const;
    int warmupSteps() const;
};

Facts factsOf(const runs::RunRecord& run);

/// The status for people: "done", "out of memory".
std::string statusText(wire::RunStatus status);
/// The category for people: "activations", "optimizer state".
std::string categoryText(memory::Category category);
/// "#13 two levels, checkpoint enc2"; the id if the run has no number.
std::string runTitle(const runs::RunSummary& summary);

}  // namespace highwater::report
