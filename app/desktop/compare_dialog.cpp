#include "app/desktop/compare_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <functional>

#include "core/base/text.h"
#include "core/runs/compare.h"
#include "widgets/plot/plot_values.h"

namespace highwater::desktop {

namespace {

struct Line {
    QString name;
    std::function<QString(const runs::RunRecord&)> value;
};

QString bytes(base::Bytes b) {
    return b > 0 ? QString::fromStdString(base::formatBytes(b)) : QStringLiteral("—");
}
QString millis(double ms) {
    return ms > 0 ? QString::fromStdString(base::formatMillis(ms)) : QStringLiteral("—");
}

QString interval(const base::Interval& i) {
    if (i.n == 0)
        return QStringLiteral("—");
    return QString("%1 (%2 – %3, n = %4)").arg(millis(i.median), millis(i.low), millis(i.high)).arg(i.n);
}

std::vector<Line> measuredLines() {
    using Record = runs::RunRecord;
    std::vector<Line> lines = {
        {QObject::tr("status"),
         [](const Record& r) {
             return QString::fromUtf8(wire::statusKey(r.summary.status)).replace('_', ' ');
         }},
        {QObject::tr("device"), [](const Record& r) { return QString::fromStdString(r.summary.device); }},
        {QObject::tr("batch"), [](const Record& r) { return QString::number(r.summary.batchSize); }},
        {QObject::tr("patch"),
         [](const Record& r) { return QString::fromStdString(base::formatShapeShort(r.summary.patch)); }},
        {QObject::tr("peak"), [](const Record& r) { return bytes(r.result.peakAllocated); }},
    };
    for (const memory::Category c : memory::kCategories)
        lines.push_back({QObject::tr("  at the peak: %1").arg(widgets::categoryName(c)),
                         [c](const Record& r) { return bytes(r.result.peakByCategory[c]); }});
    lines.push_back(
        {QObject::tr("peak resident set"), [](const Record& r) { return bytes(r.result.peakRss); }});
    lines.push_back(
        {QObject::tr("step, median (95 %)"), [](const Record& r) { return interval(r.result.stepMs); }});
    const auto phase = [&](const char* name, double wire::PhaseTimes::*member) {
        lines.push_back({QString("  %1").arg(name),
                         [member](const Record& r) { return millis(r.result.phasesMs.*member); }});
    };
    phase("data", &wire::PhaseTimes::data);
    phase("forward", &wire::PhaseTimes::forward);
    phase("recompute", &wire::PhaseTimes::recompute);
    phase("backward", &wire::PhaseTimes::backward);
    phase("optimizer", &wire::PhaseTimes::optimizer);
    lines.push_back({QObject::tr("samples a second"), [](const Record& r) {
                         return r.result.throughput > 0 ? QString::number(r.result.throughput, 'g', 3)
                                                        : QStringLiteral("—");
                     }});
    lines.push_back({QObject::tr("last loss"), [](const Record& r) {
                         return r.result.losses.empty() ? QStringLiteral("—")
                                                        : QString::number(r.result.lossLast, 'g', 6);
                     }});
    return lines;
}

}  // namespace

CompareDialog::CompareDialog(const std::vector<runs::RunRecord>& runs, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Compare runs"));
    auto* table = new QTableWidget;
    table->setColumnCount(static_cast<int>(runs.size()));
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    table->setShowGrid(true);
    table->setGridStyle(Qt::SolidLine);
    table->setFocusPolicy(Qt::NoFocus);
    QStringList heads;
    for (const runs::RunRecord& run : runs)
        heads << QString("#%1 %2").arg(run.summary.number).arg(QString::fromStdString(run.summary.name));
    table->setHorizontalHeaderLabels(heads);

    QStringList names;
    const auto addRow = [&](const QString& name, const std::function<QString(std::size_t)>& value) {
        const int row = table->rowCount();
        table->insertRow(row);
        names << name;
        for (std::size_t c = 0; c < runs.size(); ++c) {
            auto* item = new QTableWidgetItem(value(c));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(item->text());
            table->setItem(row, static_cast<int>(c), item);
        }
    };
    for (const Line& line : measuredLines())
        addRow(line.name, [&](std::size_t c) { return line.value(runs[c]); });
    std::vector<runs::Comparison> against;
    for (const runs::RunRecord& run : runs)
        against.push_back(runs::compare(run, runs.front()));
    addRow(tr("against #%1").arg(runs.front().summary.number), [&](std::size_t c) {
        return c == 0 ? QStringLiteral("—") : QString::fromStdString(runs::describe(against[c]));
    });
    table->setVerticalHeaderLabels(names);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->horizontalHeader()->setMinimumSectionSize(140);
    table->verticalHeader()->setDefaultSectionSize(25);
    table->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);

    QStringList differences;
    for (std::size_t c = 1; c < runs.size(); ++c) {
        QStringList items;
        for (const std::string& d : against[c].differences)
            items << QString::fromStdString(d);
        differences << tr("#%1 differs from #%2 in: %3")
                           .arg(runs[c].summary.number)
                           .arg(runs.front().summary.number)
                           .arg(items.isEmpty() ? tr("nothing but the measurement") : items.join(", "));
    }
    auto* note = new QLabel(differences.join('\n'));
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(table, 1);
    layout->addWidget(note);
    layout->addWidget(buttons);
    resize(300 + 240 * static_cast<int>(std::min<std::size_t>(runs.size(), 4)), 700);
}

}  // namespace highwater::desktop
