#include "app/desktop/run/run_rows.h"

#include <QObject>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "core/runs/compare.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// "42.0 s left", "15 min 3 s left", "step 3 of 20", "warm-up 1 of 3"
QString progressOf(const runs::RunSummary& run) {
    if (!run.progress) {
        return {};
    }
    return run.progress->left
               ? QObject::tr("%1 left").arg(widgets::fromUtf8(base::formatTimeLeft(*run.progress->left)))
               : widgets::fromUtf8(runs::stepText(*run.progress));
}

}  // namespace

QString difference(const runs::RunSummary& run, const runs::RunSummary& baseline) {
    QStringList parts;
    if (run.peakAllocated > 0 && baseline.peakAllocated > 0 && runs::hasPeakOfAStep(run.status, run.stepMs) &&
        runs::hasPeakOfAStep(baseline.status, baseline.stepMs)) {
        parts << QObject::tr("%1 memory")
                     .arg(widgets::fromUtf8(runs::changeText(static_cast<double>(run.peakAllocated) /
                                                             static_cast<double>(baseline.peakAllocated))));
    }
    if (const base::Interval ratio = runs::timeRatio(run.stepMs, baseline.stepMs); ratio.n > 0) {
        parts << (ratio.n < runs::kFewestSteps ? QObject::tr("time: too few steps to tell")
                  : runs::timeDiffers(ratio)
                      ? QObject::tr("%1 time").arg(widgets::fromUtf8(runs::changeText(ratio.median)))
                      : QObject::tr("time within the noise"));
    }
    return parts.join(", ");
}

RunRow toRow(const runs::RunSummary& run) {
    RunRow row;
    row.number = run.number;
    row.id = widgets::fromUtf8(run.id);
    row.name = widgets::fromUtf8(run.name);
    row.device = widgets::fromUtf8(runs::whereText(run));
    row.batch = run.batchSize;
    row.patch = widgets::fromUtf8(base::formatShapeShort(run.patch));
    row.peak = run.peakAllocated;
    row.stepMs = run.stepMs.median;
    row.steps = run.stepMs.n;
    if (run.stepMs.n >= runs::kFewestSteps) {
        row.stepLow = run.stepMs.low;
        row.stepHigh = run.stepMs.high;
    }
    row.state = run.status;
    row.onHost = !run.host.empty();
    row.message = widgets::fromUtf8(run.message);
    row.note = widgets::fromUtf8(run.note);
    row.tags << widgets::fromUtf8(run.tags);
    row.studyId = widgets::fromUtf8(run.study.id);
    row.study = widgets::fromUtf8(run.study.name);
    row.loss = run.loss;
    row.progress = progressOf(run);
    row.created = widgets::fromUtf8(run.created).left(16).replace('T', ' ');
    return row;
}

}  // namespace highwater::desktop
