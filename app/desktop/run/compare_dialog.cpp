#include "app/desktop/run/compare_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/desktop/run/run_row.h"
#include "core/base/text.h"
#include "core/runs/compare.h"
#include "core/wire/gpu_words.h"
#include "widgets/controls/flat_table.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// A row of the table. Without a value it is the heading of the rows below; `part` belongs to the row above
/// it.
struct Line {
    QString name;
    std::function<QString(const runs::RunRecord&)> value = {};
    bool part = false;
    /// The figure that is compared with the baseline's; 0: none. Lines without figures are compared as text.
    std::function<double(const runs::RunRecord&)> figure = {};
    bool step = false;  ///< it is the time of a step, of which the noise is known
};

constexpr auto kNone = "—";

QString bytes(base::Bytes b) {
    return b > 0 ? QString::fromStdString(base::formatBytes(b)) : QString(kNone);
}
QString millis(double ms) {
    return ms > 0 ? QString::fromStdString(base::formatMillis(ms)) : QString(kNone);
}

Line bytesLine(const QString& name, std::function<base::Bytes(const runs::RunRecord&)> of,
               bool part = false) {
    return {name, [of](const runs::RunRecord& r) { return bytes(of(r)); }, part,
            [of](const runs::RunRecord& r) { return static_cast<double>(of(r)); }};
}

Line millisLine(const QString& name, std::function<double(const runs::RunRecord&)> of, bool part = false) {
    return {name, [of](const runs::RunRecord& r) { return millis(of(r)); }, part, of};
}

/// How a run's value differs from the baseline's: "+12.0 %", "differs"; empty if it does not.
QString difference(const Line& line, const runs::RunRecord& run, const runs::RunRecord& baseline) {
    if (!line.value || line.value(run) == line.value(baseline)) {
        return {};
    }
    if (!line.figure) {
        return QObject::tr("differs");
    }
    if (line.step) {
        const base::Interval ratio = runs::timeRatio(run.result.stepMs, baseline.result.stepMs);
        if (ratio.n > 0 && !runs::timeDiffers(ratio)) {
            return ratio.n < runs::kFewestSteps ? QObject::tr("too few steps to tell")
                                                : QObject::tr("within the noise");
        }
    }
    const double before = line.figure(baseline), now = line.figure(run);
    return before > 0 && now > 0 ? QString::fromStdString(runs::changeText(now / before)) : QString();
}

QString interval(const base::Interval& i) {
    if (i.n == 0) {
        return QString(kNone);
    }
    if (i.n < runs::kFewestSteps) {  // too few steps for a 95 % interval
        return QString("%1  (%2)").arg(millis(i.median), stepsText(i.n));
    }
    return QString("%1  (%2 – %3)").arg(millis(i.median), millis(i.low), millis(i.high));
}

std::vector<Line> settingLines() {
    using Record = runs::RunRecord;
    return {
        {QObject::tr("Run")},
        {QObject::tr("status"),
         [](const Record& r) {
             return QString::fromUtf8(wire::statusKey(r.summary.status)).replace('_', ' ');
         }},
        {QObject::tr("device"),
         [](const Record& r) { return QString::fromStdString(runs::whereText(r.summary)); }},
        {QObject::tr("batch"),
         [](const Record& r) {
             return r.summary.batchSize > 0 ? QString::number(r.summary.batchSize) : QStringLiteral("—");
         }},
        {QObject::tr("patch"),
         [](const Record& r) {
             return r.summary.patch.empty() ? QStringLiteral("—")
                                            : QString::fromStdString(base::formatShapeShort(r.summary.patch));
         }},
    };
}

std::vector<Line> memoryLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {{QObject::tr("Memory")}, bytesLine(QObject::tr("peak"), [](const Record& r) {
                                   return r.result.peakAllocated;
                               })};
    for (const memory::Category c : memory::kCategories) {
        lines.push_back(bytesLine(
            widgets::categoryName(c), [c](const Record& r) { return r.result.peakByCategory[c]; }, true));
    }
    lines.push_back(
        bytesLine(QObject::tr("peak resident set"), [](const Record& r) { return r.result.peakRss; }));
    return lines;
}

/// For runs on a GPU: the device's memory at their peaks.
std::vector<Line> deviceLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {{QObject::tr("GPU memory at the peak")}};
    const auto parts = wire::deviceParts({});
    for (std::size_t i = 0; i < parts.size(); ++i) {
        lines.push_back(bytesLine(
            QString::fromUtf8(parts[i].name.data(), static_cast<qsizetype>(parts[i].name.size())),
            [i](const Record& r) {
                return r.result.deviceAtPeak ? wire::deviceParts(*r.result.deviceAtPeak)[i].bytes
                                             : base::Bytes{0};
            },
            true));
    }
    lines.push_back(bytesLine(QObject::tr("used, as nvidia-smi shows it"), [](const Record& r) {
        return r.result.deviceAtPeak ? r.result.deviceAtPeak->used() : base::Bytes{0};
    }));
    lines.push_back({QObject::tr("conditions"), [](const Record& r) {
                         const std::string text = r.result.after ? wire::conditionsText(*r.result.after) : "";
                         return text.empty() ? QString(kNone) : QString::fromStdString(text);
                     }});
    return lines;
}

