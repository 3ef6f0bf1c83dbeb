#include "app/desktop/study/factorial/factorial_panel.h"

#include <utility>

#include "app/desktop/study/factorial/factorial_results.h"

namespace highwater::desktop {

FactorialPanel::FactorialPanel(QWidget* parent) : StudyPanel(parent) {
    setup_ = new FactorialSetup(this);
    setup_->setMinimumWidth(240);
    results_ = new FactorialResults(this);
    build(setup_, results_, {330, 950});
}

void FactorialPanel::setState(const StudyState& state) {
    showProgress(state);
    setup_->setState(state);
    const bool changed = std::exchange(running_, state.running) != state.running;
    if (changed && !message().isEmpty() && (running_ || !showsProblem())) {
        setMessage({});  // the previous message no longer applies
    }
}

void FactorialPanel::setResult(const FactorialRows& rows) {
    results_->setRows(rows);
    showResults();
}

QString FactorialPanel::howToBegin() const {
    return running_ ? tr("Measuring. The results are shown here as the runs end.")
                    : tr("Choose levers, add fields with their values, and press Run: every combination is "
                         "measured on "
                         "the current experiment.");
}

}  // namespace highwater::desktop

#include "moc_factorial_panel.cpp"
