#include "app/desktop/study/factorial/factorial_values.h"

#include <QObject>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/field_to_vary.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

QString whyNot(const study::Toggle& toggle, const stack::Experiment& experiment, bool cuda) {
    if (toggle.needsGpu && !cuda) {
        return QObject::tr("it needs a GPU; choose one to run on");
    }
    if (toggle.needsCpu && cuda) {
        return QObject::tr("it has no effect on a GPU");
    }
    const auto can = study::checkToggle(toggle, experiment, cuda);
    return can ? QString() : plainError(can.error());
}

bool isOn(const study::Cell& cell, std::size_t axis) {
    return cell.levels[axis] == 1;
}

QString cellName(const study::Sweep& sweep, const study::Cell& cell) {
    QStringList on;
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        const QString name = widgets::fromUtf8(sweep.axes[axis].name);
        if (sweep.axes[axis].toggle.empty()) {
            on << name + ' ' + widgets::fromUtf8(cell.words[axis]);
        } else if (isOn(cell, axis)) {
            on << name;
        }
    }
    return on.isEmpty() ? QObject::tr("unchanged") : on.join(", ");
}

QString statusText(const study::Cell& cell, const study::Measured& measured) {
    if (!cell.problem.empty()) {
        return QObject::tr("cannot be run");
    }
    if (measured.name.empty() || measured.status == wire::RunStatus::Cancelled) {
        return QObject::tr("not run");
    }
    return widgets::fromUtf8(wire::statusKey(measured.status)).replace('_', ' ');
}

CombinationRow rowOf(const study::Sweep& sweep, const study::Cell& cell, const study::Measured& measured) {
    CombinationRow row;
    row.name = cellName(sweep, cell);
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
        row.levels << widgets::fromUtf8(cell.words[axis]);
        const study::Toggle* toggle = study::findToggle(sweep.axes[axis].toggle);
        row.changesTask |= toggle && toggle->changesTask && isOn(cell, axis);
    }
    row.status = statusText(cell, measured);
    row.usable = cell.problem.empty();
    const bool ran = row.usable && !measured.name.empty();
    row.problem = !row.usable ? widgets::fromUtf8(cell.problem)
                  : ran && measured.status != wire::RunStatus::Done && row.status != QObject::tr("not run")
                      ? widgets::fromUtf8(measured.why)
                      : QString();
    row.measured = ran && measured.stepMs.n > 0 && measured.result.peakAllocated > 0 && row.problem.isEmpty();
    if (row.measured) {
        row.peak = measured.result.peakAllocated;
        row.stepMs = measured.stepMs;
    }
    return row;
}

EffectRow rowOf(const study::Sweep& sweep, const study::Effect& effect) {
    EffectRow row;
    row.name = widgets::fromUtf8(study::effectName(effect, sweep));
    row.interaction = effect.axes.size() > 1;
    row.memory = effect.memory;
    row.time = effect.time;
    row.memoryDiffers = effect.memoryDiffers;
    row.timeDiffers = effect.timeDiffers;
    return row;
}

}  // namespace

std::vector<ToggleRow> toggleRows(const stack::Experiment& experiment, bool cuda) {
    std::vector<ToggleRow> rows;
    for (const study::Toggle& toggle : study::toggles()) {
        rows.push_back({widgets::fromUtf8(toggle.id), widgets::fromUtf8(toggle.title),
                        widgets::fromUtf8(toggle.what), widgets::fromUtf8(toggle.row),
                        whyNot(toggle, experiment, cuda), toggle.changesTask});
    }
    return rows;
}

QString whyRefused(const stack::Experiment& experiment, const QString& id, bool cuda) {
    const study::Toggle* toggle = study::findToggle(id.toStdString());
    if (!toggle) {
        return QObject::tr("there is no lever \"%1\"").arg(id);
    }
    const QString why = whyNot(*toggle, experiment, cuda);
    return why.isEmpty() ? QString() : id + ": " + why;
}

study::Sweep sweepOf(const stack::Experiment& experiment, const FactorialChoice& choice) {
    study::Sweep sweep;
    sweep.name = experiment.name;
    sweep.base = experiment;
    sweep.mode = study::SweepMode::Factorial;
    sweep.repeats = choice.repeats;
    for (const study::Toggle& toggle : study::toggles()) {  // in the order in which they are applied
        if (choice.toggles.contains(widgets::fromUtf8(toggle.id))) {
            sweep.axes.push_back({std::string(toggle.title), {}, {}, std::string(toggle.id)});
        }
    }
    for (const SweepAxisEdit& edit : choice.axes) {
        study::Axis axis{edit.name.toStdString(), {}, valuesIn(edit.values), {}};
        for (const QString& path : edit.paths) {
            axis.paths.push_back(path.trimmed().toStdString());
        }
        if (axis.name.empty()) {
            axis.name = study::defaultName(axis);
        }
        sweep.axes.push_back(std::move(axis));
    }
    return sweep;
}

FactorialRows toRows(const study::SweepResult& result) {
    FactorialRows rows;
    rows.title = widgets::fromUtf8(result.sweep.base.name);
    for (const study::Axis& axis : result.sweep.axes) {
        rows.axes << widgets::fromUtf8(axis.name);
    }
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
        rows.combinations.push_back(rowOf(result.sweep, result.cells[i], result.measured[i]));
    }
    for (const std::size_t cell : result.front) {
        rows.combinations[cell].front = rows.combinations[cell].measured;
    }
    for (const study::Effect& effect : result.effects) {
        rows.effects.push_back(rowOf(result.sweep, effect));
    }
    rows.notes << widgets::fromUtf8(result.notes);
    return rows;
}

}  // namespace highwater::desktop
