#include "app/desktop/study/factorial/factorial_setup.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/stack/field_to_vary.h"
#include "app/desktop/study/factorial/toggle_list.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

qint64 FactorialChoice::combinations() const {
    qint64 count = qint64{1} << toggles.size();
    for (const SweepAxisEdit& axis : axes) {
        count *= std::clamp<qint64>(static_cast<qint64>(valuesIn(axis.values).size()), 1, kMostCombinations);
        count = std::min(count, qint64{1} << 30);
    }
    return count;
}

FactorialSetup::FactorialSetup(QWidget* parent) : StudySetup(parent) {
    const FactorialChoice first;
    toggles_ = new ToggleList(this);
    repeats_ = spin("Repeats", 2, 50, first.repeats, tr("Runs of every combination; they take turns"));
    most_ = spin("Most repeats", 2, 100, first.mostRepeats,
                 tr("Runs repeat until every time is known to 2 %, up to this number"));
    steps_ = spin("Steps", 4, 1000, first.steps,
                  tr("Steps of each run, including the warm-up, which is detected"));
    auto* run = new QPushButton(tr("Run"), this);
    run->setObjectName("Run factorial");
    auto* panel = new widgets::Panel(tr("Levers to combine"), this);
    panel->setBody(toggles_);
    fields_ = new AxesPanel(tr("Fields to combine"), this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(panel, 3);
    layout->addWidget(fields_, 2);
    layout->addLayout(makeFoot(
        {{tr("Min. repeats"), repeats_}, {tr("Max. repeats"), most_}, {tr("Steps per run"), steps_}}, run));
    const auto changed = [this] {
        refresh();
        emit choiceChanged();
    };
    connect(toggles_, &ToggleList::changed, this, changed);
    connect(&fields_->axes(), &SweepAxes::changed, this, changed);
    connect(repeats_, &QSpinBox::valueChanged, this, [this, changed] {
        most_->setValue(std::max(most_->value(), repeats_->value()));
        changed();
    });
    connect(most_, &QSpinBox::valueChanged, this, changed);
    connect(steps_, &QSpinBox::valueChanged, this, changed);
    connect(run_, &QPushButton::clicked, this, &FactorialSetup::run);
    refresh();
}

void FactorialSetup::setToggles(const std::vector<ToggleRow>& toggles) {
    toggles_->setToggles(toggles);
    refresh();
}

FactorialChoice FactorialSetup::choice() const {
    return {toggles_->chosen(), repeats_->value(), most_->value(), steps_->value(), fields_->axes().axes()};
}

void FactorialSetup::setChoice(const FactorialChoice& choice) {
    toggles_->setChosen(choice.toggles);
    repeats_->setValue(choice.repeats);
    most_->setValue(choice.mostRepeats);
    steps_->setValue(choice.steps);
    if (choice.axes != fields_->axes().axes()) {
        fields_->axes().setAxes(choice.axes);
        refresh();
        emit choiceChanged();
    }
}

void FactorialSetup::setState(const StudyState& state) {
    state_ = state;
    toggles_->setLocked(state.running);
    fields_->axes().setLocked(state.running);
    fields_->addButton().setEnabled(!state.running);
    for (QSpinBox* box : {repeats_, most_, steps_}) {
        box->setEnabled(!state.running);
    }
    refresh();
}

void FactorialSetup::setProblem(const QString& problem) {
    problem_ = problem;
    refresh();
}

void FactorialSetup::setAxesProblem(const QString& problem, int axis) {
    axesProblem_ = problem;
    fields_->axes().setProblem(axis, problem);
    refresh();
}

QString FactorialSetup::whyNot() const {
    const auto n = toggles_->chosen().size();
    if (!problem_.isEmpty()) {
        return problem_;
    }
    if (state_.running) {
        return tr("A study is running. Cancel it first.");
    }
    if (!state_.whyNot.isEmpty()) {
        return state_.whyNot;
    }
    if (most_->value() < repeats_->value()) {
        return tr("Max. repeats (%1) is less than min. repeats (%2).")
            .arg(most_->value())
            .arg(repeats_->value());
    }
    const FactorialChoice now = choice();
    if (now.empty()) {
        return tr("Choose at least one lever, or add a field.");
    }
    if (n > kMostToggles) {
        return tr("Choose at most %1 levers: %2 would be %3 combinations.")
            .arg(kMostToggles)
            .arg(n)
            .arg(now.combinations());
    }
    if (now.combinations() > kMostCombinations) {
        return tr("%1 combinations are too many; at most %2 are possible.")
            .arg(now.combinations())
            .arg(kMostCombinations);
    }
    return axesProblem_;
}

void FactorialSetup::refresh() {
    const FactorialChoice now = choice();
    const qint64 n = now.combinations();
    const QString why = whyNot();
    QString count = tr("%1 combinations, %2 to %3 runs").arg(n).arg(n * now.repeats).arg(n * now.mostRepeats);
    if (now.repeats == now.mostRepeats) {
        count = tr("%1 combinations, %2 runs").arg(n).arg(n * now.repeats);
    }
    const bool countable = problem_.isEmpty() && axesProblem_.isEmpty() && !now.empty() &&
                           n <= kMostCombinations && now.repeats <= now.mostRepeats;
    count_->setText(countable ? count : why);
    run_->setEnabled(why.isEmpty());
    run_->setToolTip(why.isEmpty() ? tr("Run all combinations in turns (F5)") : why);
}

void FactorialSetup::run() {
    if (run_->isEnabled()) {
        emit runRequested(choice());
    }
}

}  // namespace highwater::desktop

#include "moc_factorial_setup.cpp"