std::vector<Line> timeLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {
        {QObject::tr("Time")},
        {QObject::tr("step, median (95 %)"), [](const Record& r) { return interval(r.result.stepMs); }, false,
         [](const Record& r) { return r.result.stepMs.median; }, true}};
    const auto phase = [&](const QString& name, double wire::PhaseTimes::* member) {
        lines.push_back(
            millisLine(name, [member](const Record& r) { return r.result.phasesMs.*member; }, true));
    };
    phase(QObject::tr("data"), &wire::PhaseTimes::data);
    phase(QObject::tr("forward"), &wire::PhaseTimes::forward);
    phase(QObject::tr("recompute"), &wire::PhaseTimes::recompute);
    phase(QObject::tr("backward"), &wire::PhaseTimes::backward);
    phase(QObject::tr("optimizer"), &wire::PhaseTimes::optimizer);
    lines.push_back({QObject::tr("measured steps"), [](const Record& r) {
                         const bool pretended = r.pretended();
                         return pretended               ? QObject::tr("none: pretended")
                                : r.result.stepMs.n > 0 ? QString::number(r.result.stepMs.n)
                                                        : QString(kNone);
                     }});
    lines.push_back({QObject::tr("samples per second"), [](const Record& r) {
                         return r.result.throughput > 0 ? QString::number(r.result.throughput, 'g', 3)
                                                        : QString(kNone);
                     }});
    lines.push_back({QObject::tr("last loss"), [](const Record& r) {
                         return r.result.losses.empty() || !std::isfinite(r.result.lossLast)
                                    ? QString(kNone)
                                    : QString::number(r.result.lossLast, 'g', 6);
                     }});
    return lines;
}

/// Leaves out lines in which no run has a value (a script has no batch and no phases), and headings without
/// lines.
std::vector<Line> linesWithValues(std::vector<Line> lines, const std::vector<runs::RunRecord>& runs) {
    std::erase_if(lines, [&](const Line& line) {
        return line.value && std::ranges::all_of(runs, [&](const runs::RunRecord& run) {
                   return line.value(run) == QString(kNone);
               });
    });
    std::vector<Line> kept;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].value || (i + 1 < lines.size() && lines[i + 1].value)) {
            kept.push_back(std::move(lines[i]));
        }
    }
    return kept;
}

QString title(const runs::RunSummary& run) {
    return QString("#%1 %2").arg(run.number).arg(QString::fromStdString(run.name));
}

QString differencesText(const std::vector<runs::RunRecord>& runs,
                        const std::vector<runs::Comparison>& against) {
    QStringList lines;
    for (std::size_t c = 1; c < runs.size(); ++c) {
        QStringList items = widgets::fromUtf8(against[c].differences);
        lines << QObject::tr("#%1 differs from #%2 in: %3")
                     .arg(runs[c].summary.number)
                     .arg(runs.front().summary.number)
                     .arg(items.isEmpty() ? QObject::tr("nothing except the measurement") : items.join(", "));
    }
    return lines.join('\n');
}

}  // namespace

CompareDialog::CompareDialog(std::vector<runs::RunRecord> runs, const QList<QStringList>& scriptLines,
                             QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(tr("Compare runs"));
    std::vector<runs::Comparison> against;
    QStringList heads = {QString()};
    for (const runs::RunRecord& run : runs) {
        against.push_back(runs::compare(run, runs.front()));
        heads << title(run.summary);
        if (&run != &runs.front()) {
            heads << tr("against #%1").arg(runs.front().summary.number);
        }
    }
    auto* table = widgets::makeFlatTable(heads);
    table->horizontalHeader()->setMinimumSectionSize(110);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    std::vector<Line> lines = settingLines();
    const bool gpu = std::any_of(runs.begin(), runs.end(), [](const runs::RunRecord& run) {
        return run.result.deviceAtPeak.has_value();
    });
    for (auto* more : {&memoryLines, &deviceLines, &timeLines}) {
        for (Line& line : more == &deviceLines && !gpu ? std::vector<Line>() : (*more)()) {
            lines.push_back(std::move(line));
        }
    }
    for (const Line& line : linesWithValues(std::move(lines), runs)) {
        QStringList cells = {line.name};
        for (const runs::RunRecord& run : runs) {
            cells << (line.value ? line.value(run) : QString());
            if (&run != &runs.front()) {
                cells << difference(line, run, runs.front());
            }
        }
        widgets::addFlatRow(*table,
                            !line.value ? widgets::RowKind::Heading
                            : line.part ? widgets::RowKind::Part
                                        : widgets::RowKind::Plain,
                            cells);
    }
    if (!scriptLines.isEmpty()) {
        widgets::addFlatRow(
            *table, widgets::RowKind::Heading,
            QStringList{tr("Lines of the script, at the peak")} + QStringList(heads.size() - 1, QString()));
        for (const QStringList& cells : scriptLines) {
            widgets::addFlatRow(*table, widgets::RowKind::Part, cells);
        }
    }
    QStringList verdicts = {tr("against #%1").arg(runs.front().summary.number)};
    for (std::size_t c = 0; c < runs.size(); ++c) {
        verdicts << (c == 0 ? QString(kNone) : QString::fromStdString(runs::describe(against[c])));
        if (c > 0) {
            verdicts << QString();
        }
    }
    const int last = widgets::addFlatRow(*table, widgets::RowKind::Heading, verdicts);
    for (int column = 2; column < table->columnCount(); column += 2) {
        table->setSpan(last, column, 1, 2);  // a sentence
    }

    auto* note = new QLabel(differencesText(runs, against));
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    note->setContentsMargins(12, 8, 12, 0);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->setContentsMargins(0, 0, 12, 12);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(table, 1);
    layout->addWidget(note);
    layout->addWidget(buttons);
    const int rows = table->rowCount() * table->verticalHeader()->defaultSectionSize();
    const int columns = static_cast<int>(std::min<std::size_t>(runs.size(), 4));
    resize(widgets::onScreen(*this, {200 + 330 * columns, std::min(rows + 130, 860)}));
}

}  // namespace highwater::desktop

#include "moc_compare_dialog.cpp"
