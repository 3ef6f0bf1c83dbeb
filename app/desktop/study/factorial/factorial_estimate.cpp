#include "app/desktop/study/factorial/factorial_estimate.h"

#include <QObject>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/target/predictor.h"
#include "core/stack/shapes.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

void add(FactorialEstimate& estimate, const study::Cell& cell, const CellForecast& forecast, int least,
         int most, int steps) {
    if (!cell.problem.empty()) {
        if (estimate.cannotRun++ == 0) {
            estimate.whyNot = QObject::tr("%1: %2").arg(widgets::fromUtf8(cell.subject.name),
                                                        plainError(widgets::fromUtf8(cell.problem)));
        }
    } else if (forecast.stepMs <= 0) {
        ++estimate.unknown;
    } else {
        estimate.lowMs += least * (kStartMs + steps * forecast.stepMs);
        estimate.highMs += most * (kStartMs + steps * forecast.stepMs);
    }
}

}  // namespace

CellForecast forecastOf(const stack::Experiment& experiment, const TargetChoice& choice) {
    const auto info = stack::inferShapes(experiment);
    const auto target = targetOf(choice, experiment);
    if (!info || !target) {
        return {};
    }
    const auto prediction =
        predict::predict(experiment, *info, *target, {.timeline = false, .reserved = false});
    if (!prediction) {
        return {};
    }
    return {prediction->peakAllocated.expected, std::max(0.0, prediction->stepMs.expected)};
}

FactorialEstimate estimate(const study::Sweep& sweep, const FactorialChoice& choice,
                           const TargetChoice& target, bool cuda, const std::atomic<bool>& cancel) {
    FactorialEstimate made;
    const auto cells = study::expand(sweep, cuda);
    if (!cells) {
        return made;
    }
    for (const study::Cell& cell : *cells) {
        if (cancel) {
            return made;
        }
        add(made, cell, cell.problem.empty() ? forecastOf(cell.subject.experiment, target) : CellForecast(),
            choice.repeats, choice.mostRepeats, choice.steps);
    }
    made.complete = true;
    return made;
}

FactorialEstimate estimate(const std::vector<study::Cell>& cells, const std::vector<CellForecast>& forecasts,
                           const study::TrialOptions& options, int steps) {
    FactorialEstimate made;
    for (std::size_t c = 0; c < cells.size() && c < forecasts.size(); ++c) {
        add(made, cells[c], forecasts[c], options.repeatsLeast, options.repeatsMost, steps);
    }
    made.complete = cells.size() == forecasts.size();
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
        parts << (low == high ? QObject::tr("Estimated time: %1.").arg(high)
                              : QObject::tr("Estimated time: %1 to %2.")
                                    .arg(low, QString(high).remove(QObject::tr("about "))));
    }
    if (estimate.unknown > 0) {
        parts << (estimate.unknown == 1
                      ? QObject::tr("No time estimate for 1 combination.")
                      : QObject::tr("No time estimate for %1 combinations.").arg(estimate.unknown));
    }
    if (estimate.cannotRun > 0) {
        parts << (estimate.cannotRun == 1
                      ? QObject::tr("1 combination cannot be run.")
                      : QObject::tr("%1 combinations cannot be run.").arg(estimate.cannotRun));
    }
    return parts.join(' ');
}

}  // namespace highwater::desktop
