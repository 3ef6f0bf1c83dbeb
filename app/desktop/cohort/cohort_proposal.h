#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/desktop/window/background.h"
#include "core/plan/propose_patch.h"
#include "widgets/controls/target_field.h"

namespace highwater::desktop {

/// What a step may take there: what the device has, or the budget where that is less. Errors: there is no
/// profile to predict with, the memory is not known.
base::Result<base::Bytes> capacityOn(const widgets::TargetChoice& choice, const stack::Experiment& experiment,
                                     std::optional<base::Bytes> budget);
/// The experiment with this cohort as its input; everything else as it is.
stack::Experiment withCohort(stack::Experiment experiment, const std::string& folder, std::int64_t channels);

/// Proposes in the background; a new start ends the one before.
class CohortProposal : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;  ///< with the cohort as its input
        std::vector<plan::CaseShape> cases;
        widgets::TargetChoice target;
        std::optional<base::Bytes> budget;
    };
    /// `propose` is plan::proposePatch.
    using Propose = std::function<base::Result<plan::PatchProposal>(
        const stack::Experiment&, const std::vector<plan::CaseShape>&, const plan::Peak&,
        const plan::ProposeOptions&)>;
    explicit CohortProposal(Propose propose = plan::proposePatch, QObject* parent = nullptr);
    ~CohortProposal() override;

    void start(Request request);
    void cancel();
    bool running() const { return running_; }

signals:
    /// A size has been predicted: how many so far.
    void tried(int sizes);
    void proposed(const highwater::plan::PatchProposal& proposal, qint64 capacity);
    void failed(const QString& message);

private:
    struct Outcome;
    Propose propose_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    bool running_ = false;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
