#include "app/desktop/study/sweep/sweep_convert.h"

#include <fmt/format.h>

#include <QObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "app/desktop/experiment/settings/all_fields.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/study/factorial/factorial_values.h"
#include "core/report/sweep_csv.h"
#include "core/study/toggles.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

CellState stateOf(const SweepState& state, std::size_t c) {
    if (!state.cells[c].problem.empty()) {
        return CellState::CannotRun;
    }
    if (state.running.count(c) > 0) {
        return CellState::Running;
    }
    if (c >= state.measured.size() || state.measured[c].name.empty()) {
        return CellState::NotRun;
    }
    switch (state.measured[c].status) {
        case wire::RunStatus::Done:
            return CellState::Done;
        case wire::RunStatus::OutOfMemory:
            return CellState::OutOfMemory;
        case wire::RunStatus::Failed:
            return CellState::Failed;
        default:
            return CellState::NotRun;
    }
}

/// The confidence interval of a throughput (the inverse of a time).
SweepNumber throughputOf(std::int64_t batch, const SweepNumber& ms) {
    const double samples = 1000.0 * static_cast<double>(batch);
    return {samples / ms.value, samples / ms.high, samples / ms.low, ms.estimated};
}

void addMeasured(SweepCell& cell, const study::Measured& m, std::int64_t batch, const LossOf& loss) {
    const auto at = [&](SweepFigure figure) -> SweepNumber& {
        return cell.figures[static_cast<std::size_t>(figure)];
    };
    if (m.result.peakAllocated > 0) {
        const auto peak = static_cast<double>(m.result.peakAllocated);
        at(SweepFigure::Memory) = {peak, peak, peak};
    }
    if (report::hasTime(m)) {
        at(SweepFigure::Time) = {m.stepMs.median, m.stepMs.low, m.stepMs.high};
        at(SweepFigure::Throughput) = throughputOf(batch, at(SweepFigure::Time));
    }
    std::optional<double> last;
    if (!m.result.losses.empty()) {
        last = m.result.lossLast;
    } else if (!m.runIds.empty() && loss) {
        last = loss(m.runIds.back());
    }
    if (last && std::isfinite(*last)) {
        at(SweepFigure::Loss) = {*last, *last, *last};
    }
    cell.repeats = static_cast<int>(m.repeatMs.size());
    cell.runs << widgets::fromUtf8(m.runIds);
}

void addForecast(SweepCell& cell, const CellForecast& forecast, std::int64_t batch) {
    const auto take = [&](SweepFigure figure, const SweepNumber& number) {
        SweepNumber& at = cell.figures[static_cast<std::size_t>(figure)];
        if (!at.known()) {
            at = number;
        }
    };
    if (forecast.peak > 0) {
        const auto peak = static_cast<double>(forecast.peak);
        take(SweepFigure::Memory, {peak, peak, peak, true});
    }
    if (forecast.stepMs > 0) {
        const SweepNumber ms{forecast.stepMs, forecast.stepMs, forecast.stepMs, true};
        take(SweepFigure::Time, ms);
        take(SweepFigure::Throughput, throughputOf(batch, ms));
    }
}

QString doubled(std::int64_t from, int times) {
    QStringList values;
    for (std::int64_t value = std::max<std::int64_t>(1, from); times-- > 0; value *= 2) {
        values << QString::number(value);
    }
    return values.join(", ");
}

/// Patches around the current one, in steps of 8: half, three quarters, the same and five quarters along all
/// axes.
QString patchesAround(const stack::Sizes& patch, const std::string& before) {
    QStringList values;
    for (const int quarters : {2, 3, 4, 5}) {
        std::string sizes = before;
        for (const std::int64_t size : patch) {
            const std::int64_t wanted = size * quarters / 4;
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(wanted < 16 ? wanted : wanted / 8 * 8);
        }
        values << '[' + widgets::fromUtf8(sizes) + ']';
    }
    values.removeDuplicates();
    return values.join(", ");
}

void addSettings(std::vector<SweepOffer>& offers, const stack::Experiment& e, bool cuda) {
    const auto offer = [&](const QString& title, const char* name, const char* path, const QString& values) {
        offers.push_back({title + " · " + values, {name, {path}, values, {}}, path});
    };
    offer(QObject::tr("Batch size"), "batch_size", "/step/batch_size", doubled(e.step.batchSize, 4));
    if (const auto* synthetic = std::get_if<stack::SyntheticInput>(&e.input)) {
        offer(QObject::tr("Patch"), "synthetic", "/input/synthetic",
              patchesAround(stack::patchOf(e), std::to_string(synthetic->shape.front())));
    } else {
        offer(QObject::tr("Patch"), "patch", "/input/patch", patchesAround(stack::patchOf(e), {}));
    }
    offer(QObject::tr("Precision"), "precision", "/step/precision",
          cuda ? "fp32, tf32, bf16, fp16" : "fp32, bf16");
    offer(QObject::tr("Checkpointing"), "checkpoint", "/step/checkpoint", "none, blocks, sqrt");
    offer(QObject::tr("Micro-batches"), "micro_batches", "/step/micro_batches",
          doubled(1, e.step.batchSize > 2 ? 3 : 2));
}

