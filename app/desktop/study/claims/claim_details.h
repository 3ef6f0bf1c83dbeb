#pragma once

#include <QScrollArea>

#include "app/desktop/study/study_values.h"

class QLabel;
class QPushButton;

namespace highwater::desktop {

class FiguresTable;
class IntervalChart;
class VerdictBadge;

/// The details of one claim: its statement and meaning, the verdict with its reasons, the figures, and where
/// and when they were measured.
class ClaimDetails : public QScrollArea {
    Q_OBJECT
public:
    explicit ClaimDetails(QWidget* parent = nullptr);
    /// nullptr if no claim is chosen.
    void setClaim(const ClaimRow* claim);
    /// Sets whether the claim can be run now. If not, `whyNot` is the reason, for the button's tooltip.
    void setRunnable(bool can, const QString& whyNot);
    const QString& id() const { return id_; }

signals:
    void runRequested(const QString& id);

private:
    QLabel* text(const char* name, bool muted = false);
    void put(QLabel* label, const QString& text);
    void showFigures(const ClaimRow& claim);
    QString id_;
    QLabel *name_, *statement_, *about_, *boundary_, *why_, *problem_, *none_, *measuredOn_;
    VerdictBadge* badge_;
    QPushButton* run_;
    FiguresTable* figures_;
    IntervalChart* chart_;
    QLabel* whiskers_;
};

}  // namespace highwater::desktop
