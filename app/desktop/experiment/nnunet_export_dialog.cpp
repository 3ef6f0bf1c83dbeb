#include "app/desktop/experiment/nnunet_export_dialog.h"

#include <signal.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFontDatabase>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "app/desktop/experiment/nnunet_dialog.h"
#include "app/desktop/experiment/target/targets.h"
#include "core/base/paths.h"
#include "widgets/controls/path_row.h"
#include "widgets/controls/search_combo.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"

namespace highwater::desktop {

namespace {

constexpr auto kNnunetExportFolderKey = "nnunetExport/dialogFolder";
constexpr int kStopExportMs = 3000;

}  // namespace

NnunetExportDialog::NnunetExportDialog(std::filesystem::path program, QWidget* parent)
    : QDialog(parent), program_(std::move(program)) {
    setWindowTitle(tr("nnU-Net in less memory"));
    if (program_.empty()) {
        program_ = base::siblingProgram("highwater-cli");
    }
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 10, {16, 14, 16, 14});
    auto* words =
        new QLabel(tr("Plans which modules nnU-Net recomputes, and whether it computes a batch in parts, so "
                      "that a training step fits. Writes a plans file and a trainer, with which nnU-Net "
                      "runs as it is."),
                   this);
    words->setWordWrap(true);
    words->setProperty("muted", true);
    layout->addWidget(words);
    fields_ = new QWidget(this);
    makeFields(*widgets::makeLayout<QGridLayout>(fields_, 8));
    layout->addWidget(fields_);
    headline_ = new QLabel(this);
    headline_->setObjectName("headline");
    headline_->setTextFormat(Qt::PlainText);
    headline_->setWordWrap(true);
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    output_ = new QPlainTextEdit(this);
    output_->setObjectName("output");
    output_->setReadOnly(true);
    output_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    output_->setPlaceholderText(tr("The plan, the files, and the commands that train with them"));
    layout->addWidget(headline_);
    layout->addWidget(output_, 1);
    layout->addWidget(makeFoot());
    connect(&process_, &QProcess::finished, this, &NnunetExportDialog::finish);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            finish(-1, QProcess::CrashExit);
        }
    });
    const QString problem = offerGpus(*gpu_);
    headline_->setText(problem.isEmpty() ? tr("Choose nnU-Net's plans and a folder for the files.")
                                         : problem);
    restore();
    showState();
    resize(widgets::onScreen(*this, {880, 620}));
}

NnunetExportDialog::~NnunetExportDialog() {
    process_.disconnect(this);
    if (running()) {
        stop();
        if (!process_.waitForFinished(kStopExportMs)) {
            process_.kill();
        }
    }
}

void NnunetExportDialog::makeFields(QGridLayout& grid) {
    grid.setColumnStretch(1, 1);
    plans_ = widgets::addPathRow(grid,
                                 {tr("Plans"), tr("nnUNetPlans.json"), kNnunetExportFolderKey, false,
                                  tr("nnU-Net plans (*.json);;All files (*)")},
                                 this);
    plans_->setObjectName("plans");
    folder_ = widgets::addPathRow(
        grid,
        {tr("Files in"), tr("a folder for the plans file and the trainer"), kNnunetExportFolderKey, true},
        this);
    folder_->setObjectName("folder");
    configuration_ = new QComboBox(this);
    configuration_->setObjectName("configuration");
    configuration_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(plans_, &QLineEdit::textChanged, this, [this](const QString& plans) {
        (void)offerConfigurations(*configuration_, plans.trimmed()).ok();  // start() says why there are none
    });
    gpu_ = new widgets::SearchCombo(this);
    gpu_->setObjectName("gpu");
    budget_ = new QLineEdit(this);
    budget_->setObjectName("budget");
    budget_->setPlaceholderText(tr("what the GPU has"));
    budget_->setToolTip(tr("The most that a training step may need, such as 8GiB"));
    name_ = new QLineEdit(this);
    name_->setObjectName("name");
    name_->setToolTip(tr("The end of the plans' and the trainer's name: letters, digits and underscores"));
    parts_ = new QCheckBox(tr("a batch may be computed in parts"), this);
    parts_->setObjectName("parts");
    parts_->setToolTip(tr("Micro-batches: their gradients are summed, which rounds them differently"));
    constexpr int kMargins = 24;
    budget_->setMinimumWidth(budget_->fontMetrics().horizontalAdvance(budget_->placeholderText()) + kMargins);
    name_->setMinimumWidth(budget_->minimumWidth());
    const auto addLine = [&](const QString& name, QWidget* first, auto... rest) {
        auto* line = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
        line->addWidget(first);
        (line->addWidget(rest), ...);
        line->addStretch(1);
        auto* label = new QLabel(name, this);
        label->setBuddy(first);
        const int row = grid.rowCount();
        grid.addWidget(label, row, 0);
        grid.addLayout(line, row, 1, 1, 2);
    };
    const auto labelOf = [this](const QString& name, QWidget* field) {
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        return label;
    };
    addLine(tr("Configuration"), configuration_, labelOf(tr("on"), gpu_), gpu_,
            labelOf(tr("within"), budget_), budget_);
    addLine(tr("Name"), name_, parts_);
}

