#include "app/desktop/cases/cases_dialog.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/desktop/experiment/nnunet_dialog.h"
#include "app/desktop/experiment/target/targets.h"
#include "core/base/processor.h"
#include "core/base/text.h"
#include "widgets/controls/flat_table.h"
#include "widgets/controls/path_row.h"
#include "widgets/controls/search_combo.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr auto kCasesFolderKey = "cases/dialogFolder";
constexpr int kWidest = 260;  // of a column, whose cells show the rest as a tooltip

}  // namespace

CasesDialog::CasesDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Will these cases fit?"));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 10, {16, 14, 16, 14});
    auto* words = new QLabel(
        tr("The memory that nnU-Net's inference needs for each scan of a folder, by its plans and the scans' "
           "headers. Nothing is run."),
        this);
    words->setWordWrap(true);
    words->setProperty("muted", true);
    layout->addWidget(words);
    auto* grid = widgets::makeLayout<QGridLayout>(nullptr, 8);
    makeFields(*grid);
    layout->addLayout(grid);
    headline_ = new QLabel(this);
    headline_->setObjectName("headline");
    headline_->setWordWrap(true);
    table_ = widgets::makeFlatTable(casesHeads(), casesWordColumns());
    table_->setObjectName("cases");
    table_->setAccessibleName(tr("Cases"));
    table_->setFocusPolicy(Qt::StrongFocus);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setMaximumSectionSize(kWidest);
    advice_ = new QLabel(this);
    advice_->setObjectName("advice");
    advice_->setTextFormat(Qt::PlainText);
    advice_->setWordWrap(true);
    advice_->setProperty("muted", true);
    advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(headline_);
    layout->addWidget(table_, 1);
    layout->addWidget(advice_);
    layout->addWidget(makeFoot());
    auto* copying = new QShortcut(QKeySequence::Copy, table_);
    copying->setContext(Qt::WidgetShortcut);
    connect(copying, &QShortcut::activated, this, &CasesDialog::copy);
    if (const QString problem = offerGpus(*gpu_); !problem.isEmpty()) {
        state_->setText(problem);
    }
    readSettings();
    headline_->setText(tr("Choose plans and a folder of scans."));
    showState();
    resize(widgets::onScreen(*this, {1180, 700}));
}

void CasesDialog::makeFields(QGridLayout& grid) {
    grid.setColumnStretch(1, 1);
    plans_ = widgets::addPathRow(grid,
                                 {tr("Plans"), tr("nnUNetPlans.json, or plans.json of a trained model"),
                                  kCasesFolderKey, false, tr("nnU-Net plans (*.json);;All files (*)")},
                                 this);
    plans_->setObjectName("plans");
    connect(plans_, &QLineEdit::textChanged, this, [this](const QString& plans) {
        (void)offerConfigurations(*configuration_, plans.trimmed()).ok();  // start() says why there are none
    });
    folder_ = widgets::addPathRow(
        grid, {tr("Scans"), tr("a folder of cases, such as imagesTs"), kCasesFolderKey, true}, this);
    folder_->setObjectName("folder");
    auto* line = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
    configuration_ = new QComboBox(this);
    configuration_->setObjectName("configuration");
    configuration_->setAccessibleName(tr("Configuration"));
    configuration_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    gpu_ = new widgets::SearchCombo(this);
    gpu_->setObjectName("gpu");
    gpu_->setAccessibleName(tr("GPU"));
    host_ = new QLineEdit(this);
    host_->setObjectName("host");
    host_->setAccessibleName(tr("Host memory"));
    host_->setPlaceholderText(
        tr("%1, this machine's").arg(widgets::fromUtf8(base::formatBytes(base::machineMemory()))));
    constexpr int kMargins = 24;
    host_->setMinimumWidth(host_->fontMetrics().horizontalAdvance(host_->placeholderText()) + kMargins);
    onDevice_ = new QCheckBox(tr("everything on the GPU if possible"), this);
    onDevice_->setToolTip(tr("nnU-Net's perform_everything_on_device; --not_on_device switches it off"));
    mirror_ = new QCheckBox(tr("mirroring"), this);
    mirror_->setToolTip(tr("Test-time augmentation; --disable_tta switches it off"));
    line->addWidget(configuration_);
    line->addWidget(new QLabel(tr("on"), this));
    line->addWidget(gpu_);
    line->addWidget(new QLabel(tr("with host memory"), this));
    line->addWidget(host_, 1);
    line->addWidget(onDevice_);
    line->addWidget(mirror_);
    const int row = grid.rowCount();
    grid.addWidget(new QLabel(tr("Configuration"), this), row, 0);
    grid.addLayout(line, row, 1, 1, 2);
}

