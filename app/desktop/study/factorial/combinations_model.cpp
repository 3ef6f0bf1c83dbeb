#include "app/desktop/study/factorial/combinations_model.h"

#include <limits>

#include "app/desktop/study/study_words.h"
#include "core/base/text.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr const char* kNone = "—";
constexpr double kLast = std::numeric_limits<double>::max();  // sorts unknown values after known ones

QString digits(double ms) {
    return QString::number(ms, 'f', ms < 10 ? 2 : ms < 1000 ? 1 : 0);
}

double ratio(double value, double of) {
    return of > 0 ? value / of : 0;
}

}  // namespace

QString timeText(const base::Interval& ms) {
    if (ms.n == 0) {
        return kNone;
    }
    if (ms.n < 2 || ms.low == ms.high) {
        return digits(ms.median);
    }
    return QObject::tr("%1 (%2 to %3)").arg(digits(ms.median), digits(ms.low), digits(ms.high));
}

CombinationsModel::CombinationsModel(QObject* parent)
    : TableModel(
          {{"combination", "The levers that are on, and the values of the fields"},
           widgets::figures("Pareto", "No other combination beats it in both memory and time",
                            Qt::AlignHCenter),
           widgets::figures("memory", "The highest total of all tensor memory in a step"),
           widgets::figures("change",
                            "Memory compared with the combination of no lever and the first values"),
           widgets::figures("step ms (95 %)", "The median of the repeats' steps, with its 95 % interval"),
           widgets::figures("change", "Time compared with the combination of no lever and the first values"),
           {"status", "How its runs ended"}},
          parent) {}

const CombinationRow* CombinationsModel::base() const {
    return rows_.empty() || !rows_.front().measured ? nullptr : &rows_.front();
}

QString CombinationsModel::text(const CombinationRow& row, int column) const {
    const bool against = row.measured && base() && &row != base();
    switch (column) {
        case Name:
            return row.name;
        case Memory:
            return row.peak > 0 ? QString::fromStdString(base::formatBytes(row.peak)) : kNone;
        case MemoryChange:
            return against
                       ? changeText(ratio(static_cast<double>(row.peak), static_cast<double>(base()->peak)))
                       : QString(kNone);
        case Time:
            return timeText(row.stepMs);
        case TimeChange:
            return against ? changeText(ratio(row.stepMs.median, base()->stepMs.median)) : QString(kNone);
        case Front:
            return row.front ? QStringLiteral("●") : QString();
        case Status:
            return row.problem.isEmpty() ? row.status : row.status + ": " + row.problem;
        default:
            return {};
    }
}

QVariant CombinationsModel::sortValue(const CombinationRow& row, int column) const {
    switch (column) {
        case Memory:
        case MemoryChange:
            return row.peak > 0 ? static_cast<double>(row.peak) : kLast;
        case Time:
        case TimeChange:
            return row.stepMs.n > 0 ? row.stepMs.median : kLast;
        case Front:
            return row.front ? 0 : 1;
        default:
            return TableModel::sortValue(row, column);
    }
}

QVariant CombinationsModel::look(const CombinationRow& row, int column, int role) const {
    switch (role) {
        case Qt::ForegroundRole:
            if (column == Front) {
                return widgets::theme().accent;
            }
            if (column == Status) {
                return row.problem.isEmpty()
                           ? row.measured ? widgets::theme().good : widgets::theme().mutedText
                           : widgets::theme().warning;
            }
            return row.measured ? QVariant() : QVariant(widgets::theme().mutedText);
        case Qt::ToolTipRole:
            if (column == Name) {
                return row.changesTask ? row.name + '\n' + tr("The network computes something different.")
                                       : row.name;
            }
            return column == Status ? text(row, column) : QString();
        default:
            return {};
    }
}

}  // namespace highwater::desktop

#include "moc_combinations_model.cpp"
