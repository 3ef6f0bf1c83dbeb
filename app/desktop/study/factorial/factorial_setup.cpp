#include "app/desktop/study/factorial/factorial_setup.h"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/study/factorial/toggle_list.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

QSpinBox* FactorialSetup::spin(const char* name, int low, int high, int value, const QString& tip) {
    auto* box = new QSpinBox(this);
    box->setObjectName(name);
    box->setRange(low, high);
    box->setValue(value);
    box->setToolTip(tip);
    return box;
}

FactorialSetup::FactorialSetup(QWidget* parent) : QWidget(parent) {
    const FactorialChoice first;
    toggles_ = new ToggleList(this);
    repeats_ = spin("Repeats", 2, 50, first.repeats, tr("Runs of every combination; they take turns"));
    most_ = spin("Most repeats", 2, 100, first.mostRepeats,
                 tr("Runs repeat until every time is known to 2 %, up to this number"));
    steps_ = spin("Steps", 4, 1000, first.steps,
                  tr("Steps of each run, including the warm-up, which is detected"));
    count_ = new QLabel(this);
    count_->setObjectName("Count");
    estimate_ = new QLabel(this);
    estimate_->setObjectName("Estimate");
    for (QLabel* label : {count_, estimate_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
    }
    run_ = new QPushButton(tr("Run"), this);
    run_->setObjectName("Run factorial");
    run_->setProperty("primary", true);
    auto* panel = new widgets::Panel(tr("Levers to combine"), this);
    panel->setBody(toggles_);
    auto* form = new QFormLayout;
    form->setContentsMargins(12, 8, 12, 4);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    form->addRow(tr("Min. repeats"), repeats_);
    form->addRow(tr("Max. repeats"), most_);
    form->addRow(tr("Steps per run"), steps_);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(12, 4, 12, 12);
    foot->setSpacing(6);
    foot->addWidget(count_);
    foot->addWidget(estimate_);
    foot->addWidget(run_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(panel, 1);
    layout->addLayout(form);
    layout->addLayout(foot);
    const auto changed = [this] {
        refresh();
        emit choiceChanged();
    };
    connect(toggles_, &ToggleList::changed, this, changed);
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
    return {toggles_->chosen(), repeats_->value(), most_->value(), steps_->value()};
}

void FactorialSetup::setChoice(const FactorialChoice& choice) {
    toggles_->setChosen(choice.toggles);
    repeats_->setValue(choice.repeats);
    most_->setValue(choice.mostRepeats);
    steps_->setValue(choice.steps);
}

void FactorialSetup::setEstimate(const QString& estimate) {
    estimate_->setText(estimate);
    estimate_->setVisible(!estimate.isEmpty());
}

void FactorialSetup::setState(const StudyState& state) {
    state_ = state;
    toggles_->setLocked(state.running);
    for (QSpinBox* box : {repeats_, most_, steps_}) {
        box->setEnabled(!state.running);
    }
    refresh();
}

void FactorialSetup::setProblem(const QString& problem) {
    problem_ = problem;
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
    if (n == 0) {
        return tr("Choose at least one lever.");
    }
    if (n > kMostToggles) {
        return tr("Choose at most %1 levers: %2 would be %3 combinations.")
            .arg(kMostToggles)
            .arg(n)
            .arg(choice().combinations());
    }
    return {};
}

void FactorialSetup::refresh() {
    const FactorialChoice now = choice();
    const qint64 n = now.combinations();
    const QString why = whyNot();
    QString count = tr("%1 combinations, %2 to %3 runs").arg(n).arg(n * now.repeats).arg(n * now.mostRepeats);
    if (now.repeats == now.mostRepeats) {
        count = tr("%1 combinations, %2 runs").arg(n).arg(n * now.repeats);
    }
    const bool countable = problem_.isEmpty() && !now.toggles.isEmpty() &&
                           now.toggles.size() <= kMostToggles && now.repeats <= now.mostRepeats;
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
