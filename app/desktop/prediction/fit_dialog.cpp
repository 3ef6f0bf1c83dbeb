#include "app/desktop/prediction/fit_dialog.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/plan/prediction_words.h"
#include "core/predict/tables/profile.h"
#include "core/report/prediction_report.h"
#include "widgets/controls/flat_table.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/tab_order.h"

namespace highwater::desktop {

namespace {

constexpr int kFitSettleMs = 300;
constexpr int kCudnnColumn = 4;
const QString kNothing = QStringLiteral("—");

QString bytesWords(base::Bytes bytes) {
    return bytes > 0 ? QString::fromStdString(base::formatBytes(bytes)) : kNothing;
}

QString timeWords(const predict::TimeEstimate& time) {
    return time.expected > 0 ? QString::fromStdString(base::formatMillis(time.expected)) : kNothing;
}

QString estimateWords(const plan::DeviceFit& fit) {
    const std::string words = plan::estimateText(fit);
    return words.empty() ? kNothing : QString::fromStdString(words);
}

QString verdictWords(const plan::DeviceFit& fit) {
    return QString::fromStdString(plan::verdictText(fit));
}

/// Whether the workspaces were guessed or asked for. For a device other than the chosen one, they were asked
/// for earlier, and for this size only.
QString cudnnWords(const plan::DeviceFit& fit, bool chosen) {
    return fit.guessed > 0 ? (fit.asked > 0 ? QObject::tr("partly asked of cuDNN") : QObject::tr("not asked"))
           : fit.asked > 0 ? (chosen ? QObject::tr("asked") : QObject::tr("asked before"))
           : fit.basis.empty() ? kNothing
                               : QObject::tr("known");
}

QString batchWords(const plan::DeviceFit& fit) {
    return fit.largestBatch < 0    ? kNothing
           : fit.largestBatch == 0 ? QObject::tr("none")
                                   : QString::number(fit.largestBatch);
}

/// Sorted: this CPU, then the GPUs by their memory.
std::vector<TargetItem> byMemory(std::vector<TargetItem> items) {
    const std::vector<std::string> order = predict::targetsByMemory();
    const auto place = [&](const TargetItem& item) {
        return std::ranges::find(order, item.id.toStdString()) - order.begin();
    };
    std::ranges::stable_sort(items, {}, place);
    return items;
}

QTableWidget* rowsTable(const QStringList& heads, const QList<int>& words, const QString& name) {
    QTableWidget* const table = widgets::makeFlatTable(heads, words);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setFocusPolicy(Qt::StrongFocus);
    table->setAccessibleName(name);
    table->setObjectName(name);
    return table;
}

/// Columns as wide as their contents, which change later; `wide` gets the rest.
void fitColumns(QTableWidget& table, int wide) {
    table.horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.horizontalHeader()->setSectionResizeMode(wide, QHeaderView::Stretch);
}

}  // namespace

FitDialog::FitDialog(ExperimentDocument& document, TargetField& targets, QWidget* parent,
                     ask::Learner::Work work)
    : QDialog(parent),
      document_(document),
      targets_(targets),
      scan_(std::move(work)),
      items_(byMemory(targets.targets())) {
    setWindowTitle(tr("Where does it fit?"));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    title_ = new QLabel(this);
    title_->setTextFormat(Qt::PlainText);
    title_->setContentsMargins(12, 10, 12, 8);
    table_ = rowsTable({tr("device"), tr("memory"), tr("needs"), tr("estimate"), tr("cuDNN"), tr("verdict"),
                        tr("per step"), tr("largest batch")},
                       {0, 4, 5}, tr("Devices"));
    helpTitle_ = new QLabel(this);
    helpTitle_->setTextFormat(Qt::PlainText);
    helpTitle_->setContentsMargins(12, 10, 12, 8);
    helpTable_ =
        rowsTable({tr("change"), tr("needs"), tr("cuDNN"), tr("verdict"), tr("per step"), tr("what it does")},
                  {0, 2, 3, 5}, tr("Changes"));
    fitColumns(*table_, 0);
    fitColumns(*helpTable_, 5);
    notices_ = new widgets::NoticeBar(this);
    layout->addWidget(notices_);
    layout->addWidget(title_);
    layout->addWidget(table_, 3);
    layout->addWidget(helpTitle_);
    layout->addWidget(helpTable_, 2);
    layout->addLayout(makeFoot());
    connectScan();
    widgets::pressOnlyFocusedButtons(*this);
    resize(widgets::onScreen(*this, {1080, 780}));
    scan();
}

QLayout* FitDialog::makeFoot() {
    auto* foot = widgets::makeLayout<QHBoxLayout>(nullptr, 10, {12, 8, 12, 12});
    note_ = new QLabel(this);
    note_->setProperty("muted", true);
    note_->setWordWrap(true);
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedSize(160, 8);
    cancel_ = new QPushButton(tr("Cancel"), this);
    auto* plans = new QPushButton(tr("Make it fit…"), this);
    plans->setToolTip(tr("Plans for the chosen device that take less memory for more time"));
    report_ = new QPushButton(tr("Report…"), this);
    report_->setToolTip(tr("Save both tables with the experiment, as a web page, PDF, CSV or JSON"));
    auto* close = new QPushButton(tr("Close"), this);
    foot->addWidget(note_, 1);
    foot->addWidget(progress_);
    foot->addWidget(cancel_);
    foot->addWidget(report_);
    foot->addWidget(plans);
    foot->addWidget(close);
    connect(plans, &QPushButton::clicked, this, &FitDialog::plansWanted);
    connect(report_, &QPushButton::clicked, this, &FitDialog::chooseReport);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        scan_.cancel();
        finish();
    });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return foot;
}

