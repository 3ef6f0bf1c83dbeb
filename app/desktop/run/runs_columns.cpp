#include "app/desktop/run/runs_columns.h"

#include <QColor>
#include <QMap>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

const QString kNone = QStringLiteral("—");

QString bytesOf(base::Bytes bytes) {
    return bytes > 0 ? QString::fromStdString(base::formatBytes(bytes)) : kNone;
}

int decimalsOf(double ms) {
    return ms < 10 ? 2 : ms < 100 ? 1 : 0;
}

/// "204 (203–205)": the median and its interval in milliseconds, as the column says, with the digits that
/// they have elsewhere.
QString stepText(const RunRow& row) {
    if (row.stepMs <= 0) {
        return kNone;
    }
    const int decimals = decimalsOf(row.stepMs);
    const auto number = [&](base::Millis ms) { return QString::number(ms, 'f', decimals); };
    if (row.stepLow <= 0) {
        return QStringLiteral("%1 (%2)").arg(number(row.stepMs), stepsText(row.steps));
    }
    return QStringLiteral("%1 (%2–%3)").arg(number(row.stepMs), number(row.stepLow), number(row.stepHigh));
}

QString lossText(std::optional<double> loss) {
    return loss ? QString::number(*loss, 'g', 4) : kNone;
}

QString statusText(const RunRow& row) {
    return row.progress.isEmpty() ? stateText(row.state)
                                  : stateText(row.state) + QStringLiteral(", ") + row.progress;
}

template <class Value>
QString commonText(std::span<const RunRow* const> runs, Value value) {
    const QString first = value(*runs.front());
    const bool same =
        std::all_of(runs.begin(), runs.end(), [&](const RunRow* run) { return value(*run) == first; });
    return same ? first : QObject::tr("several");
}

/// "1.20 – 3.40 GiB" over the runs that have the value; the higher end is what it sorts by.
template <class Value, class Text>
void setRange(StudyTexts& texts, RunColumn column, std::span<const RunRow* const> runs, Value value,
              Text text) {
    std::optional<double> low, high;
    for (const RunRow* run : runs) {
        if (const std::optional<double> v = value(*run)) {
            low = std::min(low.value_or(*v), *v);
            high = std::max(high.value_or(*v), *v);
        }
    }
    const auto at = static_cast<std::size_t>(column);
    const QString from = low ? text(*low) : kNone, to = high ? text(*high) : kNone;
    const QString unit = from.section(' ', 1);  // once where both have the same
    texts.text[at] = from == to                                      ? from
                     : !unit.isEmpty() && unit == to.section(' ', 1) ? from.section(' ', 0, 0) + " – " + to
                                                                     : from + QStringLiteral(" – ") + to;
    texts.order[at] = high.value_or(0);
}

/// "11 done, 1 failed"
QString countsText(std::span<const RunRow* const> runs) {
    QStringList parts;
    for (const wire::RunStatus state :
         {wire::RunStatus::Running, wire::RunStatus::Done, wire::RunStatus::Cancelled,
          wire::RunStatus::OutOfMemory, wire::RunStatus::Failed}) {
        const auto count =
            std::count_if(runs.begin(), runs.end(), [&](const RunRow* run) { return run->state == state; });
        if (count > 0) {
            parts << QStringLiteral("%1 %2").arg(count).arg(stateText(state));
        }
    }
    return parts.join(", ");
}

wire::RunStatus stateOf(std::span<const RunRow* const> runs) {
    wire::RunStatus state = wire::RunStatus::Done;
    for (const RunRow* run : runs) {
        if (run->state == wire::RunStatus::Running) {
            return wire::RunStatus::Running;
        }
        state = std::max(state, run->state);
    }
    return state;
}

