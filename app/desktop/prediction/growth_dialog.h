#pragma once

#include <QDialog>
#include <QTimer>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/prediction/growth_scan.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace highwater::widgets {
class GrowthPlot;
}

namespace highwater::desktop {

/// The dialog "How memory grows": the predicted peak along one axis of the input, for a device. It follows
/// the experiment; a click on the curve sets that size in the experiment.
class GrowthDialog : public QDialog {
    Q_OBJECT
public:
    /// Both references must outlive the dialog. `targets` gives the devices and the versions.
    GrowthDialog(ExperimentDocument& document, TargetField& targets, QWidget* parent = nullptr);

    /// To be called after the experiment was edited. Predicts again after a moment.
    void experimentChanged();

signals:
    void sizeChosen(const QString& axis, qint64 value);

private:
    QLayout* makeFields(TargetField& targets);
    void offerAxes();
    void chooseAxis();
    void scan();
    void showCurve(const predict::AxisCurve& curve, qint64 capacity, double done);
    void finish(const QString& problem);
    predict::AxisScan request() const;
    TargetChoice target() const;

    ExperimentDocument& document_;
    TargetField& targets_;
    GrowthScan scan_;
    predict::AxisScan scanned_;
    QTimer later_;
    QComboBox *axis_, *device_;
    QSpinBox *from_, *to_, *step_;
    widgets::GrowthPlot* plot_;
    QLabel* note_;
    QProgressBar* progress_;
    QPushButton* cancel_;
};

/// The size along an axis ("width", "patch", "batch_size", ...); 0 if the input has no such axis.
std::int64_t sizeAlong(const stack::Experiment& experiment, const std::string& axis);
/// The axes of the input, in the order of the dialog.
std::vector<std::string> axesOf(const stack::Experiment& experiment);
/// The default range: from a fraction of the current size to a multiple of it.
predict::AxisScan defaultScan(const stack::Experiment& experiment, const std::string& axis);

}  // namespace highwater::desktop
