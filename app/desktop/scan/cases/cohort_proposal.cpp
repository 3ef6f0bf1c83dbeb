#include "app/desktop/scan/cases/cohort_proposal.h"

#include "app/desktop/experiment/target/predictor.h"
#include "core/plan/propose_patch.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

base::Result<base::Bytes> capacityOn(const TargetChoice& choice, const stack::Experiment& experiment,
                                     std::optional<base::Bytes> budget) {
    if (const QString why = whyNoPrediction(choice, experiment); !why.isEmpty()) {
        return base::Error{why.toStdString()};
    }
    const auto target = HIGHWATER_TRY(targetOf(choice, experiment));
    const base::Bytes capacity = plan::stepCapacity(target);
    if (capacity <= 0 && !budget) {
        return base::Error{"the memory of this device is not known; set a budget"};
    }
    return budget && (capacity <= 0 || *budget < capacity) ? *budget : capacity;
}

stack::Experiment withCohort(stack::Experiment experiment, const std::string& folder, std::int64_t channels) {
    stack::ScanInput input = stack::asScanInput(experiment);
    input.scans.clear();
    input.cohort = folder;
    input.channels = channels;
    experiment.input = input;
    return experiment;
}

struct CohortProposal::Outcome {
    base::Result<plan::PatchProposal> proposal = base::Error{};
    base::Bytes capacity = 0;
};

void CohortProposal::start(Request request) {
    const auto work = [this, request = std::move(request),
                       propose = propose_](const widgets::LatestJob::Cancel& cancel) -> Outcome {
        Outcome outcome;
        const auto capacity = capacityOn(request.target, request.experiment, request.budget);
        if (!capacity) {
            outcome.proposal = capacity.error();
            return outcome;
        }
        outcome.capacity = *capacity;
        const auto target = targetOf(request.target, request.experiment);
        if (!target) {
            outcome.proposal = target.error();
            return outcome;
        }
        const plan::Peak peak = [this, &cancel, of = plan::predictedPeak(*target),
                                 sizes = 0](const stack::Experiment& experiment) mutable {
            job_.report(cancel, [this, now = ++sizes] { emit tried(now); });
            return of(experiment);
        };
        plan::ProposeOptions how;
        how.capacity = *capacity;
        how.cancel = cancel.get();
        outcome.proposal = propose(request.experiment, request.cases, peak, how);
        return outcome;
    };
    job_.run(work, [this](const Outcome& outcome) {
        if (outcome.proposal) {
            emit proposed(*outcome.proposal, outcome.capacity);
        } else {
            emit failed(QString::fromStdString(outcome.proposal.error().message));
        }
    });
}

}  // namespace highwater::desktop

#include "moc_cohort_proposal.cpp"
