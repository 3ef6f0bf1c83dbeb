#pragma once

#include <QWidget>
#include <optional>

#include "widgets/controls/gauge.h"
#include "widgets/controls/target_field.h"
#include "widgets/stack/document.h"

class QComboBox;
class QPushButton;
class QSpinBox;

namespace highwater::widgets {

class CheckedEdit;
class CheckpointField;

/// How to run, as opposed to what: not part of the experiment.
struct RunOptions {
    QString device = "cpu";             ///< "cpu", "cuda", "cuda:1", ...
    int steps = 20;                     ///< measured steps, 1 to 100,000
    int warmup = 3;                     ///< steps before them that do not count, 0 to 1,000
    std::optional<base::Bytes> budget;  ///< tensor memory the run may not pass
    bool operator==(const RunOptions&) const = default;
};

struct DeviceChoice {
    QString id;            ///< as in RunOptions::device
    QString title;         ///< "CPU", "RTX 3060"
    QString details = {};  ///< a tooltip: "NVIDIA GeForce RTX 3060, 12.0 GiB (0.40 GiB in use)"
    QString whyNot = {};   ///< set: it is shown, but cannot be chosen
};

/// The row above everything: Run and Stop, what is changed most, and the gauge. Wraps to a second line where
/// the window is narrow.
class ControlBar : public QWidget {
    Q_OBJECT
public:
    /// The document must outlive the bar.
    explicit ControlBar(ExperimentDocument& document, QWidget* parent = nullptr);

    const RunOptions& runOptions() const { return options_; }
    /// Values out of range are brought into it; an unknown device is added to the list.
    void setRunOptions(const RunOptions& options);
    /// "cpu" is always offered; the chosen device stays where it can still be chosen, otherwise it is "cpu".
    void setDevices(const std::vector<DeviceChoice>& devices);

    /// What is wrong with a field whose text is not applied, "Budget: ..."; empty where all is well.
    QString problem() const;

    void setRunning(bool running);
    /// Why nothing can be run now, whatever the experiment; empty: it can.
    void setBlocked(const QString& whyNot);
    /// The run has been asked to stop: pressing Stop again is something else now.
    void setStopping(bool stopping);
    void setProgress(int step, int of);
    void setGauge(const GaugeState& state);
    Gauge& gauge() { return *gauge_; }
    TargetField& target() { return *target_; }

signals:
    void runRequested();
    void stopRequested();
    void runOptionsChanged(const highwater::widgets::RunOptions& options);
    void deviceChanged(const QString& device);  ///< may be the same, and set by the program as well

private:
    void buildButtons(QLayout* layout);
    void buildFields(QLayout* layout);
    QWidget* labelled(const QString& label, const QString& tip, QWidget* field, int width);
    QComboBox* precisionCombo();
    CheckedEdit* patchEdit();
    CheckedEdit* budgetEdit();
    void connectFields();
    void refresh();
    void updateIcons();
    void updateRunButton();
    void optionsEdited();
    void offerDevice(const DeviceChoice& device);
    void offerPrecisions();
    void paintEvent(QPaintEvent* event) override;

    ExperimentDocument& document_;
    RunOptions options_;
    bool running_ = false;
    QString blocked_;
    QPushButton *run_, *stop_;
    QComboBox *device_, *precision_;
    CheckpointField* checkpoint_;
    QSpinBox *batch_, *steps_, *warmup_;
    CheckedEdit *patch_, *budget_;
    TargetField* target_;
    Gauge* gauge_;
};

}  // namespace highwater::widgets