void FitDialog::connectScan() {
    connect(table_, &QTableWidget::cellActivated, this,
            [this](int row) { emit deviceChosen(items_[static_cast<std::size_t>(row)].id); });
    connect(helpTable_, &QTableWidget::cellActivated, this, [this](int row) {
        if (row < static_cast<int>(found_.size())) {
            const FitScan::Help chosen = found_[static_cast<std::size_t>(row)];
            emit changeChosen(chosen.title, chosen.experiment);
        }
    });
    connect(&scan_, &FitScan::found, this, &FitDialog::showDevice);
    connect(&scan_, &FitScan::progressed, this, [this](int done, int of) {
        progress_->setRange(0, of);
        progress_->setValue(done);
    });
    connect(&scan_, &FitScan::helpFound, this, &FitDialog::showHelp);
    connect(&scan_, &FitScan::finished, this, &FitDialog::finish);
    connect(&targets_, &TargetField::changed, this, [this] { later_.start(); });
    later_.setSingleShot(true);
    later_.setInterval(kFitSettleMs);
    connect(&later_, &QTimer::timeout, this, &FitDialog::scan);
}

void FitDialog::experimentChanged() {
    later_.start();
}

void FitDialog::scan() {
    later_.stop();
    scan_.cancel();
    found_.clear();
    fitsOf_.assign(items_.size(), base::Error{"not predicted"});
    scanned_ = document_.experiment();
    report_->setEnabled(false);
    helpTable_->setRowCount(0);
    helpTitle_->setText(tr("Changes for %1: the largest sizes that fit, and what would need less memory")
                            .arg(targets_.title()));
    fits_ = answered_ = 0;
    atLeast_ = false;
    if (const auto& info = document_.info(); !info) {
        table_->setRowCount(0);
        title_->setText(plainError(info.error()));
        return finish();
    }
    table_->setRowCount(0);
    for (const TargetItem& item : items_) {
        const bool chosen = item.id == targets_.choice().id;
        widgets::addFlatRow(*table_, chosen ? widgets::RowKind::Heading : widgets::RowKind::Plain,
                            {item.title, QStringLiteral("…"), {}, {}, {}, {}, {}, {}});
    }
    showChosen();
    showNote({});
    title_->setText(tr("Predicting…"));
    progress_->setValue(0);
    progress_->show();
    cancel_->show();
    scan_.start({document_.experiment(), items_, targets_.choice()});
}

/// Selects the target's device and scrolls to it.
void FitDialog::showChosen() {
    const auto chosen = std::ranges::find(items_, targets_.choice().id, &TargetItem::id);
    if (chosen != items_.end()) {
        const int row = static_cast<int>(chosen - items_.begin());
        table_->setCurrentCell(row, 0);
        table_->scrollToItem(table_->item(row, 0));
    }
}

