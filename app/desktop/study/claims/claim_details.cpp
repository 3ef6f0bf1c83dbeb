#include "app/desktop/study/claims/claim_details.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/study/claims/verdict_badge.h"
#include "app/desktop/study/figures_table.h"
#include "app/desktop/study/interval_chart.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

QString emptyText(const ClaimRow& claim) {
    if (claim.verdict == ClaimVerdict::NotTestable) {
        return {};
    }
    if (claim.verdict == ClaimVerdict::NotRun) {
        return QObject::tr("Not measured on this machine yet.");
    }
    return QObject::tr("This finding has no figures.");
}

}  // namespace

QLabel* ClaimDetails::text(const char* name, bool muted) {
    auto* label = widgets::textLabel(this);
    label->setObjectName(name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (muted) {
        label->setProperty("muted", true);
    }
    return label;
}

ClaimDetails::ClaimDetails(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(8);
    name_ = text("Claim", true);
    statement_ = text("Statement");
    QFont large = statement_->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setWeight(QFont::DemiBold);
    statement_->setFont(large);
    badge_ = new VerdictBadge(this);
    badge_->setObjectName("Verdict");
    run_ = new QPushButton(this);
    run_->setObjectName("Run claim");
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(badge_);
    row->addStretch(1);
    row->addWidget(run_);
    boundary_ = text("Boundary");
    QFont bold = boundary_->font();
    bold.setWeight(QFont::DemiBold);
    boundary_->setFont(bold);
    why_ = text("Why");
    about_ = text("About", true);
    problem_ = text("Problem");
    problem_->setProperty("bad", true);
    none_ = text("No figures", true);
    figures_ = new FiguresTable(this);
    chart_ = new IntervalChart(this);
    chart_->setAccessibleName(tr("Figures as bars"));
    whiskers_ = text("Whiskers", true);
    whiskers_->setText(tr("Bars end at the median; whiskers are its 95 % interval."));
    measuredOn_ = text("Measured on", true);
    for (QWidget* part : {static_cast<QWidget*>(name_), static_cast<QWidget*>(statement_)}) {
        column->addWidget(part);
    }
    column->addLayout(row);
    for (QWidget* part : {problem_, boundary_, why_, about_}) {
        column->addWidget(part);
    }
    column->addSpacing(4);
    for (QWidget* part :
         {static_cast<QWidget*>(none_), static_cast<QWidget*>(figures_), static_cast<QWidget*>(chart_),
          static_cast<QWidget*>(whiskers_), static_cast<QWidget*>(measuredOn_)}) {
        column->addWidget(part);
    }
    column->addStretch(1);
    setWidget(body);
    connect(run_, &QPushButton::clicked, this, [this] { emit runRequested(id_); });
    setClaim(nullptr);
}

void ClaimDetails::put(QLabel* label, const QString& text) {
    label->setText(text);
    label->setVisible(!text.isEmpty());
}

void ClaimDetails::setClaim(const ClaimRow* claim) {
    widget()->setVisible(claim != nullptr);
    if (!claim) {
        id_.clear();
        return;
    }
    if (id_ != claim->id) {
        ensureVisible(0, 0);
    }
    id_ = claim->id;
    put(name_, claim->row + "  " + claim->rowTitle + "  ·  " + claim->id);
    put(statement_, claim->statement);
    badge_->setVerdict(claim->verdict, claim->activity);
    run_->setText(claim->verdict == ClaimVerdict::NotRun ? tr("Run") : tr("Run again"));
    put(boundary_, claim->boundary);
    put(why_, claim->noise && !claim->why.contains(tr("noise"))
                  ? claim->why + ' ' + tr("A difference lay within the noise.")
                  : claim->why);
    put(about_, claim->about);
    put(problem_, claim->problem);
    put(measuredOn_, claim->measuredOn);
    showFigures(*claim);
}

void ClaimDetails::showFigures(const ClaimRow& claim) {
    const bool any = !claim.figures.empty();
    put(none_, any ? QString() : emptyText(claim));
    figures_->setVisible(any);
    figures_->setFigures(claim.figures);
    chart_->setSections(figureSections(claim.figures));
    chart_->setVisible(!chart_->sections().empty());
    whiskers_->setVisible(std::any_of(claim.figures.begin(), claim.figures.end(), [](const ClaimFigure& f) {
        return f.value.n > 1 && f.value.low < f.value.high;
    }));
}

void ClaimDetails::setRunnable(bool can, const QString& whyNot) {
    run_->setEnabled(can);
    run_->setToolTip(can ? tr("Measure this claim on this machine") : whyNot);
}

}  // namespace highwater::desktop

#include "moc_claim_details.cpp"