std::optional<double> above0(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

const RunColumnLook& lookOf(RunColumn column) {
    static const std::array<RunColumnLook, kRunColumns> looks = {{
        {{"#"}, 64, false},
        {{QObject::tr("name"), QObject::tr("F2 or the pencil: rename. Double-click: open the run")},
         160,
         false},
        {{QObject::tr("tags"),
          QObject::tr("Short words to find runs by. Ctrl+F2 or the pencil: add and remove them")},
         112,
         false},
        {{QObject::tr("device")}, 56, false},
        {{QObject::tr("batch")}, 54, false},
        {{QObject::tr("patch")}, 64, false},
        {{QObject::tr("peak"), QObject::tr("The highest total of all tensor memory in a step")}, 112, false},
        {{QObject::tr("step ms (95 %)"),
          QObject::tr("The median of the measured steps, with its 95 % interval")},
         146,
         false},
        {{QObject::tr("loss"), QObject::tr("The loss of the last step")}, 62, false},
        {{QObject::tr("status")}, 178, false},
        {{QObject::tr("note"), QObject::tr("Your note about the run. Shift+F2 or the pencil: edit it")},
         90,
         false},
        {{QObject::tr("outcome"),
          QObject::tr(
              "Why a run ended early; with a run selected, the difference to the one selected first")},
         250,
         false},
        {{QObject::tr("created"), QObject::tr("When the run began, UTC")}, 118, true},
    }};
    return looks[static_cast<std::size_t>(column)];
}

QString stepsText(std::int64_t count) {
    return count == 1 ? QObject::tr("1 step") : QObject::tr("%n steps", nullptr, static_cast<int>(count));
}

QString stateText(wire::RunStatus status) {
    return QString::fromUtf8(wire::statusKey(status)).replace('_', ' ');
}

QColor stateColor(wire::RunStatus state) {
    switch (state) {
        case wire::RunStatus::Running:
            return widgets::theme().accent;
        case wire::RunStatus::Done:
            return widgets::theme().good;
        case wire::RunStatus::Cancelled:
            return widgets::theme().warning;
        default:
            return widgets::theme().bad;
    }
}

QString runText(const RunRow& row, RunColumn column) {
    switch (column) {
        case RunColumn::Number:
            return QString::number(row.number);
        case RunColumn::Name:
            return row.name;
        case RunColumn::Tags:
            return row.tags.join(' ');
        case RunColumn::Device:
            return row.device;
        case RunColumn::Batch:
            return row.batch > 0 ? QString::number(row.batch) : kNone;
        case RunColumn::Patch:
            return row.patch;
        case RunColumn::Peak:
            return bytesOf(row.peak);
        case RunColumn::Step:
            return stepText(row);
        case RunColumn::Loss:
            return lossText(row.loss);
        case RunColumn::Status:
            return statusText(row);
        case RunColumn::Note:
            return row.note;
        case RunColumn::Created:
            return row.created;
        case RunColumn::Against:
            break;
    }
    return row.message;
}

bool hasText(const RunRow& row, RunColumn column) {
    const QString text = runText(row, column);
    return !text.isEmpty() && text != kNone;
}

QVariant runOrder(const RunRow& row, RunColumn column) {
    switch (column) {
        case RunColumn::Number:
            return row.number;
        case RunColumn::Batch:
            return static_cast<double>(row.batch);
        case RunColumn::Peak:
            return static_cast<double>(row.peak);
        case RunColumn::Step:
            return row.stepMs;
        case RunColumn::Loss:
            return row.loss ? *row.loss : -HUGE_VAL;
        default:
            return runText(row, column).toLower();
    }
}

StudyTexts studyTexts(std::span<const RunRow* const> runs) {
    StudyTexts texts;
    if (runs.empty()) {
        return texts;
    }
    const auto at = [](RunColumn column) { return static_cast<std::size_t>(column); };
    const RunRow& first = *runs.front();
    int newest = 0;
    for (const RunRow* run : runs) {
        newest = std::max(newest, run->number);
    }
    texts.state = stateOf(runs);
    texts.text[at(RunColumn::Name)] = runs.size() == 1
                                          ? QObject::tr("%1 (1 run)").arg(first.study)
                                          : QObject::tr("%1 (%2 runs)").arg(first.study).arg(runs.size());
    texts.text[at(RunColumn::Device)] = commonText(runs, [](const RunRow& run) { return run.device; });
    texts.text[at(RunColumn::Patch)] = commonText(runs, [](const RunRow& run) { return run.patch; });
    texts.text[at(RunColumn::Status)] = countsText(runs);
    texts.text[at(RunColumn::Created)] = first.created;
    for (std::size_t column = 0; column < texts.text.size(); ++column) {
        texts.order[column] = texts.text[column].toLower();
    }
    texts.order[at(RunColumn::Number)] = newest;
    setRange(
        texts, RunColumn::Batch, runs,
        [](const RunRow& run) { return above0(static_cast<double>(run.batch)); },
        [](double v) { return QString::number(v, 'f', 0); });
    setRange(
        texts, RunColumn::Peak, runs, [](const RunRow& run) { return above0(static_cast<double>(run.peak)); },
        [](double v) { return bytesOf(static_cast<base::Bytes>(v)); });
    setRange(
        texts, RunColumn::Step, runs, [](const RunRow& run) { return above0(run.stepMs); },
        [](double v) { return QString::number(v, 'f', decimalsOf(v)); });
    setRange(
        texts, RunColumn::Loss, runs, [](const RunRow& run) { return run.loss; },
        [](double v) { return lossText(v); });
    return texts;
}

}  // namespace highwater::desktop
