#include "app/desktop/scan/patches/patch_stepper.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/scan/patches/work_line.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

QToolButton* button(const char* name, const QString& text, const QString& tip, QWidget* parent) {
    auto* const made = new QToolButton(parent);
    made->setObjectName(name);
    made->setText(text);
    made->setToolTip(tip);
    return made;
}

widgets::ElidedLabel* line(const char* name, bool muted, QWidget* parent) {
    auto* const made = new widgets::ElidedLabel(parent);
    made->setObjectName(name);
    made->setMuted(muted);
    made->setFont(widgets::smallFont(parent->font()));
    return made;
}

void setChecked(QToolButton* button, bool on) {
    const QSignalBlocker quiet(button);
    button->setChecked(on);
}

}  // namespace

PatchStepper::PatchStepper(QWidget* parent) : QWidget(parent) {
    makeControls();
    origin_ = line("patchOrigin", false, this);
    done_ = widgets::textLabel(this);
    done_->setObjectName("patchDone");
    done_->setFont(widgets::smallFont(font()));
    done_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    // Fixed, so that the views keep their size.
    done_->setFixedHeight(2 * QFontMetrics(done_->font()).lineSpacing());
    place_ = line("patchPlace", true, this);
    work_ = new WorkLine(this);
    auto* const column = widgets::makeLayout<QVBoxLayout>(this, 2);
    column->addWidget(origin_);
    auto* const controls = new widgets::FlowLayout;
    controls->setSpacing(4);
    for (QWidget* each :
         std::initializer_list<QWidget*>{numbers_, more_, channel_, target_, inScan_, live_, freeze_}) {
        controls->addWidget(each);
    }
    controls->addWidget(new QWidget(this));  // takes the rest of the line
    column->addLayout(controls);
    column->addWidget(done_);
    column->addWidget(place_);
    column->addWidget(work_);
    connect(work_, &WorkLine::cancelRequested, this, &PatchStepper::cancelRequested);
    connect(work_, &WorkLine::retryRequested, this, &PatchStepper::retryRequested);
    setState({});
}

QWidget* PatchStepper::makeNumber() {
    auto* const group = new QWidget(this);
    previous_ = button("patchPrevious", QString(QChar(0x2039)), tr("The previous patch (Left, or ,)"), group);
    next_ = button("patchNext", QString(QChar(0x203a)), tr("The next patch (Right, or .)"), group);
    previous_->setAccessibleName(tr("Previous patch"));
    next_->setAccessibleName(tr("Next patch"));
    number_ = new QLabel(group);
    number_->setObjectName("patchNumber");
    number_->setAlignment(Qt::AlignCenter);
    number_->setMinimumWidth(fontMetrics().horizontalAdvance("256 of 256"));
    auto* const row = widgets::makeLayout<QHBoxLayout>(group, 0);
    row->addWidget(previous_);
    row->addWidget(number_);
    row->addWidget(next_);
    connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { step(1); });
    return group;
}

void PatchStepper::makeControls() {
    numbers_ = makeNumber();
    more_ = button("patchMore", tr("16 more"), tr("Ask the engine for the next samples"), this);
    channel_ = new QComboBox(this);
    channel_->setObjectName("patchChannel");
    channel_->setToolTip(tr("The channel shown"));
    target_ = button("patchTarget", {}, tr("What the loss compares the network's output with, as an overlay"),
                     this);
    inScan_ = button("patchInScan", tr("Show in scan"),
                     tr("Back to the scan, with the patch box where this patch was taken.\nThe experiment "
                        "does not change."),
                     this);
    live_ = button("patchLive", tr("Live"), tr("Follow the patches that the run sends to its network"), this);
    freeze_ = button("patchFreeze", tr("Freeze"), tr("Keep showing this patch; the run continues"), this);
    for (QToolButton* each : {target_, live_, freeze_}) {
        each->setCheckable(true);
    }
    connect(more_, &QToolButton::clicked, this, &PatchStepper::moreRequested);
    connect(channel_, &QComboBox::activated, this, &PatchStepper::channelChosen);
    connect(target_, &QToolButton::toggled, this, &PatchStepper::targetToggled);
    connect(inScan_, &QToolButton::clicked, this, &PatchStepper::showInScanRequested);
    connect(live_, &QToolButton::toggled, this, &PatchStepper::liveToggled);
    connect(freeze_, &QToolButton::toggled, this, &PatchStepper::freezeToggled);
}

void PatchStepper::step(int by) {
    const int to = state_.shown + by;
    if (!state_.live && to >= 0 && to < state_.count) {
        emit patchChosen(to);
    }
}

void PatchStepper::refreshChannels() {
    QStringList shown;
    for (int i = 0; i < channel_->count(); ++i) {
        shown << channel_->itemText(i);
    }
    if (shown != state_.channels) {
        channel_->clear();
        channel_->addItems(state_.channels);
    }
    channel_->setCurrentIndex(state_.channel);
    channel_->setVisible(state_.channels.size() > 1);
}

void PatchStepper::setState(const PatchesState& state) {
    state_ = state;
    const bool any = state.count > 0;
    origin_->setText(state.origin);
    origin_->setVisible(!state.origin.isEmpty());
    numbers_->setVisible(!state.live && any);
    number_->setText(tr("%1 of %2").arg(state.shown + 1).arg(state.count));
    previous_->setEnabled(state.shown > 0);
    next_->setEnabled(state.shown + 1 < state.count);
    more_->setVisible(!state.live && any);
    more_->setEnabled(state.mayAskMore);
    refreshChannels();
    target_->setVisible(any && state.hasTarget);
    target_->setText(state.targetName);
    setChecked(target_, state.targetOn);
    inScan_->setVisible(any && state.placeable);
    live_->setVisible(state.canLive || state.live);
    setChecked(live_, state.live);
    freeze_->setVisible(state.live);
    setChecked(freeze_, state.frozen);
    done_->setText(state.done);
    done_->setToolTip(state.done);
    done_->setVisible(any && !state.done.isEmpty());
    place_->setText(state.place);
    place_->setVisible(any && !state.place.isEmpty());
    work_->setState(state.work);
}

}  // namespace highwater::desktop

#include "moc_patch_stepper.cpp"
