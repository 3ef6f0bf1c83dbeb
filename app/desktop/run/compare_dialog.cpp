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
};

QString bytes(base::Bytes b) {
    return b > 0 ? QString::fromStdString(base::formatBytes(b)) : QStringLiteral("—");
}
QString millis(double ms) {
    return ms > 0 ? QString::fromStdString(base::formatMillis(ms)) : QStringLiteral("—");
}

QString interval(const base::Interval& i) {
    if (i.n == 0) {
        return QStringLiteral("—");
    }
    if (i.n < runs::kFewestSteps) {  // too few steps for a 95 % interval
        return QString("%1  (%2)").arg(millis(i.median), QString::fromStdString(base::counted(i.n, "step")));
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
    std::vector<Line> lines = {{QObject::tr("Memory")}, {QObject::tr("peak"), [](const Record& r) {
                                                             return bytes(r.result.peakAllocated);
                                                         }}};
    for (const memory::Category c : memory::kCategories) {
        lines.push_back({widgets::categoryName(c),
                         [c](const Record& r) { return bytes(r.result.peakByCategory[c]); }, true});
    }
    lines.push_back(
        {QObject::tr("peak resident set"), [](const Record& r) { return bytes(r.result.peakRss); }});
    return lines;
}

/// For runs on a GPU: the device's memory at their peaks.
std::vector<Line> deviceLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {{QObject::tr("GPU memory at the peak")}};
    const auto parts = wire::deviceParts({});
    for (std::size_t i = 0; i < parts.size(); ++i) {
        lines.push_back(
            {QString::fromUtf8(parts[i].name.data(), static_cast<qsizetype>(parts[i].name.size())),
             [i](const Record& r) {
                 return r.result.deviceAtPeak ? bytes(wire::deviceParts(*r.result.deviceAtPeak)[i].bytes)
                                              : bytes(0);
             },
             true});
    }
    lines.push_back({QObject::tr("used, as nvidia-smi shows it"), [](const Record& r) {
                         return bytes(r.result.deviceAtPeak ? r.result.deviceAtPeak->used() : 0);
                     }});
    lines.push_back({QObject::tr("conditions"), [](const Record& r) {
                         const std::string text = r.result.after ? wire::conditionsText(*r.result.after) : "";
                         return text.empty() ? QStringLiteral("—") : QString::fromStdString(text);
                     }});
    return lines;
}

std::vector<Line> timeLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {
        {QObject::tr("Time")},
        {QObject::tr("step, median (95 %)"), [](const Record& r) { return interval(r.result.stepMs); }}};
    const auto phase = [&](const char* name, double wire::PhaseTimes::* member) {
        lines.push_back(
            {name, [member](const Record& r) { return millis(r.result.phasesMs.*member); }, true});
    };
    phase("data", &wire::PhaseTimes::data);
    phase("forward", &wire::PhaseTimes::forward);
    phase("recompute", &wire::PhaseTimes::recompute);
    phase("backward", &wire::PhaseTimes::backward);
    phase("optimizer", &wire::PhaseTimes::optimizer);
    lines.push_back({QObject::tr("measured steps"), [](const Record& r) {
                         const bool pretended = r.pretended();
                         return pretended               ? QObject::tr("none: pretended")
                                : r.result.stepMs.n > 0 ? QString::number(r.result.stepMs.n)
                                                        : QStringLiteral("—");
                     }});
    lines.push_back({QObject::tr("samples per second"), [](const Record& r) {
                         return r.result.throughput > 0 ? QString::number(r.result.throughput, 'g', 3)
                                                        : QStringLiteral("—");
                     }});
    lines.push_back({QObject::tr("last loss"), [](const Record& r) {
                         return r.result.losses.empty() || !std::isfinite(r.result.lossLast)
                                    ? QStringLiteral("—")
                                    : QString::number(r.result.lossLast, 'g', 6);
                     }});
    return lines;
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
    }
    auto* table = widgets::makeFlatTable(heads);
    table->horizontalHeader()->setMinimumSectionSize(150);
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
    for (const Line& line : lines) {
        QStringList cells = {line.name};
        for (const runs::RunRecord& run : runs) {
            cells << (line.value ? line.value(run) : QString());
        }
        widgets::addFlatRow(*table,
                            !line.value ? widgets::RowKind::Heading
                            : line.part ? widgets::RowKind::Part
                                        : widgets::RowKind::Plain,
                            cells);
    }
    if (!scriptLines.isEmpty()) {
        widgets::addFlatRow(*table, widgets::RowKind::Heading,
                            QStringList{tr("Lines of the script, at the peak")} +
                                QStringList(static_cast<qsizetype>(runs.size()), QString()));
        for (const QStringList& cells : scriptLines) {
            widgets::addFlatRow(*table, widgets::RowKind::Part, cells);
        }
    }
    QStringList verdicts = {tr("against #%1").arg(runs.front().summary.number)};
    for (std::size_t c = 0; c < runs.size(); ++c) {
        verdicts << (c == 0 ? QStringLiteral("—") : QString::fromStdString(runs::describe(against[c])));
    }
    widgets::addFlatRow(*table, widgets::RowKind::Heading, verdicts);

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
    resize(widgets::onScreen(*this, {200 + 250 * columns, std::min(rows + 130, 860)}));
}

}  // namespace highwater::desktop

#include "moc_compare_dialog.cpp"
