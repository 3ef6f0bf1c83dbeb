#pragma once

#include <QWidget>

#include "widgets/cases/case_values.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace highwater::widgets {

/// Patch and batch for a cohort: the button that proposes them, then what was found, why, and the way to use
/// it.
class ProposalBox : public QWidget {
    Q_OBJECT
public:
    explicit ProposalBox(QWidget* parent = nullptr);

    /// What a proposal is made for: "NVIDIA H100 80 GB", "this CPU". Why none can be made; empty: one can.
    void setTarget(const QString& device, const QString& whyNot);
    void showBusy(const QString& what);
    void showProposal(const ProposalRow& proposal);
    void showProblem(const QString& problem);
    void clear();  ///< back to the invitation
    bool busy() const { return state_ == State::Busy; }
    QString text() const;  ///< all that is said

signals:
    void proposeRequested();
    void cancelRequested();
    void applyRequested();

private:
    enum class State { Empty, Busy, Proposal, Problem };
    void refresh();
    State state_ = State::Empty;
    ProposalRow proposal_;
    QString device_, whyNot_, said_;
    QLabel *note_, *figures_, *why_;
    QProgressBar* progress_;
    QPushButton *propose_, *cancel_, *apply_;
};

}  // namespace highwater::widgets
