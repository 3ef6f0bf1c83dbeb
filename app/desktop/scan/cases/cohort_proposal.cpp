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

CohortProposal::CohortProposal(Propose propose, QObject* parent)
    : QObject(parent), propose_(std::move(propose)), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

CohortProposal::~CohortProposal() {
    *cancel_ = true;
}

void CohortProposal::cancel() {
    *cancel_ = true;
    running_ = false;
}

void CohortProposal::start(Request request) {
    *cancel_ = true;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    running_ = true;
    const auto cancel = cancel_;
    const auto count = [this, cancel](int sizes) {
        QMetaObject::invokeMethod(
            this,
            [this, cancel, sizes] {
                if (cancel == cancel_ && running_) {
                    emit tried(sizes);
                }
            },
            Qt::QueuedConnection);
    };
    const auto work = [request = std::move(request), cancel, count, propose = propose_]() -> Outcome {
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
        const plan::Peak peak = [of = plan::predictedPeak(*target), count,
                                 sizes = 0](const stack::Experiment& experiment) mutable {
            count(++sizes);
            return of(experiment);
        };
        plan::ProposeOptions how;
        how.capacity = *capacity;
        how.cancel = cancel.get();
        outcome.proposal = propose(request.experiment, request.cases, peak, how);
        return outcome;
    };
    worker_.run(work, this, [this, cancel](const Outcome& outcome) {
        if (cancel != cancel_ || !running_) {
            return;
        }
        running_ = false;
        if (outcome.proposal) {
            emit proposed(*outcome.proposal, outcome.capacity);
        } else {
            emit failed(QString::fromStdString(outcome.proposal.error().message));
        }
    });
}

}  // namespace highwater::desktop

#include "moc_cohort_proposal.cpp"
