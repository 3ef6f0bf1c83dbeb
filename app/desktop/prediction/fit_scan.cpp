#include "app/desktop/prediction/fit_scan.h"

#include <algorithm>
#include <iterator>

#include "app/desktop/window/text.h"
#include "core/base/text.h"
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
    return target ? plan::needOn(experiment, *target) : target.error();
}

/// The experiment with the largest batch and with the largest patch that fit there, where they differ from
/// its own.
std::vector<FitScan::Help> largestFor(const stack::Experiment& experiment, const widgets::TargetChoice& on,
                                      const std::atomic<bool>& cancel) {
    std::vector<FitScan::Help> all;
    const auto target = targetOf(on, experiment);
    const QString unasked =
        on.id == "cpu" ? QString()
                       : QObject::tr(" cuDNN is asked about it once it is chosen: it may need more.");
    for (const char* axis : {"batch_size", "patch"}) {
        if (!target || cancel) {
            break;
        }
        const auto found = plan::largestOn(experiment, *target, axis, &cancel);
        if (!found || !found->fits || *found->fits == experiment) {
            continue;
        }
        const stack::Experiment& largest = *found->fits;
        const auto need = plan::needOn(largest, *target);
        if (need && axis == std::string_view("patch")) {
            all.push_back(
                {QObject::tr("Largest patch: %1").arg(text(base::formatShapeShort(stack::patchOf(largest)))),
                 QObject::tr("The largest patch of these proportions that fits.") + unasked, false, largest,
                 *need});
        } else if (need) {
            all.push_back({QObject::tr("Largest batch: %1").arg(largest.step.batchSize),
                           QObject::tr("The largest batch that fits.") + unasked, false, largest, *need});
        }
    }
    return all;
}

/// The largest sizes, then the levers that need less memory there than the experiment as it is.
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
    std::vector<FitScan::Help> largest = largestFor(experiment, on, cancel);
    all.insert(all.begin(), std::make_move_iterator(largest.begin()), std::make_move_iterator(largest.end()));
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
