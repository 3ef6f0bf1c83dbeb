#pragma once

#include <QScrollArea>

#include "widgets/study/study_values.h"

class QLabel;
class QPushButton;

namespace highwater::widgets {

class FiguresTable;
class IntervalChart;
class VerdictBadge;

/// One claim: what is said and means, what was found and why, the figures, where and when.
class ClaimDetails : public QScrollArea {
    Q_OBJECT
public:
    explicit ClaimDetails(QWidget* parent = nullptr);
    /// nullptr: none is chosen.
    void setClaim(const ClaimRow* claim);
    /// Whether it can be run now; otherwise why not, for the button's tooltip.
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

}  // namespace highwater::widgets
