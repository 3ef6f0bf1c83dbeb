#include "app/desktop/study/claims/claims_panel.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include "app/desktop/study/claims/claim_details.h"
#include "app/desktop/study/claims/claims_list.h"
#include "app/desktop/study/study_strip.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

ClaimsPanel::ClaimsPanel(QWidget* parent) : QWidget(parent) {
    summary_ = new widgets::ElidedLabel(this);
    summary_->setObjectName("Summary");
    runSelected_ = new QPushButton(this);
    runSelected_->setObjectName("Run selected");
    runAll_ = new QPushButton(tr("Run all"), this);
    runAll_->setObjectName("Run all");
    runAll_->setProperty("primary", true);
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {12, 8, 12, 8});
    row->addWidget(summary_, 1);
    row->addWidget(runSelected_);
    row->addWidget(runAll_);
    strip_ = new StudyStrip(this);
    list_ = new ClaimsList(this);
    details_ = new ClaimDetails(this);
    splitter_ = widgets::makeSplitter(Qt::Horizontal, {list_, details_}, {460, 620});
    splitter_->setStretchFactor(1, 1);
    list_->setMinimumWidth(230);
    details_->setMinimumWidth(360);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addLayout(row);
    layout->addWidget(strip_);
    layout->addWidget(splitter_, 1);
    connect(list_, &ClaimsList::currentChanged, this, &ClaimsPanel::showCurrent);
    connect(list_, &ClaimsList::selectionChanged, this, &ClaimsPanel::showButtons);
    connect(list_, &ClaimsList::activated, this, [this](const QString& id) {
        if (!state_.running && state_.whyNot.isEmpty()) {
            emit runRequested({id});
        }
    });
    connect(details_, &ClaimDetails::runRequested, this,
            [this](const QString& id) { emit runRequested({id}); });
    connect(runSelected_, &QPushButton::clicked, this, &ClaimsPanel::runSelected);
    connect(runAll_, &QPushButton::clicked, this, [this] {
        QStringList ids;
        for (const ClaimRow& claim : list_->model().rows()) {
            ids << claim.id;
        }
        emit runRequested(ids);
    });
    connect(strip_, &StudyStrip::cancelRequested, this, &ClaimsPanel::cancelRequested);
    showButtons();
}

void ClaimsPanel::setRows(const std::vector<ClaimRow>& rows) {
    list_->setRows(rows);
    showCurrent();
    showButtons();
}

void ClaimsPanel::setProblem(const QString& problem) {
    problem_ = problem;
    showButtons();
}

void ClaimsPanel::setState(const StudyState& state) {
    state_ = state;
    strip_->setState(state);
    showButtons();
}

void ClaimsPanel::select(const QString& id) {
    list_->setCurrent(id);
}

QStringList ClaimsPanel::selectedIds() const {
    return list_->selectedIds();
}

void ClaimsPanel::runSelected() {
    if (runSelected_->isEnabled()) {
        emit runRequested(selectedIds());
    }
}

void ClaimsPanel::focusFilter() {
    list_->focusFilter();
}

void ClaimsPanel::showCurrent() {
    details_->setClaim(list_->model().row(list_->current()));
}

void ClaimsPanel::showButtons() {
    const auto& rows = list_->model().rows();
    summary_->setText(!problem_.isEmpty() ? problem_ : verdictCounts(rows));
    const QString whyNot = state_.running ? tr("Claims are being run. Cancel first.") : state_.whyNot;
    const auto selected = selectedIds().size();
    runSelected_->setText(selected > 1 ? tr("Run %1 selected").arg(selected) : tr("Run selected"));
    runSelected_->setEnabled(whyNot.isEmpty() && selected > 0);
    runSelected_->setToolTip(whyNot.isEmpty() ? tr("Measure the selected claims (F5)") : whyNot);
    runAll_->setEnabled(whyNot.isEmpty() && !rows.empty());
    runAll_->setToolTip(whyNot.isEmpty() ? tr("Measure every claim on this machine; takes minutes") : whyNot);
    details_->setRunnable(whyNot.isEmpty(), whyNot);
}

}  // namespace highwater::desktop

#include "moc_claims_panel.cpp"