QWidget* NnunetExportDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(foot, 10);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedSize(120, 8);
    copy_ = new QPushButton(tr("Copy"), this);
    copy_->setToolTip(tr("The plan and the commands"));
    copy_->setAutoDefault(false);
    start_ = new QPushButton(this);
    start_->setObjectName("start");
    start_->setProperty("primary", true);
    start_->setDefault(true);
    auto* close = new QPushButton(tr("Close"), this);
    close->setAutoDefault(false);
    row->addStretch(1);
    row->addWidget(progress_);
    row->addWidget(copy_);
    row->addWidget(start_);
    row->addWidget(close);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(output_->toPlainText()); });
    connect(start_, &QPushButton::clicked, this, [this] { running() ? stop() : start(); });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return foot;
}

void NnunetExportDialog::restore() {
    QSettings settings;
    settings.beginGroup("nnunetExport");
    plans_->setText(settings.value("plans").toString());
    folder_->setText(settings.value("folder").toString());
    budget_->setText(settings.value("budget").toString());
    name_->setText(settings.value("name", "highwater").toString());
    gpu_->setCurrentIndex(std::max(0, gpu_->findData(settings.value("gpu", "rtx3060"))));
    parts_->setChecked(settings.value("parts", true).toBool());
}

void NnunetExportDialog::keep() const {
    QSettings settings;
    settings.beginGroup("nnunetExport");
    settings.setValue("plans", plans_->text());
    settings.setValue("folder", folder_->text());
    settings.setValue("budget", budget_->text());
    settings.setValue("name", name_->text());
    settings.setValue("gpu", gpu_->currentData());
    settings.setValue("parts", parts_->isChecked());
}

QStringList NnunetExportDialog::arguments() const {
    QStringList arguments = {"export",
                             "nnunet",
                             plans_->text().trimmed(),
                             "--gpu",
                             gpu_->currentData().toString(),
                             "--out",
                             folder_->text().trimmed()};
    for (const auto& [option, value] :
         {std::pair("--configuration", configuration_->currentText()),
          std::pair("--budget", budget_->text().trimmed()), std::pair("--name", name_->text().trimmed())}) {
        if (!value.isEmpty()) {
            arguments << option << value;
        }
    }
    return parts_->isChecked() ? arguments : arguments << "--no-micro-batches";
}

void NnunetExportDialog::start() {
    if (running()) {
        return;
    }
    if (plans_->text().trimmed().isEmpty() || folder_->text().trimmed().isEmpty()) {
        headline_->setText(plans_->text().trimmed().isEmpty() ? tr("Choose nnU-Net's plans first.")
                                                              : tr("Choose a folder for the files first."));
        return;
    }
    if (program_.empty()) {
        headline_->setText(
            tr("highwater-cli is not installed beside this program; install it to export for nnU-Net."));
        return;
    }
    keep();
    stopped_ = false;
    output_->clear();
    headline_->setText(tr("Planning for %1…").arg(gpu_->currentText()));
    process_.start(QString::fromStdString(program_.string()), arguments(), QIODevice::ReadOnly);
    showState();
}

void NnunetExportDialog::stop() {
    if (process_.processId() > 0) {
        ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
    }
    stopped_ = true;
}

void NnunetExportDialog::finish(int exitCode, QProcess::ExitStatus status) {
    const QString said = QString::fromUtf8(process_.readAllStandardOutput());
    const QString problem = QString::fromUtf8(process_.readAllStandardError())
                                .trimmed()
                                .section('\n', -1)
                                .section("highwater-cli: ", -1);
    output_->setPlainText(said.trimmed());
    const bool written = said.contains("nnUNetv2_train");
    headline_->setText(stopped_                              ? tr("Cancelled.")
                       : status == QProcess::CrashExit       ? tr("highwater-cli could not be run.")
                       : exitCode != 0 && !problem.isEmpty() ? problem
                       : exitCode != 0 ? tr("highwater-cli ended with exit code %1.").arg(exitCode)
                       : written       ? tr("Written. Train with these commands:")
                                       : tr("Nothing was written: nnU-Net's own trainer fits."));
    showState();
}

void NnunetExportDialog::showState() {
    const bool on = running();
    start_->setText(on ? tr("Cancel") : tr("Export"));
    progress_->setVisible(on);
    fields_->setEnabled(!on);
    copy_->setEnabled(!on && !output_->toPlainText().isEmpty());
}

}  // namespace highwater::desktop

#include "moc_nnunet_export_dialog.cpp"