void addFields(std::vector<SweepOffer>& offers, const stack::Experiment& experiment) {
    for (const FieldToVary& field : allFieldsToVary(experiment)) {
        const QString about = field.about.isEmpty() ? field.name : field.name + " · " + field.about;
        offers.push_back({about + " · " + field.values,
                          {field.name, field.pointers, field.values, {}},
                          field.tip + '\n' + field.pointers.join(", ")});
    }
}

base::Result<study::Axis> axisOf(const SweepAxisEdit& edit) {
    study::Axis axis;
    axis.toggle = edit.toggle.toStdString();
    if (axis.toggle.empty()) {
        for (const QString& path : edit.paths) {
            axis.paths.push_back(path.trimmed().toStdString());
        }
        axis.values = valuesIn(edit.values);
        if (axis.values.empty()) {
            return base::Error{"give at least one value, such as 1, 2, 4"};
        }
    }
    axis.name = edit.name.isEmpty() ? study::defaultName(axis) : edit.name.toStdString();
    return axis;
}

}  // namespace

SweepCell sweepCell(const SweepState& state, std::size_t c, const LossOf& loss) {
    const study::Cell& of = state.cells[c];
    SweepCell cell;
    cell.name = widgets::fromUtf8(of.subject.name);
    cell.levels = of.levels;
    cell.state = stateOf(state, c);
    const std::int64_t batch = of.subject.experiment.step.batchSize;
    if (!of.problem.empty()) {
        cell.problem = plainError(widgets::fromUtf8(of.problem));
        return cell;
    }
    if (c < state.measured.size() && !state.measured[c].name.empty()) {
        addMeasured(cell, state.measured[c], batch, loss);
        if (cell.failed()) {
            cell.problem = widgets::fromUtf8(state.measured[c].why);
        }
    }
    if (c < state.forecasts.size() && !cell.failed()) {
        addForecast(cell, state.forecasts[c], batch);
    }
    return cell;
}

SweepRows sweepRows(const SweepState& state, const LossOf& loss) {
    SweepRows rows;
    rows.title = widgets::fromUtf8(state.sweep.name.empty() ? state.sweep.base.name : state.sweep.name);
    for (const study::Axis& axis : state.sweep.axes) {
        rows.axes.push_back({widgets::fromUtf8(axis.name), QStringList()});
        for (std::size_t level = 0; level < axis.levels(); ++level) {
            rows.axes.back().words << QString();
        }
    }
    for (std::size_t c = 0; c < state.cells.size(); ++c) {
        const study::Cell& cell = state.cells[c];
        for (std::size_t a = 0; a < rows.axes.size(); ++a) {
            rows.axes[a].words[cell.levels[a]] = widgets::fromUtf8(cell.words[a]);
        }
        rows.cells.push_back(sweepCell(state, c, loss));
    }
    return rows;
}

std::vector<SweepOffer> sweepOffers(const stack::Experiment& experiment, bool cuda, bool withLevers) {
    std::vector<SweepOffer> offers;
    addSettings(offers, experiment, cuda);
    const auto levers = withLevers ? toggleRows(experiment, cuda) : std::vector<ToggleRow>();
    for (const ToggleRow& row : levers) {
        offers.push_back(
            {QObject::tr("%1 · lever").arg(row.title), {row.title, {}, {}, row.id}, row.what, row.whyNot});
    }
    addFields(offers, experiment);
    return offers;
}

QString sweepProblem(const study::Sweep& sweep, int& wrong) {
    wrong = -1;
    const auto good = study::checkSweep(sweep);
    if (good) {
        return {};
    }
    // "/axes/1: ..." is about the second axis.
    const QString message = widgets::fromUtf8(good.error().message);
    const QStringList parts = message.split(QRegularExpression("[/:]"));
    bool number = false;
    const int axis = parts.value(2).toInt(&number);
    wrong = parts.value(1) == "axes" && number ? axis : -1;
    const qsizetype colon = message.indexOf(": ");
    return message.mid(colon < 0 ? 0 : colon + 2);
}

base::Result<study::Sweep> sweepOf(const study::Sweep& base, const SweepChoice& choice, int& wrong) {
    study::Sweep sweep = base;
    sweep.axes.clear();
    sweep.mode = static_cast<study::SweepMode>(choice.mode);
    sweep.repeats = choice.repeats;
    for (std::size_t i = 0; i < choice.axes.size(); ++i) {
        auto axis = axisOf(choice.axes[i]);
        if (!axis) {
            wrong = static_cast<int>(i);
            return base::Error{
                fmt::format("{}: {}", choice.axes[i].name.toStdString(), axis.error().message)};
        }
        sweep.axes.push_back(std::move(*axis));
    }
    if (const QString problem = sweepProblem(sweep, wrong); !problem.isEmpty()) {
        return base::Error{problem.toStdString()};
    }
    return sweep;
}

SweepChoice choiceOf(const study::Sweep& sweep, int steps) {
    SweepChoice choice;
    for (const study::Axis& axis : sweep.axes) {
        SweepAxisEdit edit{
            widgets::fromUtf8(axis.name), {}, valuesText(axis.values), widgets::fromUtf8(axis.toggle)};
        edit.paths << widgets::fromUtf8(axis.paths);
        choice.axes.push_back(std::move(edit));
    }
    choice.mode = static_cast<int>(sweep.mode);
    choice.repeats = sweep.repeats;
    choice.steps = steps;
    return choice;
}

}  // namespace highwater::desktop
