#pragma once

#include <QDialog>
#include <QProcess>
#include <QTemporaryFile>
#include <filesystem>

#include "core/stack/experiment.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace highwater::desktop {

/// Measures the workspace that the stack's convolutions need on this machine, so that predictions for this
/// CPU are based on measurements. It runs `highwater-cli devices --calibrate` and can be stopped; what was
/// measured until then is kept.
class CalibrateDialog : public QDialog {
    Q_OBJECT
public:
    /// `program` is the path of highwater-cli; if empty, the one in the folder of this program.
    explicit CalibrateDialog(const stack::Experiment& experiment, std::filesystem::path program = {},
                             QWidget* parent = nullptr);
    ~CalibrateDialog() override;

    void start();
    void stop();
    bool running() const { return process_.state() != QProcess::NotRunning; }
    QString message() const;

    /// Parses "convolution 12 of 58 · 2 threads" as 12 and 58. Returns 0 and 0 for any other line.
    static std::pair<int, int> progressIn(const QString& line);

signals:
    void calibrated();  ///< new rows were measured

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void readProgress();
    void finish(int exitCode, QProcess::ExitStatus status);
    void showState();
    stack::Experiment experiment_;
    std::filesystem::path program_;
    QTemporaryFile file_;
    QProcess process_;
    QString errors_;
    QLabel* message_;
    QCheckBox* all_;
    QProgressBar* progress_;
    QPushButton *start_, *close_;
};

}  // namespace highwater::desktop