void FitDialog::showDevice(int device, const plan::DeviceFit& fit, const QString& trouble) {
    const TargetItem& item = items_[static_cast<std::size_t>(device)];
    fitsOf_[static_cast<std::size_t>(device)] = trouble.isEmpty()
                                                    ? base::Result<plan::DeviceFit>(fit)
                                                    : base::Error{plainError(trouble).toStdString()};
    const widgets::RowKind kind =
        item.id == targets_.choice().id ? widgets::RowKind::Heading : widgets::RowKind::Plain;
    if (!trouble.isEmpty()) {
        widgets::setFlatRow(
            *table_, device, kind,
            {item.title, kNothing, kNothing, kNothing, kNothing, plainError(trouble), kNothing, kNothing});
    } else {
        widgets::setFlatRow(*table_, device, kind,
                            {item.title, bytesWords(fit.capacity), bytesWords(fit.peak.expected),
                             estimateWords(fit), cudnnWords(fit, kind == widgets::RowKind::Heading),
                             verdictWords(fit), timeWords(fit.stepMs), batchWords(fit)});
        if (!fit.basis.empty()) {
            table_->item(device, kCudnnColumn)
                ->setToolTip(tr("Workspaces %1").arg(QString::fromStdString(fit.basis)));
        }
        fits_ += fit.fits == predict::Fits::Yes ? 1 : 0;
        atLeast_ = fit.atLeast;
    }
    ++answered_;
    title_->setText(atLeast_ ? tr("Some operators are unknown: it needs at least this much")
                             : tr("It fits %1 of %2 devices").arg(fits_).arg(answered_));
}

void FitDialog::showNote(const QString& why) {
    note_->setText(tr("Times are estimates, and so is memory where it is not called exact. Devices are "
                      "compared with all of their free memory; the budget is ignored. Double-click a device "
                      "to predict for it, or a change to apply it. cuDNN is asked for %1 only; others use "
                      "cached answers or estimates. cuDNN uses different kernels on each generation of GPUs, "
                      "so the same experiment needs different amounts of memory.")
                       .arg(targets_.choice().id == "cpu" ? tr("the chosen GPU") : targets_.title()) +
                   (why.isEmpty() ? why : ' ' + why));
}

void FitDialog::showHelp(const std::vector<FitScan::Help>& help, const QString& why) {
    showNote(why);
    found_ = help;
    for (const FitScan::Help& each : help) {
        widgets::addFlatRow(
            *helpTable_, widgets::RowKind::Plain,
            {each.title, bytesWords(each.fit.peak.expected), cudnnWords(each.fit, true),
             verdictWords(each.fit), timeWords(each.fit.stepMs),
             each.changesTask ? tr("Changes what the network computes. %1").arg(each.what) : each.what});
    }
    if (help.empty()) {
        helpTitle_->setText(
            tr("No setting of the experiment reduces memory on %1; a smaller batch or patch would")
                .arg(targets_.title()));
    }
}

void FitDialog::finish() {
    progress_->hide();
    cancel_->hide();
    report_->setEnabled(answered_ > 0);
}

void FitDialog::chooseReport() {
    if (const QString file = askReportFile(this); !file.isEmpty()) {
        saveReport(file);
    }
}

void FitDialog::saveReport(const QString& file) {
    report::DevicesInput input;
    input.experiment = scanned_;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        input.devices.push_back(
            {items_[i].title.toStdString(), items_[i].id.toStdString(), {}, {}, fitsOf_[i]});
    }
    input.changesOn = targets_.title().toStdString();
    for (const FitScan::Help& each : found_) {
        input.changes.push_back(
            {each.title.toStdString(),
             (each.changesTask ? tr("Changes what the network computes. %1").arg(each.what) : each.what)
                 .toStdString(),
             each.fit});
    }
    const auto write = [input = std::move(input), choice = targets_.choice()](
                           const std::filesystem::path& path, const report::Stop& stop) mutable {
        for (report::DevicesInput::Device& device : input.devices) {
            TargetChoice on = choice;
            on.id = QString::fromStdString(device.id);
            if (const auto target = targetOf(on, input.experiment); target && target->gpu) {
                device.libtorch = predict::toText(target->versions.libtorch);
                device.cudnn = predict::toText(target->versions.cudnn);
            }
        }
        input.created = base::isoNow();
        return report::write(report::contentOf(input), path, stop);
    };
    writeReport(file, write, reports_, this, sayIn(*notices_));
}

}  // namespace highwater::desktop

#include "moc_fit_dialog.cpp"
