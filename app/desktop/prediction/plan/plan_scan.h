#pragma once

#include <QObject>
#include <atomic>
#include <memory>
#include <vector>

#include "app/desktop/prediction/asker.h"
#include "app/desktop/prediction/plan/plan_convert.h"
#include "core/ask/learner.h"

namespace highwater::desktop {

/// Finds plans for an experiment on a worker thread: the curve, then the fastest plan within the budget. A
/// new start cancels the one before. Steps are predicted, and other tasks looked for, once there are plans.
class PlanScan : public QObject {
    Q_OBJECT
public:
    struct Request {
        stack::Experiment experiment;
        TargetChoice target;
        QString device;  ///< the target on screen
        plan::PlanChoices choices;
        plan::Budget budget;  ///< std::nullopt: what the device leaves
    };
    struct Found {
        PlanAim aim;
        plan::PlanCurve curve;
        PlanCurveValues values;  ///< as the curve
        int best = 0;            ///< the plan to begin with
    };

    explicit PlanScan(ask::Learner::Work work = Asker::askUsersCudnn, QObject* parent = nullptr)
        : QObject(parent), work_(std::move(work)) {}
    ~PlanScan() override { cancel(); }

    void start(Request request);
    void cancel();
    bool running() const { return running_; }
    /// Predicts the steps of the unchanged experiment and of this plan of what was found last. Of several
    /// only the last is answered.
    void predictSteps(int plan);
    /// Looks for what changes the task, of what was found last.
    void findTaskChanges();
    bool busy() const { return running_ || waitsForSteps_; }

signals:
    void progressed(double done);
    /// Once with the curve, and once more if a better plan is found for the budget.
    void found(const std::shared_ptr<const highwater::desktop::PlanScan::Found>& found);
    /// The search has ended. `problem` says why there is no plan; otherwise empty.
    void finished(const QString& problem);
    void stepsPredicted(int plan, const highwater::desktop::PlanSteps& steps);
    void taskChangesFound(const std::vector<highwater::plan::Plan>& plans, const QString& problem);

private:
    struct Job;
    static void work(const std::shared_ptr<Job>& job, PlanScan* self);
    static void search(const std::shared_ptr<Job>& job, PlanScan* self, PlanAim aim);
    static void end(const std::shared_ptr<Job>& job, PlanScan* self, const QString& problem);
    static void lookForTaskChanges(const std::shared_ptr<Job>& job, PlanScan* self);
    template <class Act>
    static void say(const std::shared_ptr<Job>& job, PlanScan* self, Act act);
    void take(std::shared_ptr<const Found> found);

    ask::Learner::Work work_;
    std::shared_ptr<Job> job_;
    std::shared_ptr<const Found> found_;
    bool running_ = false, waitsForSteps_ = false;
    std::shared_ptr<std::atomic<bool>> newestSteps_;  ///< of the steps that were asked for last
    widgets::Background worker_;  ///< declared last: they end before the members that their work uses
    widgets::Background steps_;   ///< what is seen at once does not wait for a search
};

}  // namespace highwater::desktop
