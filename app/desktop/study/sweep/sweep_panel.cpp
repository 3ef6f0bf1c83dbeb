#include "app/desktop/study/sweep/sweep_panel.h"

namespace highwater::desktop {

SweepPanel::SweepPanel(QWidget* parent) : StudyPanel(parent) {
    setup_ = new SweepSetup(this);
    setup_->setMinimumWidth(230);
    views_ = new SweepViews(this);
    build(setup_, views_, {270, 1010});
}

void SweepPanel::setState(const StudyState& state) {
    showProgress(state);
    setup_->setState(state);
}

void SweepPanel::setRows(SweepRows rows) {
    const bool empty = rows.cells.empty();
    views_->setRows(std::move(rows));
    if (!empty) {
        showResults();
    }
}

QString SweepPanel::howToBegin() const {
    return tr(
        "Add axes to make a sweep of the current experiment, or open a "
        "sweep, the result of one, or a study of the store.");
}

}  // namespace highwater::desktop

#include "moc_sweep_panel.cpp"
