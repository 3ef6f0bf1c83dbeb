#pragma once

#include <QWidget>

#include "app/desktop/study/study_values.h"

class QPushButton;
class QSplitter;

namespace highwater::widgets {
class ElidedLabel;
}

namespace highwater::desktop {

class ClaimDetails;
class ClaimsList;
class StudyStrip;

/// The claims and their verdicts: the list on the left, the details of one claim on the right. It emits
/// requests to run claims and runs none itself.
class ClaimsPanel : public QWidget {
    Q_OBJECT
public:
    explicit ClaimsPanel(QWidget* parent = nullptr);

    void setRows(const std::vector<ClaimRow>& rows);
    /// The text above the list if there are no claims, with the reason.
    void setProblem(const QString& problem);
    void setState(const StudyState& state);
    void select(const QString& id);
    QStringList selectedIds() const;
    void runSelected();
    void focusFilter();
    ClaimsList& list() { return *list_; }
    QSplitter& splitter() { return *splitter_; }

signals:
    void runRequested(const QStringList& ids);
    void cancelRequested();

private:
    void showCurrent();
    void showButtons();
    widgets::ElidedLabel* summary_;
    QPushButton *runSelected_, *runAll_;
    StudyStrip* strip_;
    ClaimsList* list_;
    ClaimDetails* details_;
    QSplitter* splitter_;
    StudyState state_;
    QString problem_;
};

}  // namespace highwater::desktop