QWidget* CasesDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(foot, 10);
    state_ = new QLabel(this);
    state_->setObjectName("state");
    state_->setProperty("muted", true);
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedSize(160, 8);
    copy_ = new QPushButton(tr("Copy"), this);
    copy_->setToolTip(tr("The table, with its figures in words, for a spreadsheet"));
    copy_->setAutoDefault(false);
    start_ = new QPushButton(this);
    start_->setObjectName("start");
    start_->setProperty("primary", true);
    start_->setDefault(true);
    auto* close = new QPushButton(tr("Close"), this);
    close->setAutoDefault(false);
    row->addWidget(state_, 1);
    row->addWidget(progress_);
    row->addWidget(copy_);
    row->addWidget(start_);
    row->addWidget(close);
    connect(copy_, &QPushButton::clicked, this, &CasesDialog::copy);
    connect(start_, &QPushButton::clicked, this, [this] { busy() ? stop() : start(); });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return foot;
}

void CasesDialog::readSettings() {
    QSettings settings;
    settings.beginGroup("cases");
    plans_->setText(settings.value("plans").toString());
    folder_->setText(settings.value("folder").toString());
    host_->setText(settings.value("host").toString());
    gpu_->setCurrentIndex(std::max(0, gpu_->findData(settings.value("gpu", "rtx3060"))));
    onDevice_->setChecked(settings.value("onDevice", true).toBool());
    mirror_->setChecked(settings.value("mirror", true).toBool());
}

void CasesDialog::writeSettings() const {
    QSettings settings;
    settings.beginGroup("cases");
    settings.setValue("plans", plans_->text());
    settings.setValue("folder", folder_->text());
    settings.setValue("host", host_->text());
    settings.setValue("gpu", gpu_->currentData());
    settings.setValue("onDevice", onDevice_->isChecked());
    settings.setValue("mirror", mirror_->isChecked());
}

CasesFields CasesDialog::fields() const {
    return {plans_->text().trimmed(),       configuration_->currentText(), folder_->text().trimmed(),
            gpu_->currentData().toString(), host_->text().trimmed(),       0,
            onDevice_->isChecked(),         mirror_->isChecked()};
}

void CasesDialog::start() {
    const CasesFields wanted = fields();
    if (wanted.plans.isEmpty() || wanted.folder.isEmpty()) {
        headline_->setText(wanted.plans.isEmpty() ? tr("Choose nnU-Net's plans first.")
                                                  : tr("Choose a folder of scans first."));
        return;
    }
    writeSettings();
    headline_->setText(tr("Reading the scans' headers…"));
    advice_->clear();
    table_->setRowCount(0);
    progress_->setRange(0, 0);
    job_.run(
        [this, wanted](const widgets::LatestJob::Cancel& cancel) {
            cases::CasesProgress progress;
            progress.cancel = cancel.get();
            progress.tell = [&](std::size_t done, std::size_t all, const std::string& last) {
                job_.report(cancel, [this, done, all, name = widgets::fromUtf8(last)] {
                    progress_->setRange(0, static_cast<int>(all));
                    progress_->setValue(static_cast<int>(done));
                    state_->setText(tr("%1 of %2: %3").arg(done).arg(all).arg(name));
                });
            };
            return findCasesThatFit(wanted, progress);
        },
        [this](const CasesFound& found) { showFound(found); });
    showState();
}

void CasesDialog::stop() {
    job_.cancel();
    headline_->setText(tr("Cancelled."));
    showState();
}

void CasesDialog::showFound(const CasesFound& found) {
    showState();
    if (!found.answer) {
        headline_->setText(widgets::fromUtf8(found.answer.error().message));
        return;
    }
    table_->setSortingEnabled(false);
    for (const cases::CaseNeed& need : found.answer->cases) {
        const int row = widgets::addFlatRow(*table_, widgets::RowKind::Plain, casesRow(need));
        widgets::setFlatNumbers(*table_, row, casesNumbers(need));
    }
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // the folder's order at first
    table_->setSortingEnabled(true);
    headline_->setText(casesHeadline(*found.answer));
    advice_->setText(casesAdvice(found));
    showState();
}

void CasesDialog::showState() {
    const bool on = busy();
    start_->setText(on ? tr("Cancel") : tr("Check"));
    progress_->setVisible(on);
    copy_->setEnabled(!on && table_->rowCount() > 0);
    for (QWidget* field :
         std::initializer_list<QWidget*>{plans_, folder_, host_, configuration_, gpu_, onDevice_, mirror_}) {
        field->setEnabled(!on);
    }
    if (!on) {
        state_->clear();
    }
}

/// The whole table, in the order on screen.
void CasesDialog::copy() const {
    std::vector<QStringList> rows{casesHeads()};
    for (int row = 0; row < table_->rowCount(); ++row) {
        QStringList& cells = rows.emplace_back();
        for (int column = 0; column < table_->columnCount(); ++column) {
            cells << table_->item(row, column)->text();
        }
    }
    QGuiApplication::clipboard()->setText(widgets::tabbed(rows));
}

}  // namespace highwater::desktop

#include "moc_cases_dialog.cpp"
