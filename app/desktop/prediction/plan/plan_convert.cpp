#include "app/desktop/prediction/plan/plan_convert.h"

#include <QObject>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kPlotForward = 1, kPlotRecompute = 2;  ///< as in widgets::phaseName

QString timeOf(const plan::Plan& plan) {
    const double ms = plan.fit.stepMs.expected;
    return ms > 0 ? QObject::tr("%1 per step").arg(widgets::fromUtf8(base::formatMillis(ms))) : QString();
}

/// What the peak is based on.
QString basisOf(const plan::DeviceFit& fit, const predict::Target& target) {
    const QString band = widgets::bandText(fit.peak.low, fit.peak.high);
    if (fit.atLeast) {
        return QObject::tr("at least this much: some operators are unknown");
    }
    if (fit.guessed > 0) {
        return QObject::tr("an estimate with guessed workspaces%1").arg(band.isEmpty() ? band : ": " + band);
    }
    if (fit.asked > 0) {
        return QObject::tr("asked of cuDNN %1%2")
            .arg(widgets::fromUtf8(predict::toText(target.versions.cudnn)),
                 band.isEmpty() ? band : ": " + band);
    }
    if (fit.exact) {
        return QObject::tr("memory exact, time an estimate");
    }
    return band.isEmpty() ? QObject::tr("an estimate") : QObject::tr("an estimate: %1").arg(band);
}

/// "Fits on an RTX 3060", "Does not fit on this CPU, 1.20 GiB too much".
QString verdictOf(const plan::Plan& plan, const PlanAim& aim, bool noneFits) {
    const QString device = onDevice(aim.device);
    const base::Bytes peak = plan::counted(plan.fit, aim.target), limit = limitOf(aim);
    const QString place = aim.budget ? QObject::tr("within %1 on %2").arg(widgets::bytesText(limit), device)
                                     : QObject::tr("on %1").arg(device);
    if (isWithin(plan, aim)) {
        return QObject::tr("Fits %1").arg(place);
    }
    if (noneFits && peak <= limit) {
        return QObject::tr("Nothing certainly fits %1: the least possible is %2, %3")
            .arg(place, widgets::bytesText(peak), widgets::fromUtf8(plan::verdictText(plan.fit)));
    }
    if (noneFits) {
        return QObject::tr("Nothing fits %1: the least possible is %2").arg(place, widgets::bytesText(peak));
    }
    return limit > 0 && peak > limit
               ? QObject::tr("Does not fit %1, %2 too much").arg(place, widgets::bytesText(peak - limit))
               : QObject::tr("May not fit %1 (%2)")
                     .arg(place, widgets::fromUtf8(plan::verdictText(plan.fit)));
}

}  // namespace

QString onDevice(const QString& device) {
    if (device.startsWith(QLatin1String("this "))) {
        return device;
    }
    // Abbreviations are read letter by letter ("an RTX", "an H100", "a T4"), words are not ("a Quadro").
    const bool letters = device.size() > 1 && !device[1].isLower();
    const bool vowel = !device.isEmpty() && QStringLiteral("AEFHILMNORSX").contains(device[0].toUpper());
    return (letters && vowel ? QStringLiteral("an ") : QStringLiteral("a ")) + device;
}

base::Bytes limitOf(const PlanAim& aim) {
    return aim.budget.value_or(aim.capacity);
}

QString limitName(const PlanAim& aim) {
    return aim.budget ? QObject::tr("budget") : aim.device;
}

bool isWithin(const plan::Plan& plan, const PlanAim& aim) {
    return plan::isWithin(plan, aim.target, aim.budget);
}

int bestPlan(const plan::PlanCurve& curve, const PlanAim& aim) {
    return static_cast<int>(plan::bestPlan(curve, aim.target, aim.budget));
}

PlanPoint toPoint(const plan::Plan& plan, const PlanAim& aim, bool noneFits) {
    PlanPoint point;
    point.headline =
        QStringLiteral("%1: %2").arg(verdictOf(plan, aim, noneFits), widgets::fromUtf8(plan::headline(plan)));
    if (noneFits) {
        point.headline = QStringLiteral("%1 (%2)").arg(verdictOf(plan, aim, noneFits),
                                                       widgets::fromUtf8(plan::headline(plan)));
    }
    point.peak = plan::counted(plan.fit, aim.target);
    point.slower = plan.slower;
    point.time = timeOf(plan);
    point.basis = basisOf(plan.fit, aim.target);
    point.changes << widgets::fromUtf8(plan.changes);
    point.fits = isWithin(plan, aim);
    point.asItIs = plan.changes.empty();
    return point;
}

PlanCurveValues toCurve(const plan::PlanCurve& curve, const PlanAim& aim) {
    PlanCurveValues values;
    const bool none =
        std::ranges::none_of(curve.plans, [&](const plan::Plan& plan) { return isWithin(plan, aim); });
    for (const plan::Plan& plan : curve.plans) {
        values.points.push_back(toPoint(plan, aim, none && values.points.empty()));
    }
    values.asItIs = toPoint(curve.asItIs, aim);
    values.measure = aim.target.gpu ? QObject::tr("reserved") : QObject::tr("allocated");
    values.budget = limitOf(aim);
    values.budgetName = limitName(aim);
    return values;
}

TaskChange toTaskChange(const plan::Plan& plan, const stack::Experiment& before,
                        const predict::Target& target) {
    TaskChange change;
    const stack::Sizes patch = stack::patchOf(plan.experiment);
    const bool otherPatch = patch != stack::patchOf(before),
               otherBatch = plan.experiment.step.batchSize != before.step.batchSize,
               otherNetwork = !otherPatch && !otherBatch && !plan.changes.empty();
    change.title = otherNetwork ? widgets::fromUtf8(plan.changes.front())
                   : otherPatch
                       ? QObject::tr("patch %1").arg(widgets::fromUtf8(base::formatShapeShort(patch)))
                       : QObject::tr("batch %1").arg(plan.experiment.step.batchSize);
    QStringList details = {widgets::bytesText(plan::counted(plan.fit, target)), timeOf(plan)};
    for (std::size_t i = otherNetwork ? 1 : 0; i < plan.changes.size(); ++i) {
        details << widgets::fromUtf8(plan.changes[i]);
    }
    details.removeAll(QString());
    change.details = details.join(QStringLiteral(", "));
    return change;
}

std::vector<PlanStepPoint> toStep(const widgets::Forecast& forecast) {
    std::vector<PlanStepPoint> step;
    const widgets::RunShape shape = widgets::forecastShape(forecast);
    base::Bytes least = 0, last = 0;
    bool backward = false;
    for (const widgets::ForecastPoint& point : forecast.points) {
        const base::Bytes held = point.ledger[memory::Category::Activations];
        if (point.phase == kPlotForward) {
            backward = false;  // of the next micro-batch
        }
        if (!backward && point.phase == kPlotRecompute) {
            backward = true;
            least = last;
        }
        least = std::min(least, held);
        step.push_back({point.ms, point.ledger.total(), backward ? held - least : 0,
                        shape.where(point.phase, point.layer)});
        last = held;
    }
    return step;
}

}  // namespace highwater::desktop
