#include "app/desktop/prediction/fit_scan.h"

#include <algorithm>

#include "core/study/toggles.h"

namespace highwater::desktop {

struct FitScan::Job {
    Request request;
    std::atomic<bool> cancel{false};
};

namespace {

/// The expected peak, without the search for the largest batch.
base::Result<plan::DeviceFit> needOf(const stack::Experiment& experiment, const widgets::TargetChoice& on) {
    const auto target = targetOf(on, experiment);
    if (!target) {
        return target.error();
    }
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    predict::PredictOptions options;
    options.timeline = false;
    const auto prediction = predict::predict(experiment, *info, *target, options);
    if (!prediction) {
        return prediction.error();
    }
    return plan::DeviceFit{target->gpu ? prediction->peakReserved : prediction->peakAllocated,
                           prediction->capacity,
                           prediction->fits,
                           prediction->oomProbability,
                           prediction->stepMs,
                           -1};
}

/// The levers that need less memory there than the experiment as it is.
std::vector<FitScan::Help> helpFor(const stack::Experiment& experiment, const widgets::TargetChoice& on,
                                   const std::atomic<bool>& cancel) {
    std::vector<FitScan::Help> all;
    const auto now = needOf(experiment, on);
    for (const study::Toggle& toggle : study::toggles()) {
        if (!now || cancel) {
            break;
        }
        if (!study::checkToggle(toggle, experiment, on.id != "cpu")) {
            continue;
        }
        const auto changed = toggle.apply(experiment);
        const auto need = changed ? needOf(*changed, on) : base::Result<plan::DeviceFit>(changed.error());
        if (need && need->peak.expected < now->peak.expected) {
            all.push_back({QString::fromUtf8(toggle.title), QString::fromUtf8(toggle.what),
                           toggle.changesTask, *changed, *need});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const FitScan::Help& a, const FitScan::Help& b) {
        return std::pair(a.changesTask, a.fit.peak.expected) < std::pair(b.changesTask, b.fit.peak.expected);
    });
    return all;
}

}  // namespace

void FitScan::start(Request request) {
    cancel();
    job_ = std::make_shared<Job>();
    job_->request = std::move(request);
    running_ = true;
    worker_.run(
        [job = job_, self = this] {
            work(job, self);
            return job;
        },
        this, [](const auto&) {});
}

void FitScan::cancel() {
    if (job_) {
        job_->cancel = true;
    }
    job_.reset();
    running_ = false;
}

/// On the worker. `self` outlives it: its destructor waits.
void FitScan::work(const std::shared_ptr<Job>& job, FitScan* self) {
    const auto say = [&](auto act) {
        QMetaObject::invokeMethod(
            self,
            [self, job, act] {
                if (self->job_ == job) {
                    act();
                }
            },
            Qt::QueuedConnection);
    };
    const Request& request = job->request;
    const auto answer = [&](int device, widgets::TargetChoice on) {
        const auto target = targetOf(on, request.experiment);
        const QString why = whyNoPrediction(on, request.experiment);
        const auto fit = !why.isEmpty() ? base::Result<plan::DeviceFit>(base::Error{why.toStdString()})
                         : target       ? plan::fitOn(request.experiment, *target, &job->cancel)
                                        : base::Result<plan::DeviceFit>(target.error());
        say([self, device, found = fit ? *fit : plan::DeviceFit{},
             trouble = fit ? QString() : QString::fromStdString(fit.error().message)] {
            emit self->found(device, found, trouble);
        });
    };
    const int devices = static_cast<int>(request.devices.size());
    for (int i = 0; i < devices && !job->cancel; ++i) {
        widgets::TargetChoice on = request.chosen;
        on.id = request.devices[static_cast<std::size_t>(i)].id;
        answer(i, on);
    }
    auto help = helpFor(request.experiment, request.chosen, job->cancel);
    say([self, help = std::move(help)] {
        self->running_ = false;
        emit self->helpFound(help);
        emit self->finished();
    });
}

}  // namespace highwater::desktop

#include "moc_fit_scan.cpp"
