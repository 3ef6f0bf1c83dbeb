#include "app/desktop/study/sweep/sweep_setup.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/theme/menu_text.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

SweepSetup::SweepSetup(QWidget* parent) : StudySetup(parent) {
    panel_ = new AxesPanel(tr("Axes"), this);
    save_ =
        widgets::linkButton(tr("save…"), tr("Save the sweep as a file, also for highwater-cli sweep"), this);
    save_->setObjectName("save sweep");
    panel_->addHeaderWidget(save_);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(buildSource());
    layout->addWidget(panel_, 1);
    layout->addLayout(buildFoot());
    QWidget* before = compose_;
    for (QWidget* next : std::initializer_list<QWidget*>{&panel_->addButton(), save_, &axes(), mode_,
                                                         repeats_, steps_, run_}) {
        setTabOrder(std::exchange(before, next), next);
    }
    connect(&axes(), &SweepAxes::changed, this, &SweepSetup::choiceChanged);
    connect(save_, &QToolButton::clicked, this, &SweepSetup::saveRequested);
    setSource({}, true, true);
}

QWidget* SweepSetup::buildSource() {
    auto* body = new QWidget(this);
    auto* column = widgets::makeLayout<QVBoxLayout>(body, 2, {12, 8, 8, 8});
    source_ = new widgets::ElidedLabel(body);
    source_->setObjectName("Source");
    column->addWidget(source_);
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 2);
    auto* open =
        widgets::linkButton(tr("open…"), tr("Open a sweep or the result of one (.json, Ctrl+O)"), body);
    open->setObjectName("open sweep");
    auto* stored = widgets::linkButton(tr("from the store…"),
                                       tr("Show a sweep, a factorial or a claim from the runs table"), body);
    stored->setObjectName("stored sweep");
    studiesMenu_ = new QMenu(this);
    stored->setMenu(studiesMenu_);
    stored->setPopupMode(QToolButton::InstantPopup);
    compose_ = widgets::linkButton(tr("new"), tr("Make a sweep of the current experiment"), body);
    compose_->setObjectName("new sweep");
    row->addWidget(open);
    row->addWidget(stored);
    row->addWidget(compose_);
    row->addStretch(1);
    column->addLayout(row);
    connect(open, &QToolButton::clicked, this, &SweepSetup::openRequested);
    connect(compose_, &QToolButton::clicked, this, &SweepSetup::composeRequested);
    connect(studiesMenu_, &QMenu::aboutToShow, this, &SweepSetup::studiesWanted);
    return body;
}

QVBoxLayout* SweepSetup::buildFoot() {
    const SweepChoice first;
    mode_ = new QComboBox(this);
    mode_->setObjectName("Mode");
    mode_->addItems({tr("every combination"), tr("in step"), tr("factorial")});
    mode_->setToolTip(
        tr("Every combination of the values; the n-th values of all axes together; or every combination, "
           "with the effects of the values"));
    repeats_ = spin("Repeats", 1, 50, first.repeats,
                    tr("Runs of every cell, at least. From 2 on, runs repeat until every time is known to 2 "
                       "%, up to three times as many"));
    steps_ = spin("Steps", 1, 10000, first.steps,
                  tr("Steps of each run, including the warm-up, which is detected"));
    where_ = widgets::textLabel(this);
    auto* run = new QPushButton(tr("Run"), this);
    run->setObjectName("Run sweep");
    connect(run, &QPushButton::clicked, this, &SweepSetup::run);
    connect(mode_, &QComboBox::currentIndexChanged, this, &SweepSetup::choiceChanged);
    for (QSpinBox* box : {repeats_, steps_}) {
        connect(box, &QSpinBox::valueChanged, this, &SweepSetup::choiceChanged);
    }
    return makeFoot({{tr("Cells"), mode_},
                     {tr("Repeats"), repeats_},
                     {tr("Steps per run"), steps_},
                     {tr("Where"), where_}},
                    run);
}

SweepChoice SweepSetup::choice() const {
    return {panel_->axes().axes(), mode_->currentIndex(), repeats_->value(), steps_->value()};
}

void SweepSetup::setChoice(const SweepChoice& choice) {
    const QSignalBlocker quietMode(mode_), quietRepeats(repeats_), quietSteps(steps_);
    axes().setAxes(choice.axes);
    mode_->setCurrentIndex(choice.mode);
    repeats_->setValue(choice.repeats);
    steps_->setValue(choice.steps);
    emit choiceChanged();
}

void SweepSetup::setStudies(std::vector<SweepStudy> studies, const QString& unknown) {
    studiesMenu_->clear();
    for (const SweepStudy& study : studies) {
        studiesMenu_->addAction(widgets::menuText(study.title), this,
                                [this, id = study.id] { emit studyRequested(id); });
    }
    if (studies.empty()) {
        studiesMenu_
            ->addAction(unknown.isEmpty() ? tr("There are no studies in the store")
                                          : widgets::menuText(unknown))
            ->setEnabled(false);
    }
}

void SweepSetup::setSource(const QString& title, bool editable, bool composed) {
    source_->setText(title);
    editable_ = editable;
    compose_->setVisible(!composed);
    refresh();
}

void SweepSetup::setWhere(const QString& where) {
    where_->setText(where);
}

void SweepSetup::setCount(const QString& count, const QString& problem, int axis) {
    counted_ = count;
    problem_ = problem;
    axes().setProblem(axis, problem);
    refresh();
}

void SweepSetup::setState(const StudyState& state) {
    state_ = state;
    refresh();
}

QString SweepSetup::whyNot() const {
    if (!editable_) {
        return tr("These are results. Make a new sweep or open one to run it.");
    }
    if (state_.running) {
        return tr("A study is running. Cancel it first.");
    }
    return !problem_.isEmpty() ? problem_ : state_.whyNot;
}

void SweepSetup::refresh() {
    const bool free = editable_ && !state_.running;
    axes().setLocked(!free);
    for (QWidget* field : {static_cast<QWidget*>(mode_), static_cast<QWidget*>(repeats_),
                           static_cast<QWidget*>(steps_), static_cast<QWidget*>(&panel_->addButton())}) {
        field->setEnabled(free);
    }
    const QString why = whyNot();
    const bool wrong = editable_ && !problem_.isEmpty();
    count_->setText(wrong || !editable_ ? why : counted_);
    const bool bad = wrong && !axes().axes().empty();
    if (count_->property("bad").toBool() != bad) {
        count_->setProperty("muted", !bad);
        widgets::setLook(*count_, "bad", bad);
    }
    save_->setEnabled(editable_ && problem_.isEmpty());
    run_->setEnabled(why.isEmpty());
    run_->setToolTip(why.isEmpty() ? tr("Run all cells in turns (F5)") : why);
}

void SweepSetup::run() {
    if (run_->isEnabled()) {
        emit runRequested();
    }
}

}  // namespace highwater::desktop

#include "moc_sweep_setup.cpp"
