#include "app/desktop/prediction/plan/plan_scan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/desktop/experiment/target/targets.h"
#include "app/desktop/prediction/forecast_values.h"
#include "app/desktop/prediction/plan/plan_layer_values.h"
#include "core/study/toggles.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr double kCurveShare = 0.6;  ///< of the progress; the rest is for the plan within the budget
constexpr double kNear = 0.5;        ///< of the largest peak: how far beyond it a device is marked
constexpr double kSame = 0.05;  ///< of a device's memory: marks closer than this would lie on one another
constexpr std::size_t kMostMarks = 6;

/// What GPUs leave to a run: those near the curve, the target first, each amount once and not where the
/// budget is.
std::vector<PlanCapacity> devicesNear(const PlanCurveValues& values, const PlanAim& aim) {
    std::vector<PlanCapacity> near;
    auto profiles = predict::loadProfiles();
    if (!profiles || !aim.target.gpu || values.points.empty()) {
        return near;
    }
    std::ranges::stable_partition(
        *profiles, [&](const predict::DeviceProfile& profile) { return profile.id == aim.target.id; });
    const auto least = static_cast<double>(values.points.front().peak);
    const auto most = static_cast<double>(std::max(values.asItIs.peak, values.points.back().peak));
    const double reach = std::max(kNear * (most - least), 0.02 * most);
    std::vector<base::Bytes> taken = {values.budget};
    for (const predict::DeviceProfile& profile : *profiles) {
        const base::Bytes leaves = profile.memory - profile.context.expected;
        const auto at = static_cast<double>(leaves);
        const bool marked = std::ranges::any_of(
            taken, [&](base::Bytes other) { return std::abs(static_cast<double>(other) - at) < kSame * at; });
        if (!marked && at > least - reach && at < most + reach && near.size() < kMostMarks) {
            near.push_back({shortDeviceName(profile.name), leaves});
            taken.push_back(leaves);
        }
    }
    return near;
}

/// All values of a curve, the layers of each plan included.
std::shared_ptr<const PlanScan::Found> valuesOf(PlanAim aim, plan::PlanCurve curve, PlanLayerValues& layers) {
    auto found = std::make_shared<PlanScan::Found>();
    found->values = toCurve(curve, aim);
    for (std::size_t i = 0; i < curve.plans.size(); ++i) {
        PlanPoint& point = found->values.points[i];
        point.layers = layers.of(curve.plans[i].experiment);
        point.kept = keptText(point.layers);
    }
    found->values.capacities = devicesNear(found->values, aim);
    found->best = bestPlan(curve, aim);
    found->aim = std::move(aim);
    found->curve = std::move(curve);
    return found;
}

std::optional<widgets::Forecast> forecastOf(const stack::Experiment& experiment, const predict::Target& like,
                                            const QString& device) {
    const auto info = stack::inferShapes(experiment);
    const auto prediction =
        info ? predict::predict(experiment, *info, like) : base::Result<predict::Prediction>(info.error());
    return prediction ? std::optional(toForecast(*prediction, *info, device)) : std::nullopt;
}

PlanSteps stepsOf(const PlanScan::Found& found, int plan) {
    PlanSteps steps;
    const QString& device = found.aim.device;
    steps.budget = found.values.budget;
    steps.budgetName =
        QStringLiteral("%1 · %2").arg(found.values.budgetName, widgets::bytesText(found.values.budget));
    if (const auto before = forecastOf(found.curve.asItIs.experiment, found.aim.target, device)) {
        steps.asItIs = toStep(*before);
    }
    const plan::Plan& chosen = found.curve.plans[static_cast<std::size_t>(plan)];
    if (const auto after = forecastOf(chosen.experiment, found.aim.target, device)) {
        steps.plan = toStep(*after);
        const QString note = widgets::forecastNote(*after);
        steps.note = found.aim.target.gpu ? QObject::tr("tensors, %1").arg(note) : note;
    }
    return steps;
}

}  // namespace

struct PlanScan::Job {
    Request request;
    ask::Learner::Work work;
    std::atomic<bool> cancel{false};
    std::unique_ptr<ask::Learner> learner;  ///< of the worker
    plan::Trying trying;
    std::optional<PlanAim> aim;
};

/// From the worker: `act` on the window's thread, unless another search has begun.
template <class Act>
void PlanScan::say(const std::shared_ptr<Job>& job, PlanScan* self, Act act) {
    QMetaObject::invokeMethod(
        self,
        [self, job, act = std::move(act)] {
            if (self->job_ == job) {
                act();
            }
        },
        Qt::QueuedConnection);
}

void PlanScan::start(Request request) {
    cancel();
    found_.reset();
    job_ = std::make_shared<Job>();
    job_->request = std::move(request);
    job_->work = work_;
    running_ = true;
    worker_.run(
        [job = job_, self = this] {
            work(job, self);
            return job;
        },
        this, [](const auto&) {});
}

