#pragma once

#include <QDialog>
#include <QTimer>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/prediction/fit_scan.h"
#include "app/desktop/run/report_file.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace highwater::desktop {

/// The dialog "Where does it fit?": every device with what the experiment would need there, the probability
/// of running out, the time of a step and the largest batch; and what would need less on the target device.
/// It follows the experiment.
class FitDialog : public QDialog {
    Q_OBJECT
public:
    /// Both references must outlive the dialog. `work` asks cuDNN.
    FitDialog(ExperimentDocument& document, TargetField& targets, QWidget* parent = nullptr,
              ask::Learner::Work work = Asker::askUsersCudnn);

    /// To be called after the experiment was edited. Predicts again after a moment.
    void experimentChanged();
    QTableWidget& devices() { return *table_; }
    QTableWidget& help() { return *helpTable_; }
    bool busy() const { return scan_.running() || later_.isActive(); }
    /// Writes the report of both tables; the suffix of the file decides the format.
    void saveReport(const QString& file);

signals:
    void deviceChosen(const QString& id);
    /// The user requests plans that fit.
    void plansWanted();
    /// The user chose one of the changes that would help.
    void changeChosen(const QString& what, const highwater::stack::Experiment& experiment);

private:
    QLayout* makeFoot();
    void connectScan();
    void scan();
    void showChosen();
    void showDevice(int device, const plan::DeviceFit& fit, const QString& trouble);
    void showNote(const QString& why);
    void showHelp(const std::vector<FitScan::Help>& help, const QString& why);
    void finish();
    void chooseReport();

    ExperimentDocument& document_;
    TargetField& targets_;
    FitScan scan_;
    std::vector<TargetItem> items_;  ///< in the order of the rows: this CPU, then by memory
    std::vector<FitScan::Help> found_;
    std::vector<base::Result<plan::DeviceFit>> fitsOf_;  ///< as items_
    stack::Experiment scanned_;                          ///< the one that was scanned last
    QTimer later_;
    QLabel* title_;
    QTableWidget *table_, *helpTable_;
    QLabel *helpTitle_, *note_;
    QProgressBar* progress_;
    QPushButton *cancel_, *report_;
    widgets::NoticeBar* notices_;
    int fits_ = 0, answered_ = 0;
    bool atLeast_ = false;         // for the last answer: not every operator is known
    widgets::Background reports_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
