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

/// "Confirmed on this machine": what was predicted, what was measured, and the difference.
class ConfirmedPanel : public widgets::Panel {
    Q_OBJECT
public:
    explicit ConfirmedPanel(QWidget* parent = nullptr);
    /// Without rows it shows `hint`, which says how to get them.
    void setRows(const std::vector<ConfirmedRow>& rows, const QString& hint);
    /// The progress of the runs in turns; hidden while none is made.
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
    /// Nothing asked for yet: the link alone.
    void setUnasked(bool possible);
    /// In place of the list: that they are looked for, or that there is none.
    void setMessage(const QString& text);
    void setChanges(const std::vector<TaskChange>& changes);
    QToolButton& ask() { return *ask_; }
    /// The links that apply, in the order of the changes.
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