/// What was found stays.
void PlanScan::cancel() {
    if (job_) {
        job_->cancel = true;
    }
    job_.reset();
    if (newestSteps_) {
        *newestSteps_ = false;
    }
    running_ = waitsForSteps_ = false;
}

void PlanScan::take(std::shared_ptr<const Found> found) {
    found_ = std::move(found);
    emit this->found(found_);
}

void PlanScan::end(const std::shared_ptr<Job>& job, PlanScan* self, const QString& problem) {
    say(job, self, [self, problem] {
        self->running_ = false;
        emit self->finished(problem);
    });
}

/// On the worker. `self` outlives it: its destructor waits.
void PlanScan::work(const std::shared_ptr<Job>& job, PlanScan* self) {
    const Request& request = job->request;
    if (const QString why = whyNoPrediction(request.target, request.experiment); !why.isEmpty()) {
        return end(job, self, why);
    }
    const auto target = targetOf(request.target, request.experiment);
    if (!target) {
        return end(job, self, widgets::fromUtf8(target.error().message));
    }
    job->learner = std::make_unique<ask::Learner>(ask::Asking{{}, nullptr, &job->cancel, {}}, job->work);
    job->trying = {&job->cancel, [learner = job->learner.get()](const predict::Prediction& prediction,
                                                                predict::Target& on) {
                       return learner->teach(prediction, on);
                   }};
    search(job, self, {request.device, *target, plan::budgetOn(*target, request.budget)});
}

void PlanScan::search(const std::shared_ptr<Job>& job, PlanScan* self, PlanAim aim) {
    const auto progress = [&](double from, double share) {
        return [job, self, from, share](double done) {
            say(job, self, [self, at = from + share * done] { emit self->progressed(at); });
        };
    };
    const stack::Experiment& experiment = job->request.experiment;
    auto curve =
        plan::planCurve(experiment, aim.target, job->request.choices, job->trying, progress(0, kCurveShare));
    if (!curve) {
        return end(job, self, widgets::fromUtf8(curve.error().message));
    }
    job->learner->tell(aim.target);  // the steps on show are those of the plans' own figures
    aim.capacity = curve->asItIs.fit.capacity;
    job->aim = aim;
    PlanLayerValues layers(job->aim->target);
    say(job, self, [self, found = valuesOf(aim, *curve, layers)] { self->take(found); });
    auto within = plan::planUnder(experiment, aim.target, aim.budget, job->request.choices, job->trying,
                                  progress(kCurveShare, 1 - kCurveShare));
    if (!within) {
        return end(job, self, widgets::fromUtf8(within.error().message));
    }
    const auto before = static_cast<std::size_t>(bestPlan(*curve, aim));
    if (*within && (*within)->experiment != curve->plans[before].experiment) {
        plan::insertPlan(*curve, std::move(**within), aim.target);
        job->learner->tell(aim.target);
        say(job, self, [self, found = valuesOf(aim, std::move(*curve), layers)] { self->take(found); });
    }
    end(job, self, {});
}

void PlanScan::predictSteps(int plan) {
    if (!found_) {
        return;
    }
    waitsForSteps_ = true;
    auto newest = std::make_shared<std::atomic<bool>>(true);
    if (newestSteps_) {
        *newestSteps_ = false;
    }
    newestSteps_ = newest;
    steps_.run([found = found_, plan, newest] { return *newest ? stepsOf(*found, plan) : PlanSteps{}; }, this,
               [this, plan, newest](const PlanSteps& steps) {
                   if (*newest) {
                       waitsForSteps_ = false;
                       emit stepsPredicted(plan, steps);
                   }
               });
}

void PlanScan::findTaskChanges() {
    if (!found_ || !job_) {
        return;
    }
    worker_.run(
        [job = job_, self = this] {
            lookForTaskChanges(job, self);
            return job;
        },
        this, [](const auto&) {});
}

void PlanScan::lookForTaskChanges(const std::shared_ptr<Job>& job, PlanScan* self) {
    if (!job->aim || job->cancel) {
        return;
    }
    const stack::Experiment& experiment = job->request.experiment;
    const predict::Target& target = job->aim->target;
    auto plans = plan::planTaskChanges(experiment, target, job->aim->budget, job->request.choices,
                                       job->trying, study::otherTasks(experiment, target.gpu.has_value()));
    const QString problem = plans ? QString() : widgets::fromUtf8(plans.error().message);
    say(job, self, [self, found = plans ? std::move(*plans) : std::vector<plan::Plan>{}, problem] {
        emit self->taskChangesFound(found, problem);
    });
}

}  // namespace highwater::desktop

#include "moc_plan_scan.cpp"
