#pragma once

#include <QMainWindow>
#include <functional>
#include <optional>

#include "app/desktop/cohort/cohort_proposal.h"
#include "app/desktop/cohort/cohort_survey.h"
#include "widgets/stack/document.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;

namespace highwater::widgets {
class CohortTable;
class ElidedLabel;
class ProposalBox;
class WarningLine;
}  // namespace highwater::widgets

namespace highwater::desktop {

class NoticeBar;

/// A folder of cases: what each is like, one of them in the scan's views, the whole as the experiment's
/// input, and patch and batch proposed for it.
class CohortWindow : public QMainWindow {
    Q_OBJECT
public:
    /// What of the main window matters here.
    struct Around {
        std::function<widgets::TargetChoice()> target;
        std::function<QString()> targetTitle;
        std::function<std::optional<base::Bytes>()> budget;
    };
    CohortWindow(widgets::ExperimentDocument& document, Around around,
                 CohortProposal::Propose propose = plan::proposePatch);
    ~CohortWindow() override;

    /// Reads that folder, absolute; nothing where it is read already.
    void open(const QString& folder);
    void readAgain();
    const QString& folder() const { return folder_; }
    bool loading() const { return survey_.running() || proposal_.running(); }
    const QString& problem() const { return problem_; }
    /// Device, versions or budget are others now.
    void targetChanged();
    /// The scan panel shows the case of that name.
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
    widgets::ExperimentDocument& document_;
    Around around_;
    QString folder_, problem_;
    std::optional<plan::PatchProposal> proposed_;
    CohortSurvey survey_;
    CohortProposal proposal_;
    NoticeBar* notices_;
    widgets::ElidedLabel* title_;
    QProgressBar* progress_;
    QPushButton *cancel_, *again_, *use_;
    widgets::WarningLine* notes_;
    widgets::CohortTable* table_;
    widgets::ProposalBox* box_;
    QSplitter* splitter_;
};

}  // namespace highwater::desktop
