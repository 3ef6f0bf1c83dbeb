#include "app/desktop/prediction/calibrate_dialog.h"

#include <signal.h>

#include <QCheckBox>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/base/paths.h"
#include "core/stack/json/json.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

constexpr int kInterrupted = 130;
constexpr int kStopWithinMs = 3000;

/// The number of convolutions measured, from the program's final output; -1 if it cannot be parsed.
int measuredIn(const QByteArray& output) {
    const auto json = nlohmann::json::parse(output.toStdString(), nullptr, false);
    const auto tables = json.is_object() ? json.find("calibrations") : json.end();
    if (!json.is_object() || tables == json.end() || !tables->is_array()) {
        return -1;
    }
    int measured = 0;
    for (const auto& table : *tables) {
        measured += table.is_object() ? table.value("measured", 0) : 0;
    }
    return measured;
}

}  // namespace

CalibrateDialog::CalibrateDialog(const stack::Experiment& experiment, std::filesystem::path program,
                                 QWidget* parent)
    : QDialog(parent), experiment_(experiment), program_(std::move(program)) {
    setWindowTitle(tr("Calibrate this machine"));
    if (program_.empty()) {
        program_ = base::siblingProgram("highwater-cli");
    }
    message_ =
        new QLabel(tr("The temporary memory of a convolution depends on the machine, LibTorch, the threads "
                      "and the shape. It can be measured for each convolution of this stack; predictions for "
                      "this CPU then use the measurements. Let nothing else compute meanwhile."),
                   this);
    message_->setWordWrap(true);
    message_->setMinimumHeight(message_->fontMetrics().height() * 4);
    message_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    all_ = new QCheckBox(tr("also the presets' convolutions and the machine's speed (takes minutes)"), this);
    progress_ = new QProgressBar(this);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(8);
    start_ = new QPushButton(tr("Measure"), this);
    start_->setProperty("primary", true);
    close_ = new QPushButton(tr("Close"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(start_);
    buttons->addWidget(close_);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 12, {16, 16, 16, 14});
    layout->addWidget(message_, 1);
    layout->addWidget(all_);
    layout->addWidget(progress_);
    layout->addLayout(buttons);
    resize(480, 220);
    connect(start_, &QPushButton::clicked, this, [this] { running() ? stop() : start(); });
    connect(close_, &QPushButton::clicked, this, &QDialog::close);
    connect(&process_, &QProcess::readyReadStandardError, this, &CalibrateDialog::readProgress);
    connect(&process_, &QProcess::finished, this, &CalibrateDialog::finish);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            finish(4, QProcess::CrashExit);
        }
    });
    showState();
}

CalibrateDialog::~CalibrateDialog() {
    process_.disconnect(this);
    if (!running()) {
        return;
    }
    stop();
    process_.waitForFinished(kStopWithinMs);
}

QString CalibrateDialog::message() const {
    return message_->text();
}

std::pair<int, int> CalibrateDialog::progressIn(const QString& line) {
    static const QRegularExpression words("convolution (\\d+) of (\\d+)");
    const auto match = words.match(line);
    return match.hasMatch() ? std::pair(match.captured(1).toInt(), match.captured(2).toInt())
                            : std::pair(0, 0);
}

void CalibrateDialog::start() {
    if (running()) {
        return;
    }
    errors_.clear();
    if (program_.empty() || !file_.open() ||
        !stack::saveExperiment(experiment_, file_.fileName().toStdString())) {
        message_->setText(program_.empty()
                              ? tr("highwater-cli is not installed beside this program; install it to "
                                   "calibrate.")
                              : tr("The experiment cannot be written to a temporary file."));
        return;
    }
    QStringList arguments = {"devices", "--calibrate", file_.fileName(), "--json"};
    if (!all_->isChecked()) {
        arguments << "--only";
    }
    progress_->setRange(0, 0);
    message_->setText(tr("Measuring…"));
    process_.start(QString::fromStdString(program_.string()), arguments, QIODevice::ReadOnly);
    showState();
}

void CalibrateDialog::stop() {
    if (process_.processId() > 0) {
        ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
    }
}

void CalibrateDialog::readProgress() {
    const QString text = QString::fromUtf8(process_.readAllStandardError());
    for (const QString& part : text.split(QRegularExpression("[\r\n]"), Qt::SkipEmptyParts)) {
        const auto [done, all] = progressIn(part);
        if (all == 0) {
            errors_ = part;
            continue;
        }
        progress_->setRange(0, all);
        progress_->setValue(done);
        message_->setText(tr("Measuring convolution %1 of %2…").arg(done).arg(all));
    }
}

void CalibrateDialog::finish(int exitCode, QProcess::ExitStatus status) {
    readProgress();
    const int measured = measuredIn(process_.readAllStandardOutput());
    if (status == QProcess::NormalExit && exitCode == 0) {
        message_->setText(tr("Measured %1 convolutions.").arg(measured));
    } else if (exitCode == kInterrupted) {
        message_->setText(tr("Stopped. The measurements so far are kept."));
    } else {
        message_->setText(errors_.isEmpty() ? tr("The measurement failed.") : errors_);
    }
    showState();
    if (measured > 0) {
        emit calibrated();
    }
}

void CalibrateDialog::showState() {
    progress_->setVisible(running());
    all_->setEnabled(!running());
    start_->setText(running() ? tr("Stop") : tr("Measure"));
}

void CalibrateDialog::closeEvent(QCloseEvent* event) {
    if (running()) {
        stop();
    }
    QDialog::closeEvent(event);
}

}  // namespace highwater::desktop

#include "moc_calibrate_dialog.cpp"
