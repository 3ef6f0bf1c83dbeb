#include "app/desktop/run/run_rows.h"

#include <QObject>

#include "app/desktop/window/text.h"
#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/runs/compare.h"

namespace highwater::desktop {

namespace {

widgets::RunState toState(wire::RunStatus status) {
    switch (status) {
        case wire::RunStatus::Running:
            return widgets::RunState::Running;
        case wire::RunStatus::Done:
            return widgets::RunState::Done;
        case wire::RunStatus::Cancelled:
            return widgets::RunState::Cancelled;
        case wire::RunStatus::OutOfMemory:
            return widgets::RunState::OutOfMemory;
        case wire::RunStatus::Failed:
            break;
    }
    return widgets::RunState::Failed;
}

/// "42.0 s left", "15 min 3 s left", "step 3 of 20", "warm-up 1 of 3"
QString progressOf(const runs::RunSummary& run) {
    if (!run.progress) {
        return {};
    }
    return run.progress->left ? QObject::tr("%1 left").arg(text(base::formatTimeLeft(*run.progress->left)))
                              : text(runs::stepText(*run.progress));
}

}  // namespace

QString difference(const runs::RunSummary& run, const runs::RunSummary& baseline) {
    QStringList parts;
    if (run.peakAllocated > 0 && baseline.peakAllocated > 0 && runs::hasPeakOfAStep(run.status, run.stepMs) &&
        runs::hasPeakOfAStep(baseline.status, baseline.stepMs)) {
        parts << QObject::tr("%1 memory")
                     .arg(text(runs::changeText(static_cast<double>(run.peakAllocated) /
                                                static_cast<double>(baseline.peakAllocated))));
    }
    if (const base::Interval ratio = runs::timeRatio(run.stepMs, baseline.stepMs); ratio.n > 0) {
        parts << (ratio.n < runs::kFewestSteps ? QObject::tr("time: too few steps to tell")
                  : runs::timeDiffers(ratio)
                      ? QObject::tr("%1 time").arg(text(runs::changeText(ratio.median)))
                      : QObject::tr("time within the noise"));
    }
    return parts.join(", ");
}

widgets::RunRow toRow(const runs::RunSummary& run) {
    widgets::RunRow row;
    row.number = run.number;
    row.id = text(run.id);
    row.name = text(run.name);
    row.device = text(runs::whereText(run));
    row.batch = run.batchSize;
    row.patch = text(base::formatShapeShort(run.patch));
    row.peak = run.peakAllocated;
    row.stepMs = run.stepMs.median;
    row.steps = run.stepMs.n;
    if (run.stepMs.n >= runs::kFewestSteps) {
        row.stepLow = run.stepMs.low;
        row.stepHigh = run.stepMs.high;
    }
    row.state = toState(run.status);
    row.onHost = !run.host.empty();
    row.message = text(run.message);
    row.note = text(run.note);
    for (const std::string& tag : run.tags) {
        row.tags << text(tag);
    }
    row.studyId = text(run.study.id);
    row.study = text(run.study.name);
    row.loss = run.loss;
    row.progress = progressOf(run);
    row.created = text(run.created).left(16).replace('T', ' ');
    return row;
}

}  // namespace highwater::desktop
