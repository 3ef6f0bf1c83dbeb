#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "app/desktop/experiment/bar/target_field.h"
#include "core/plan/propose_patch.h"
#include "widgets/jobs/latest_job.h"

namespace highwater::desktop {

/// Returns the memory available to a step on a target: that of the device, or the budget if it is smaller.
/// Errors: there is no profile of the device, or its memory is unknown.
base::Result<base::Bytes> capacityOn(const TargetChoice& choice, const stack::Experiment& experiment,
                                     std::optional<base::Bytes> budget);
/// Returns a copy of the experiment with this cohort as its input.
stack::Experiment withCohort(stack::Experiment experiment, const std::string& folder, std::int64_t channels);

/// Proposes patch and batch in the background. A new start cancels the previous one.
class CohortProposal : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;  ///< must have the cohort as its input
        std::vector<plan::CaseShape> cases;
        TargetChoice target;
        std::optional<base::Bytes> budget;
    };
    /// `propose` is plan::proposePatch; tests replace it.
    using Propose = std::function<base::Result<plan::PatchProposal>(
        const stack::Experiment&, const std::vector<plan::CaseShape>&, const plan::Peak&,
        const plan::ProposeOptions&)>;
    explicit CohortProposal(Propose propose = plan::proposePatch, QObject* parent = nullptr)
        : QObject(parent), propose_(std::move(propose)) {}

    void start(Request request);
    void cancel() { job_.cancel(); }
    bool running() const { return job_.busy(); }

signals:
    /// Another size has been predicted. `sizes` is the number so far.
    void tried(int sizes);
    void proposed(const highwater::plan::PatchProposal& proposal, qint64 capacity);
    void failed(const QString& message);

private:
    struct Outcome;
    Propose propose_;
    widgets::LatestJob job_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
