#pragma once

#include <QWidget>
#include <optional>

#include "app/desktop/experiment/bar/gauge.h"
#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/experiment/stack/document.h"

class QComboBox;
class QPushButton;
class QSpinBox;

namespace highwater::widgets {
class CheckedEdit;
}

namespace highwater::desktop {

class CheckpointField;

/// How an experiment is run. These options are not part of the experiment.
struct RunOptions {
    QString device = "cpu";             ///< "cpu", "cuda", "cuda:1", ...
    int steps = 20;                     ///< measured steps, 1 to 100,000
    int warmup = 3;                     ///< steps that run before and are not measured, 0 to 1,000
    std::optional<base::Bytes> budget;  ///< tensor memory that the run may not exceed
    QString host = {};                  ///< where the device is: a host's name; empty: this machine
    bool operator==(const RunOptions&) const = default;
};

struct DeviceChoice {
    QString id;            ///< as in RunOptions::device
    QString title;         ///< "CPU", "RTX 3060"
    QString details = {};  ///< a tooltip: "NVIDIA GeForce RTX 3060, 12.0 GiB (0.40 GiB in use)"
    QString whyNot = {};   ///< why it cannot be chosen (it is listed anyway); empty if it can
    QString host = {};     ///< as in RunOptions::host
};

/// The bar at the top of the window: Run and Stop, the options that are changed most often, and the gauge. It
/// wraps to a second line if the window is narrow.
class ControlBar : public QWidget {
    Q_OBJECT
public:
    /// The document must outlive the bar.
    explicit ControlBar(ExperimentDocument& document, QWidget* parent = nullptr);

    const RunOptions& runOptions() const { return options_; }
    /// Clamps values that are out of range. A device that is not in the list is added to it.
    void setRunOptions(const RunOptions& options);
    /// "cpu" is always offered. The chosen device stays chosen if the new list has it; otherwise "cpu" is
    /// chosen.
    void setDevices(const std::vector<DeviceChoice>& devices);

    /// Returns what is wrong with a field whose text is not applied, "Budget: ...", or an empty string.
    QString problem() const;

    void setRunning(bool running);
    /// Says why nothing can be run now, independent of the experiment. Empty if a run can be started.
    void setBlocked(const QString& whyNot);
    /// Set after the run was asked to stop: the tooltip of Stop then says that pressing it again ends the run
    /// at once.
    void setStopping(bool stopping);
    /// The predicted duration of the run, shown in Run's tooltip; empty if it is not worth showing.
    void setRunTime(const QString& text);
    void setProgress(int step, int of, int warmup = 0);
    void setGauge(const GaugeState& state);
    Gauge& gauge() { return *gauge_; }
    TargetField& target() { return *target_; }

signals:
    void runRequested();
    void stopRequested();
    void runOptionsChanged(const highwater::desktop::RunOptions& options);
    /// Also emitted if the program sets the options, or if they stay the same.
    void deviceChanged(const QString& device);

private:
    void buildButtons(QLayout* layout);
    void buildFields(QLayout* layout);
    QWidget* labeled(const QString& label, const QString& tip, QWidget* field, int width);
    QComboBox* precisionCombo();
    widgets::CheckedEdit* patchEdit();
    widgets::CheckedEdit* budgetEdit();
    void connectFields();
    void refresh();
    void updateIcons();
    void updateRunButton();
    void optionsEdited();
    void offerDevice(const DeviceChoice& device);
    void offerPrecisions();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

    ExperimentDocument& document_;
    RunOptions options_;
    bool running_ = false;
    QString runTime_;
    QString blocked_;
    QPushButton *run_, *stop_;
    QComboBox *device_, *precision_;
    CheckpointField* checkpoint_;
    QSpinBox *batch_, *steps_, *warmup_;
    widgets::CheckedEdit *patch_, *budget_;
    TargetField* target_;
    Gauge* gauge_;
};

}  // namespace highwater::desktop
