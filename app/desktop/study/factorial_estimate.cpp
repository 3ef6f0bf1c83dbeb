#include "app/desktop/study/factorial_estimate.h"

#include <QObject>

#include "app/desktop/prediction/predictor.h"
#include "core/stack/shapes.h"
#include "widgets/plot/plot_values.h"
#include "widgets/study/study_words.h"

namespace highwater::desktop {

namespace {

std::optional<predict::TimeEstimate> stepOf(const stack::Experiment& experiment,
                                            const widgets::TargetChoice& choice) {
    const auto info = stack::inferShapes(experiment);
    const auto target = targetOf(choice, experiment);
    if (!info || !target) {
        return {};
    }
    const auto prediction =
        predict::predict(experiment, *info, *target, {.timeline = false, .reserved = false});
    if (!prediction || prediction->stepMs.expected <= 0) {
        return {};
    }
    return prediction->stepMs;
}

}  // namespace

FactorialEstimate estimate(const study::Sweep& sweep, const widgets::FactorialChoice& choice,
                           const widgets::TargetChoice& target, bool cuda, const std::atomic<bool>& cancel) {
    FactorialEstimate made;
    const auto cells = study::expand(sweep, cuda);
    if (!cells) {
        return made;
    }
    for (const study::Cell& cell : *cells) {
        if (cancel) {
            return made;
        }
        if (!cell.problem.empty()) {
            ++made.cannotRun;
            continue;
        }
        const auto step = stepOf(cell.subject.experiment, target);
        if (!step) {
            ++made.unknown;
            continue;
        }
        made.lowMs += choice.repeats * (kStartMs + choice.steps * step->expected);
        made.highMs += choice.mostRepeats * (kStartMs + choice.steps * step->expected);
    }
    made.complete = true;
    return made;
}

QString estimateText(const FactorialEstimate& estimate) {
    if (!estimate.complete) {
        return {};
    }
    QStringList parts;
    const QString low = widgets::durationText(estimate.lowMs);
    const QString high = widgets::durationText(estimate.highMs);
    if (estimate.highMs > 0) {
        parts << (low == high ? QObject::tr("Takes %1, an estimate.").arg(high)
                              : QObject::tr("Takes %1 to %2, an estimate.")
                                    .arg(low, QString(high).remove(QObject::tr("about "))));
    }
    if (estimate.unknown > 0) {
        parts << (estimate.unknown == 1
                      ? QObject::tr("The time of 1 combination is not predicted.")
                      : QObject::tr("The time of %1 combinations is not predicted.").arg(estimate.unknown));
    }
    if (estimate.cannotRun > 0) {
        parts << (estimate.cannotRun == 1
                      ? QObject::tr("1 combination cannot be run.")
                      : QObject::tr("%1 combinations cannot be run.").arg(estimate.cannotRun));
    }
    return parts.join(' ');
}

}  // namespace highwater::desktop
