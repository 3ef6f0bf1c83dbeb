#include "app/desktop/study/sweep/sweep_convert.h"

#include <fmt/format.h>

#include <QObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/layer_tree.h"
#include "app/desktop/study/factorial/factorial_values.h"
#include "core/base/json_reader.h"
#include "core/report/sweep_csv.h"
#include "core/stack/json/json.h"
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

/// "1, 2, 4": values that are valid JSON are taken as JSON, others as text.
std::vector<std::string> valuesOf(const QString& written) {
    const std::string whole = written.toStdString();
    std::vector<std::string> values;
    if (const auto list = base::parseJson('[' + whole + ']', "values")) {
        for (const auto& value : *list) {
            values.push_back(value.dump());
        }
        return values;
    }
    for (const QString& each : written.split(',', Qt::SkipEmptyParts)) {
        const std::string word = each.trimmed().toStdString();
        const auto value = base::parseJson(word, "value");
        values.push_back(value ? value->dump() : base::Json(word).dump());
    }
    return values;
}

/// The inverse of valuesOf(). Words are written without quotes, unless a value contains a comma.
QString valuesText(const std::vector<std::string>& values) {
    const bool commas = std::any_of(values.begin(), values.end(), [](const std::string& value) {
        return value.find(',') != std::string::npos;
    });
    QStringList words;
    for (const std::string& value : values) {
        const auto json = base::parseJson(value, "value");
        const bool plain = !commas && json && json->is_string() &&
                           !base::parseJson(json->get_ref<const std::string&>(), "word");
        words << widgets::fromUtf8(plain ? json->get<std::string>() : value);
    }
    return words.join(", ");
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
        offers.push_back({{}, title, {name, {path}, values, {}}, path});
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

/// Layers that have an explicit number of channels in the experiment's JSON.
void addLayers(std::vector<SweepOffer>& offers, const stack::Experiment& experiment,
               const stack::StackInfo& info) {
    const auto json = stack::toJson(experiment);
    for (const stack::LayerInfo& layer : info.layers) {
        const std::string pointer = pointerOf(layer.path) + "/out_channels";
        const base::Json::json_pointer at(pointer);
        if (!json.contains(at) || !json.at(at).is_number_integer()) {
            continue;
        }
        const auto channels = json.at(at).get<std::int64_t>();
        const QString values = QString("%1, %2, %3").arg(channels).arg(channels * 2).arg(channels * 4);
        offers.push_back({QObject::tr("Channels of a layer"),
                          widgets::fromUtf8(layer.name),
                          {widgets::fromUtf8(layer.name), {widgets::fromUtf8(pointer)}, values, {}},
                          widgets::fromUtf8(pointer)});
    }
}

base::Result<study::Axis> axisOf(const SweepAxisEdit& edit) {
    study::Axis axis;
    axis.toggle = edit.toggle.toStdString();
    if (axis.toggle.empty()) {
        for (const QString& path : edit.paths) {
            axis.paths.push_back(path.trimmed().toStdString());
        }
        axis.values = valuesOf(edit.values);
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

std::vector<SweepOffer> sweepOffers(const stack::Experiment& experiment, const stack::StackInfo& info,
                                    bool cuda) {
    std::vector<SweepOffer> offers;
    addSettings(offers, experiment, cuda);
    addLayers(offers, experiment, info);
    for (const ToggleRow& row : toggleRows(experiment, cuda)) {
        offers.push_back({QObject::tr("Levers"), row.title, {row.id, {}, {}, row.id}, row.what, row.whyNot});
    }
    offers.push_back(
        {{}, QObject::tr("Any value, by its JSON Pointer"), {}, QObject::tr("Such as /optimizer/lr")});
    return offers;
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
    wrong = -1;
    if (const auto good = study::checkSweep(sweep); !good) {
        // "/axes/1: ..." is about the second axis.
        const std::string& message = good.error().message;
        const QStringList parts = widgets::fromUtf8(message).split(QRegularExpression("[/:]"));
        bool number = false;
        const int axis = parts.value(2).toInt(&number);
        wrong = parts.value(1) == "axes" && number ? axis : -1;
        const qsizetype colon = widgets::fromUtf8(message).indexOf(": ");
        return base::Error{widgets::fromUtf8(message).mid(colon < 0 ? 0 : colon + 2).toStdString()};
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
