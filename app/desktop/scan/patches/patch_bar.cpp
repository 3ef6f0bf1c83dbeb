#include "app/desktop/scan/patches/patch_bar.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/scan/patches/coverage_strip.h"
#include "app/desktop/scan/patches/patch_stepper.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

PatchBar::PatchBar(QWidget* parent)
    : QWidget(parent),
      modes_(new QButtonGroup(this)),
      stepper_(new PatchStepper),
      coverage_(new CoverageStrip) {
    setObjectName("patchBar");
    setAccessibleName(tr("What the network gets"));
    setFocusPolicy(Qt::StrongFocus);
    auto* const column = widgets::makeLayout<QVBoxLayout>(this, 2, {6, 3, 6, 4});
    column->addWidget(makeSwitch());
    column->addWidget(stepper_);
    column->addWidget(coverage_);
    connectParts();
    for (QWidget* part : findChildren<QWidget*>()) {
        part->installEventFilter(this);
    }
    setMode(PatchMode::Scan);
}

QWidget* PatchBar::makeSwitch() {
    auto* const line = new QWidget;
    auto* const row = new widgets::FlowLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    const auto add = [&](PatchMode mode, const char* name, const QString& text, const QString& tip) {
        auto* const button = new QToolButton;
        button->setObjectName(name);
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        modes_->addButton(button, static_cast<int>(mode));
        row->addWidget(button);
    };
    add(PatchMode::Scan, "modeScan", tr("Scan"), tr("The scan as read from its file (Ctrl+1)"));
    add(PatchMode::Patches, "modePatches", tr("Patches"),
        tr("What the network gets: samples as the engine sends them, normalized and augmented (Ctrl+2)"));
    add(PatchMode::Coverage, "modeCoverage", tr("Coverage"),
        tr("How often the samples of a run cover each position of the scan (Ctrl+3)"));
    row->addWidget(new QWidget);  // takes the rest of the line
    connect(modes_, &QButtonGroup::idClicked, this, [this](int id) {
        const auto mode = static_cast<PatchMode>(id);
        if (mode == mode_) {
            return;
        }
        setMode(mode);
        setFocus();
        emit modeChosen(mode);
    });
    return line;
}

void PatchBar::connectParts() {
    connect(stepper_, &PatchStepper::patchChosen, this, &PatchBar::patchChosen);
    connect(stepper_, &PatchStepper::moreRequested, this, &PatchBar::moreRequested);
    connect(stepper_, &PatchStepper::channelChosen, this, &PatchBar::channelChosen);
    connect(stepper_, &PatchStepper::targetToggled, this, &PatchBar::targetToggled);
    connect(stepper_, &PatchStepper::showInScanRequested, this, &PatchBar::showInScanRequested);
    connect(stepper_, &PatchStepper::liveToggled, this, &PatchBar::liveToggled);
    connect(stepper_, &PatchStepper::freezeToggled, this, &PatchBar::freezeToggled);
    connect(stepper_, &PatchStepper::cancelRequested, this, &PatchBar::cancelRequested);
    connect(stepper_, &PatchStepper::retryRequested, this, &PatchBar::retryRequested);
    connect(coverage_, &CoverageStrip::stepsChosen, this, &PatchBar::stepsChosen);
    connect(coverage_, &CoverageStrip::cancelRequested, this, &PatchBar::cancelRequested);
    connect(coverage_, &CoverageStrip::retryRequested, this, &PatchBar::retryRequested);
}

void PatchBar::setMode(PatchMode mode) {
    mode_ = mode;
    modes_->button(static_cast<int>(mode))->setChecked(true);
    stepper_->setVisible(mode == PatchMode::Patches);
    coverage_->setVisible(mode == PatchMode::Coverage);
}

void PatchBar::setPatches(const PatchesState& state) {
    stepper_->setState(state);
}

void PatchBar::setCoverage(const CoverageState& state) {
    coverage_->setState(state);
}

bool PatchBar::takeKey(const QKeyEvent& key) {
    if (mode_ != PatchMode::Patches || (key.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) {
        return false;
    }
    switch (key.key()) {
        case Qt::Key_Left:
        case Qt::Key_Comma:
            stepper_->step(-1);
            return true;
        case Qt::Key_Right:
        case Qt::Key_Period:
            stepper_->step(1);
            return true;
        default:
            return false;
    }
}

/// Buttons would use these keys to move the focus.
bool PatchBar::eventFilter(QObject*, QEvent* event) {
    return event->type() == QEvent::KeyPress && takeKey(*static_cast<QKeyEvent*>(event));
}

void PatchBar::keyPressEvent(QKeyEvent* event) {
    if (!takeKey(*event)) {
        QWidget::keyPressEvent(event);
    }
}

void PatchBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), widgets::theme().panel);
    if (!hasFocus()) {
        return;
    }
    painter.setPen(widgets::theme().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace highwater::desktop

#include "moc_patch_bar.cpp"
