#pragma once

#include <QDialog>
#include <QTimer>

#include "app/desktop/prediction/growth_scan.h"
#include "widgets/stack/document.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace highwater::widgets {
class GrowthPlot;
}

namespace highwater::desktop {

/// "How memory grows": the predicted peak along one axis of the input, for a device. Follows the experiment;
/// a click on the curve puts that size into it.
class GrowthDialog : public QDialog {
    Q_OBJECT
public:
    /// Both must outlive the dialog; `targets` says which devices there are, and the versions.
    GrowthDialog(widgets::ExperimentDocument& document, widgets::TargetField& targets,
                 QWidget* parent = nullptr);

    /// To be called when the experiment was edited: scans anew, a moment later.
    void experimentChanged();

signals:
    void sizeChosen(const QString& axis, qint64 value);

private:
    QLayout* makeFields(widgets::TargetField& targets);
    void offerAxes();
    void chooseAxis();
    void scan();
    void showCurve(const predict::AxisCurve& curve, qint64 capacity, double done);
    void finish(const QString& problem);
    predict::AxisScan request() const;
    widgets::TargetChoice target() const;

    widgets::ExperimentDocument& document_;
    widgets::TargetField& targets_;
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

/// The size along an axis ("width", "patch", "batch_size", ...); 0 where the input has no such axis.
std::int64_t sizeAlong(const stack::Experiment& experiment, const std::string& axis);
/// The axes that the input has, in the dialog's order.
std::vector<std::string> axesOf(const stack::Experiment& experiment);
/// From a fraction of the size now to a multiple of it.
predict::AxisScan defaultScan(const stack::Experiment& experiment, const std::string& axis);

}  // namespace highwater::desktop
