#include "app/desktop/prediction/plan/plan_confirm.h"

#include <algorithm>
#include <cmath>

#include "app/desktop/study/factorial/factorial_run.h"
#include "app/desktop/study/study_words.h"
#include "core/base/text.h"
#include "widgets/plot/memory_scene.h"

namespace highwater::desktop {

namespace {

study::TrialOptions confirmTrials() {
    study::TrialOptions options;
    options.repeatsLeast = 3;
    options.repeatsMost = 6;
    options.timeLimit = 5 * 60'000;
    return options;
}

QString signedBytes(base::Bytes bytes) {
    return (bytes > 0 ? QStringLiteral("+") : QString()) + widgets::bytesText(bytes);
}

ConfirmedRow peakRow(const QString& what, const plan::Plan& predicted, const study::Measured& measured,
                     bool gpu) {
    const predict::Estimate& peak = predicted.fit.peak;
    const base::Bytes found = gpu ? measured.result.peakReserved : measured.result.peakAllocated;
    const QString band = widgets::bandText(peak.low, peak.high);
    ConfirmedRow row{what, widgets::bytesText(peak.expected), widgets::bytesText(found), {}, false};
    row.agrees = peak.low <= found && found <= peak.high;
    row.difference = signedBytes(found - peak.expected);
    if (!band.isEmpty()) {
        row.predicted += QStringLiteral(" (%1)").arg(band);
    }
    return row;
}

ConfirmedRow timeRow(const Confirmation& c) {
    const base::Interval ratio = study::paired(c.measuredPlanned.repeatMs, c.measuredAsItIs.repeatMs).ratio;
    const double predicted = 1 + c.planned.slower;
    ConfirmedRow row{QObject::tr("step"), changeText(predicted), {}, {}, false};
    if (ratio.n == 0) {
        return row;
    }
    const QString spread = changeSpread(ratio);
    row.measured =
        changeText(ratio.median) + (spread.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(spread));
    row.agrees = ratio.low <= predicted && predicted <= ratio.high;
    const double points = 100 * (ratio.median - predicted);
    row.difference = row.agrees
                         ? QObject::tr("within the noise")
                         : QObject::tr("%1%2 points").arg(points > 0 ? "+" : "").arg(points, 0, 'f', 1);
    return row;
}

bool roundedOtherwise(const Confirmation& c) {
    return plan::roundsDifferently(c.asItIs.experiment, c.planned.experiment);
}

/// From the second step on, a loss depends on the gradients of all previous steps.
ConfirmedRow gradientsRow(const Confirmation& c) {
    const std::vector<double>& plain = c.measuredAsItIs.result.losses;
    const std::vector<double>& planned = c.measuredPlanned.result.losses;
    ConfirmedRow row{QObject::tr("gradients"),
                     roundedOtherwise(c) ? QObject::tr("rounded differently") : QObject::tr("equal"),
                     {},
                     {},
                     false};
    if (plain.size() != planned.size() || plain.size() < 2) {
        return row;
    }
    double most = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        most = std::max(most, std::abs(plain[i] - planned[i]) / std::max(1e-300, std::abs(plain[i])));
    }
    const bool equal = plain == planned;
    row.measured = equal ? QObject::tr("the losses of %1 steps are equal to the bit").arg(plain.size())
                         : QObject::tr("a loss differs by %1 (relative)").arg(most, 0, 'g', 2);
    row.agrees = equal || roundedOtherwise(c);
    row.difference = equal ? QObject::tr("none") : QString();
    return row;
}

}  // namespace

base::Status confirm(StudyWorker::Job& job, const StudyRun& how, Confirmation& confirmation) {
    study::Cell plain, planned;
    plain.subject = {"unchanged", confirmation.asItIs.experiment, {}};
    planned.subject = {"the plan", confirmation.planned.experiment, {}};
    auto measured = HIGHWATER_TRY(measureCells(job, {plain, planned}, how, confirmTrials()));
    for (const study::Measured& one : measured) {
        if (one.status != wire::RunStatus::Done || one.repeatMs.empty()) {
            return base::Error{one.name + ": " + (one.why.empty() ? "not run" : one.why)};
        }
    }
    confirmation.measuredAsItIs = std::move(measured[0]);
    confirmation.measuredPlanned = std::move(measured[1]);
    return {};
}

std::vector<ConfirmedRow> confirmedRows(const Confirmation& c, bool gpu) {
    return {peakRow(QObject::tr("peak"), c.planned, c.measuredPlanned, gpu),
            peakRow(QObject::tr("peak without the plan"), c.asItIs, c.measuredAsItIs, gpu), timeRow(c),
            gradientsRow(c)};
}

QString confirmedNote(const Confirmation& c) {
    return QObject::tr("%1 runs of %2 steps each, in turns")
        .arg(c.measuredPlanned.repeatMs.size())
        .arg(kConfirmSteps);
}

}  // namespace highwater::desktop
