#pragma once

#include "app/desktop/prediction/plan/plan_values.h"
#include "app/desktop/study/study_values.h"
#include "widgets/theme/panel.h"

class QLabel;
class QTableWidget;
class QToolButton;
class QVBoxLayout;

namespace highwater::desktop {

class StudyStrip;

/// "Confirmed on this machine": predictions, measurements, and their difference.
class ConfirmedPanel : public widgets::Panel {
    Q_OBJECT
public:
    explicit ConfirmedPanel(QWidget* parent = nullptr);
    /// Without rows it shows `hint`, which says how to get them.
    void setRows(const std::vector<ConfirmedRow>& rows, const QString& hint);
    /// The progress of the runs; hidden while there are none.
    void setState(const StudyState& state);
    QTableWidget& table() { return *table_; }
    QString hint() const;

signals:
    void cancelRequested();

private:
    QTableWidget* table_;
    QLabel* hint_;
    StudyStrip* strip_;
};

/// "Not enough? Show options that change the model": other sizes that would be within the budget, each with a
/// link that applies it.
class TaskChangesPanel : public QWidget {
    Q_OBJECT
public:
    explicit TaskChangesPanel(QWidget* parent = nullptr);
    /// The initial state: only the link.
    void setUnasked(bool possible);
    /// Shows a text in place of the list: that a search is in progress, or that nothing was found.
    void setMessage(const QString& text);
    void setChanges(const std::vector<TaskChange>& changes);
    QToolButton& ask() { return *ask_; }
    /// The apply links, in the order of the changes.
    std::vector<QToolButton*> applyLinks() const;

signals:
    void asked();
    void applyRequested(int change);

private:
    void clear();
    QLabel *lead_, *message_;
    QToolButton* ask_;
    QVBoxLayout* rows_;
};

}  // namespace highwater::desktop
