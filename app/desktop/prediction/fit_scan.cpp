#include "app/desktop/prediction/fit_scan.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/text.h"
#include "core/study/toggles.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// The device that help is wanted for, and what cuDNN answers about it.
class Chosen {
public:
    Chosen(const FitScan::Request& request, ask::Learner::Work work, const std::atomic<bool>& cancel,
           std::function<void()> step)
        : on_(request.chosen),
          experiment_(request.experiment),
          learner_(ask::Asking{{}, nullptr, &cancel, {}}, std::move(work)),
          trying_{&cancel, [this](const predict::Prediction& prediction,
                                  predict::Target& target) { return learner_.teach(prediction, target); }},
          step_(std::move(step)) {}
    Chosen(const Chosen&) = delete;
    Chosen& operator=(const Chosen&) = delete;

    /// The largest sizes, then the levers that need less memory there than the unchanged experiment.
    std::vector<FitScan::Help> help();
    const plan::Trying& trying() const { return trying_; }
    const std::string& why() const { return learner_.why(); }

private:
    bool cancelled() const { return trying_.cancel->load(); }
    /// The expected peak, without the search for the largest batch.
    base::Result<plan::DeviceFit> need(const stack::Experiment& experiment) const {
        const auto target = targetOf(on_, experiment);
        return target ? plan::needOn(experiment, *target, trying_) : target.error();
    }
    std::optional<FitScan::Help> largest(const char* axis) const;
    std::vector<FitScan::Help> levers() const;

    const TargetChoice& on_;
    const stack::Experiment& experiment_;
    ask::Learner learner_;
    plan::Trying trying_;
    std::function<void()> step_;
};

/// The experiment with the largest batch or patch that fits there, where that differs from its own.
std::optional<FitScan::Help> Chosen::largest(const char* axis) const {
    const auto target = targetOf(on_, experiment_);
    const auto found = target ? plan::largestOn(experiment_, *target, axis, trying_)
                              : base::Result<plan::LargestFit>(target.error());
    if (!found || !found->fits || *found->fits == experiment_) {
        return {};
    }
    const stack::Experiment& most = *found->fits;
    const auto fit = plan::needOn(most, *target, trying_);
    if (!fit) {
        return {};
    }
    const QString asked = fit->guessed > 0
                              ? QObject::tr(" cuDNN has not answered for every layer: it may need more.")
                              : QString();
    return axis == std::string_view("patch")
               ? FitScan::Help{QObject::tr("Largest patch: %1")
                                   .arg(widgets::fromUtf8(base::formatShapeShort(stack::patchOf(most)))),
                               QObject::tr(
                                   "The largest patch of these proportions whose upper estimate fits.") +
                                   asked,
                               false, most, *fit}
               : FitScan::Help{QObject::tr("Largest batch: %1").arg(most.step.batchSize),
                               QObject::tr("The largest batch whose upper estimate fits.") + asked, false,
                               most, *fit};
}

std::vector<FitScan::Help> Chosen::levers() const {
    std::vector<FitScan::Help> all;
    const auto now = need(experiment_);
    for (const study::Toggle& toggle : study::toggles()) {
        step_();
        if (!now || cancelled() || !study::checkToggle(toggle, experiment_, on_.id != "cpu")) {
            continue;
        }
        const auto changed = toggle.apply(experiment_);
        const auto less = changed ? need(*changed) : base::Result<plan::DeviceFit>(changed.error());
        if (less && less->peak.expected < now->peak.expected) {
            all.push_back({QString::fromUtf8(toggle.title), QString::fromUtf8(toggle.what),
                           toggle.changesTask, *changed, *less});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const FitScan::Help& a, const FitScan::Help& b) {
        return std::pair(a.changesTask, a.fit.peak.expected) < std::pair(b.changesTask, b.fit.peak.expected);
    });
    return all;
}

constexpr std::array kSizes = {"batch_size", "patch"};

std::vector<FitScan::Help> Chosen::help() {
    std::vector<FitScan::Help> all;
    for (const char* axis : kSizes) {
        if (auto most = largest(axis)) {
            all.push_back(std::move(*most));
        }
        step_();
    }
    std::ranges::move(levers(), std::back_inserter(all));
    return all;
}

}  // namespace

void FitScan::start(Request request) {
    job_.run([this, request = std::move(request)](
                 const widgets::LatestJob::Cancel& cancel) { return work(request, cancel); },
             [this](const Found& found) {
                 emit helpFound(found.help, found.why);
                 emit finished();
             });
}

FitScan::Found FitScan::work(const Request& request, const widgets::LatestJob::Cancel& cancel) {
    const int devices = static_cast<int>(request.devices.size());
    const int parts = devices + static_cast<int>(kSizes.size() + study::toggles().size());
    int done = 0;
    const auto step = [&] {
        job_.report(cancel, [this, now = ++done, parts] { emit progressed(now, parts); });
    };
    Chosen chosen(request, work_, *cancel, step);
    const auto answer = [&](int device, const plan::Trying& trying) {
        TargetChoice on = request.chosen;
        on.id = request.devices[static_cast<std::size_t>(device)].id;
        const auto target = targetOf(on, request.experiment);
        const QString why = whyNoPrediction(on, request.experiment);
        const auto fit = !why.isEmpty() ? base::Result<plan::DeviceFit>(base::Error{why.toStdString()})
                         : target       ? plan::fitOn(request.experiment, *target, trying)
                                        : base::Result<plan::DeviceFit>(target.error());
        job_.report(cancel, [this, device, found = fit ? *fit : plan::DeviceFit{},
                             trouble = fit ? QString() : QString::fromStdString(fit.error().message)] {
            emit this->found(device, found, trouble);
        });
    };
    // The chosen one comes last: to ask takes longer than all the others.
    const auto isChosen = [&](int device) {
        return request.devices[static_cast<std::size_t>(device)].id == request.chosen.id;
    };
    for (const bool asked : {false, true}) {
        for (int i = 0; i < devices && !*cancel; ++i) {
            if (isChosen(i) == asked) {
                answer(i, asked ? chosen.trying() : plan::Trying{cancel.get(), {}});
                step();
            }
        }
    }
    auto help = chosen.help();
    return {std::move(help), QString::fromStdString(chosen.why())};
}

}  // namespace highwater::desktop

#include "moc_fit_scan.cpp"
