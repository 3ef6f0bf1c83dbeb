#pragma once

#include <QWidget>

#include "app/desktop/scan/cases/case_values.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace highwater::desktop {

/// Proposes patch and batch for a cohort: a button requests the proposal, then its figures and reasons are
/// shown with a button that applies it.
class ProposalBox : public QWidget {
    Q_OBJECT
public:
    explicit ProposalBox(QWidget* parent = nullptr);

    /// `device` is the device that the proposal is for: "NVIDIA H100 80 GB", "this CPU". `whyNot` says why
    /// none can be made; empty if one can.
    void setTarget(const QString& device, const QString& whyNot);
    void showBusy(const QString& what);
    void showProposal(const ProposalRow& proposal);
    void showProblem(const QString& problem);
    void clear();  ///< shows the initial text and the button again
    bool busy() const { return state_ == State::Busy; }
    QString text() const;  ///< all visible text

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

}  // namespace highwater::desktop
