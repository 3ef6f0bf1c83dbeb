#pragma once

#include <QDialog>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>

#include "app/desktop/experiment/bar/target_field.h"
#include "app/desktop/experiment/stack/document.h"
#include "core/memory/trace.h"
#include "core/predict/recorded/recorded.h"
#include "widgets/jobs/background.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QTableWidget;

namespace highwater::desktop {

/// The dialog "Calibrate from a snapshot": compares what PyTorch recorded on a GPU with the prediction for
/// the experiment. It follows the experiment and the choice of the GPU; the workspaces that were found can be
/// stored as measured, after which predictions for that GPU use them.
class SnapshotDialog : public QDialog {
    Q_OBJECT
public:
    /// Starts reading the file. `document` must outlive the dialog. The targets and versions to choose from
    /// are those of `targets`.
    SnapshotDialog(ExperimentDocument& document, const TargetField& targets, const QString& path,
                   QWidget* parent = nullptr);
    ~SnapshotDialog() override;

    /// To be called after the experiment was edited. Compares again after a moment.
    void experimentChanged();
    /// True if nothing is being read or compared.
    bool settled() const { return !busy_ && !later_.isActive(); }

signals:
    /// Workspaces were added to the user's table.
    void kept();
    void timelineWanted(const QString& path);

private:
    struct Answer {
        std::optional<predict::RecordedComparison> comparison;
        predict::Target target;
        stack::StackInfo info;
        QString problem;
    };
    QLayout* makeFields(const TargetField& targets);
    void makeTables();
    QWidget* makeFoot();
    void read();
    void compare();
    void take(Answer answer);
    void say(const QString& problem);
    void keep();
    void setBusy(bool busy, const QString& what = {});

    ExperimentDocument& document_;
    QString path_;
    std::shared_ptr<const memory::Trace> recording_;
    std::optional<Answer> answer_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    qint64 asked_ = 0;  ///< counts the comparisons: only the latest one is shown
    bool busy_ = false;
    QTimer later_;
    TargetField* target_;
    QLabel *lines_, *foot_;
    QTableWidget *kinds_, *workspaces_;
    QSplitter* split_;  ///< the tables; hidden while there is nothing to show
    QProgressBar* progress_;
    QPushButton *cancelButton_, *keep_;
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
