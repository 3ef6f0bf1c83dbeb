#pragma once

#include <QMainWindow>
#include <functional>
#include <optional>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/scan/cases/cohort_proposal.h"
#include "app/desktop/scan/cases/cohort_survey.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;

namespace highwater::widgets {
class ElidedLabel;
class NoticeBar;
}  // namespace highwater::widgets
namespace highwater::desktop {

class CohortTable;
class ProposalBox;
class WarningLine;

/// The window of a cohort, a folder of cases: lists the cases in a table, shows one of them in the scan's
/// views, sets the cohort as the experiment's input, and proposes patch and batch for it.
class CohortWindow : public QMainWindow {
    Q_OBJECT
public:
    /// What the window needs from the main window.
    struct Around {
        std::function<TargetChoice()> target;
        std::function<QString()> targetTitle;
        std::function<std::optional<base::Bytes>()> budget;
    };
    CohortWindow(ExperimentDocument& document, Around around,
                 CohortProposal::Propose propose = plan::proposePatch);
    ~CohortWindow() override;

    /// Reads that folder (an absolute path). Does nothing if it has been read already.
    void open(const QString& folder);
    void readAgain();
    const QString& folder() const { return folder_; }
    bool loading() const { return survey_.running() || proposal_.running(); }
    const QString& problem() const { return problem_; }
    /// To be called when the device, its versions or the budget have changed.
    void targetChanged();
    /// Sets the name of the case that the scan panel shows.
    void setShown(const QString& name);

signals:
    void caseChosen(const QString& folder, const highwater::scan::Case& theCase);
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QWidget* makeHead();
    void connectParts();
    void useCohort();
    void propose();
    void apply();
    void showState();
    void showNamed();
    void showEnd(const QString& problem);
    bool inUse() const;
    std::int64_t channels() const;
    ExperimentDocument& document_;
    Around around_;
    QString folder_, problem_;
    std::optional<plan::PatchProposal> proposed_;
    CohortSurvey survey_;
    CohortProposal proposal_;
    widgets::NoticeBar* notices_;
    widgets::ElidedLabel* title_;
    QProgressBar* progress_;
    QPushButton *cancel_, *again_, *use_;
    WarningLine* notes_;
    CohortTable* table_;
    ProposalBox* box_;
    QSplitter* splitter_;
};

}  // namespace highwater::desktop
