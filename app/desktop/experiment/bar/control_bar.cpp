#include "app/desktop/experiment/bar/control_bar.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/bar/checkpoint_field.h"
#include "app/desktop/experiment/bar/control_fields.h"
#include "app/desktop/experiment/bar/icons.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/sizes_text.h"
#include "core/stack/shapes.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/controls/scrub.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

template <class T>
QString reason(const base::Result<T>& result) {
    return result ? QString() : plainError(result.error());
}

/// A device's key in the list: "cuda" here, "lab/cuda" on a host.
QString placeOf(const QString& device, const QString& host) {
    return host.isEmpty() ? device : host + '/' + device;
}

/// Lists the item, but makes it selectable only if `why` is empty.
void offerItem(QComboBox* combo, int index, const QString& why) {
    QStandardItem* item = qobject_cast<QStandardItemModel*>(combo->model())->item(index);
    item->setEnabled(why.isEmpty());
    item->setToolTip(why);
}

bool isOffered(const QComboBox* combo, int index) {
    return qobject_cast<const QStandardItemModel*>(combo->model())->item(index)->isEnabled();
}

/// The popup shows whole names; the field elides them to the room in the bar.
void widenList(QComboBox* combo) {
    constexpr int kLeast = 100, kMost = 150, kMargins = 34;
    int widest = 0;
    for (int i = 0; i < combo->count(); ++i) {
        widest = std::max(widest, combo->fontMetrics().horizontalAdvance(combo->itemText(i)));
    }
    combo->view()->setTextElideMode(Qt::ElideNone);
    combo->view()->setMinimumWidth(widest + 40);
    combo->setFixedWidth(std::clamp(widest + kMargins, kLeast, kMost));
}

QSpinBox* spinBox(int low, int high, QWidget* parent) {
    auto* spin = new QSpinBox(parent);
    spin->setRange(low, high);
    spin->setKeyboardTracking(false);
    widgets::checkWhileTyped(spin);
    return spin;
}

}  // namespace

ControlBar::ControlBar(ExperimentDocument& document, QWidget* parent) : QWidget(parent), document_(document) {
    auto* layout = new widgets::FlowLayout(this);
    layout->setContentsMargins(12, 6, 12, 10);
    layout->setSpacing(12);
    buildButtons(layout);
    buildFields(layout);
    gauge_ = new Gauge(this);
    layout->addWidget(gauge_);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connectFields();
    connect(&document_, &ExperimentDocument::changed, this, &ControlBar::refresh);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            &ControlBar::updateIcons);
    updateIcons();
    setRunOptions(options_);
    refresh();
}

void ControlBar::buildButtons(QLayout* layout) {
    run_ = new QPushButton(tr("Run"), this);
    run_->setProperty("primary", true);
    stop_ = new QPushButton(tr("Stop"), this);
    stop_->setEnabled(false);
    setStopping(false);
    for (QPushButton* button : {run_, stop_}) {
        button->setMinimumSize(78, 34);
        button->setIconSize({12, 12});
        layout->addWidget(button);
    }
    run_->installEventFilter(this);
    connect(run_, &QPushButton::clicked, this, &ControlBar::runRequested);
    connect(stop_, &QPushButton::clicked, this, &ControlBar::stopRequested);
}

void ControlBar::buildFields(QLayout* layout) {
    device_ = new QComboBox(this);
    device_->addItem("CPU", "cpu");
    target_ = new TargetField(this);
    batch_ = spinBox(1, 1'000'000, this);
    patch_ = patchEdit();
    precision_ = precisionCombo();
    checkpoint_ = new CheckpointField(document_, this);
    steps_ = spinBox(1, 100'000, this);
    warmup_ = spinBox(0, 1'000, this);
    budget_ = budgetEdit();
    const std::vector<std::tuple<QString, QString, QWidget*, int>> fields = {
        {tr("Run on"), tr("The device that the run computes on"), device_, 100},
        {tr("Predict for"), tr("The device whose memory and time are predicted while you edit"), target_,
         168},
        {tr("Batch"), tr("Samples per step: memory grows with it"), batch_, 64},
        {tr("Patch"), tr("The box of the scan that is one sample: depth × height × width"), patch_, 116},
        {tr("Precision"), tr("The number format of the computation: bits per number"), precision_, 76},
        {tr("Checkpointing"),
         tr("Which parts keep only their input and are recomputed in the backward pass:\nless memory, more "
            "time, the same gradients"),
         checkpoint_, 0},
        {tr("Steps"), tr("Number of measured steps"), steps_, 64},
        {tr("Warm-up"), tr("Steps before the measured ones; they are not counted"), warmup_, 60},
        {tr("Budget"), tr("Memory limit of the run, which stops before it would exceed it. Empty: no limit"),
         budget_, 84}};
    for (const auto& [label, tip, field, width] : fields) {
        layout->addWidget(labeled(label, tip, field, width));
    }
}

QWidget* ControlBar::labeled(const QString& label, const QString& tip, QWidget* field, int width) {
    auto* cell = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(cell, 2);
    auto* text = new QLabel(label, cell);
    text->setProperty("muted", true);
    text->setToolTip(tip);
    text->setBuddy(field);
    auto* above = widgets::makeLayout<QHBoxLayout>(nullptr, 4);
    above->addWidget(text, 1);
    if (field == target_) {
        above->addWidget(target_->versions());
    }
    layout->addLayout(above);
    layout->addWidget(field);
    if (auto* checked = qobject_cast<widgets::CheckedEdit*>(field)) {
        checked->setHint(tip);
    } else {
        field->setToolTip(tip);
    }
    if (auto* spin = qobject_cast<QSpinBox*>(field)) {
        widgets::Scrub::attach(text, spin);
    } else if (field == patch_) {
        widgets::Scrub::attach(text, patch_);
    }
    if (field != target_ && field != checkpoint_) {  // their parts have their own names
        field->setAccessibleName(label);
        field->setObjectName(label);
    }
    if (width > 0) {
        field->setFixedWidth(width);
    }
    return cell;
}

QComboBox* ControlBar::precisionCombo() {
    auto* combo = new QComboBox(this);
    combo->addItems(wordList(stack::kPrecisionNames));
    return combo;
}

widgets::CheckedEdit* ControlBar::patchEdit() {
    auto* edit = new widgets::CheckedEdit(
        [this](const QString& text) { return reason(parsePatch(text, document_.experiment())); }, this);
    edit->setStep([this](const QString& text, int by) -> QString {
        const auto sizes = parsePatch(text, document_.experiment());
        return sizes ? sizesText(steppedPatch(document_.experiment(), *sizes, by)) : QString();
    });
    return edit;
}

widgets::CheckedEdit* ControlBar::budgetEdit() {
    auto* edit =
        new widgets::CheckedEdit([](const QString& text) { return reason(parseBudget(text)); }, this);
    edit->setPlaceholderText(tr("none"));
    return edit;
}

void ControlBar::connectFields() {
    connect(batch_, &QSpinBox::valueChanged, this, [this](int value) {
        document_.edit(
            tr("Change batch size"), [&](stack::Experiment& e) { e.step.batchSize = value; }, "batch");
    });
    connect(patch_, &widgets::CheckedEdit::edited, this, [this](const QString& text) {
        const stack::Sizes patch = *parsePatch(text, document_.experiment());
        document_.edit(tr("Change patch"), [&](stack::Experiment& e) { stack::setPatch(e, patch); }, "patch");
    });
    connect(precision_, &QComboBox::currentIndexChanged, this, [this](int index) {
        document_.edit(tr("Change precision"), [&](stack::Experiment& e) {
            e.step.precision = static_cast<stack::Precision>(index);
        });
    });
    connect(device_, &QComboBox::currentIndexChanged, this, &ControlBar::optionsEdited);
    connect(steps_, &QSpinBox::valueChanged, this, &ControlBar::optionsEdited);
    connect(warmup_, &QSpinBox::valueChanged, this, &ControlBar::optionsEdited);
    connect(budget_, &widgets::CheckedEdit::edited, this, &ControlBar::optionsEdited);
    connect(budget_, &widgets::CheckedEdit::rejected, this, &ControlBar::optionsEdited);
    connect(target_, &TargetField::changed, this, &ControlBar::offerPrecisions);
}

/// A GPU supports every precision, the CPU only fp32.
void ControlBar::offerPrecisions() {
    const bool gpu = options_.device != "cpu" || target_->choice().id != "cpu";
    for (int i = 1; i < precision_->count(); ++i) {
        offerItem(precision_, i, gpu ? QString() : tr("for GPUs: choose one to run on or to predict for"));
    }
}

void ControlBar::refresh() {
    const stack::Experiment& e = document_.experiment();
    const QSignalBlocker quiet[] = {QSignalBlocker(batch_), QSignalBlocker(precision_)};
    batch_->setValue(static_cast<int>(std::clamp<std::int64_t>(e.step.batchSize, 1, batch_->maximum())));
    precision_->setCurrentIndex(static_cast<int>(e.step.precision));
    const stack::Sizes patch = stack::patchOf(e);
    patch_->showValue(sizesText(patch), [&](const QString& typed) { return *parsePatch(typed, e) == patch; });
    offerPrecisions();
    updateRunButton();
}

void ControlBar::updateRunButton() {
    const auto& info = document_.info();
    const base::Status can =
        info ? stack::checkSupported(document_.experiment(), *info, options_.device != "cpu") : info.error();
    run_->setEnabled(can && !running_ && blocked_.isEmpty());
    stop_->setEnabled(running_);
    run_->setToolTip(!blocked_.isEmpty() ? blocked_
                     : !can              ? plainError(can.error())
                     : runTime_.isEmpty()
                         ? tr("Run the experiment and measure it")
                         : tr("Run the experiment and measure it.\nPredicted: %1").arg(runTime_));
}

void ControlBar::updateIcons() {
    QColor faint = widgets::theme().mutedText;
    faint.setAlphaF(0.6);
    run_->setIcon(glyphIcon(Glyph::Play, widgets::theme().accentText, faint));
    stop_->setIcon(glyphIcon(Glyph::Stop, widgets::theme().text, faint));
    update();
}

void ControlBar::optionsEdited() {
    RunOptions options = options_;
    const QString place = device_->currentData().toString();
    options.host = place.section('/', 0, -2);
    options.device = place.section('/', -1);
    options.steps = steps_->value();
    options.warmup = warmup_->value();
    // If the text was not edited, keep the exact number of bytes, which the text rounds.
    const auto budget = parseBudget(budget_->text());
    if (!budget) {
        options.budget.reset();  // otherwise text that is still being typed would count
    } else if (budget_->text() != budgetText(options_.budget)) {
        options.budget = *budget;
    }
    if (budget) {  // also if the value is the same as before some wrong text
        budget_->showValue(budgetText(options.budget), [&](const QString& typed) {
            const auto same = parseBudget(typed);
            return same && *same == options.budget;
        });
    }
    if (options == options_) {
        return;
    }
    options_ = options;
    offerPrecisions();
    updateRunButton();
    emit deviceChanged(options_.device);
    gauge_->setBudget(options_.budget);
    emit runOptionsChanged(options_);
}

void ControlBar::setRunOptions(const RunOptions& options) {
    options_ = options;
    const QSignalBlocker quiet[] = {QSignalBlocker(device_), QSignalBlocker(steps_), QSignalBlocker(warmup_)};
    const QString place = placeOf(options.device, options.host);
    if (device_->findData(place) < 0) {
        device_->addItem(place, place);
    }
    device_->setCurrentIndex(device_->findData(place));
    steps_->setValue(options.steps);
    warmup_->setValue(options.warmup);
    options_.steps = steps_->value();
    options_.warmup = warmup_->value();
    budget_->showValue(budgetText(options.budget));
    gauge_->setBudget(options.budget);
    offerPrecisions();
    updateRunButton();
    emit deviceChanged(options_.device);
}

void ControlBar::setDevices(const std::vector<DeviceChoice>& devices) {
    {
        const QSignalBlocker quiet(device_);
        device_->clear();
        device_->addItem("CPU", "cpu");
        for (const DeviceChoice& device : devices) {
            offerDevice(device);
        }
        const int at = device_->findData(placeOf(options_.device, options_.host));
        device_->setCurrentIndex(at >= 0 && isOffered(device_, at) ? at : 0);
    }
    widenList(device_);
    optionsEdited();
}

void ControlBar::offerDevice(const DeviceChoice& device) {
    const QString place = placeOf(device.id, device.host);
    int at = device_->findData(place);
    if (device.id.isEmpty() || at < 0) {  // devices that no run can use have no id
        at = device_->count();
        device_->addItem(device.title, place);
    }
    device_->setItemText(at, device.title);
    offerItem(device_, at, device.whyNot);
    if (device.whyNot.isEmpty()) {
        device_->setItemData(at, device.details, Qt::ToolTipRole);
    }
}

QString ControlBar::problem() const {
    return widgets::wrongField(*this);
}

void ControlBar::setRunning(bool running) {
    running_ = running;
    updateRunButton();
}

void ControlBar::setBlocked(const QString& whyNot) {
    blocked_ = whyNot;
    updateRunButton();
}

void ControlBar::setRunTime(const QString& text) {
    runTime_ = text;
    updateRunButton();
}

void ControlBar::setStopping(bool stopping) {
    stop_->setToolTip(stopping ? tr("The run stops at the next layer. Press again to end it at once")
                               : tr("Stop the run at the next layer. The measurements so far are kept"));
}

void ControlBar::setProgress(int step, int of, int warmup) {
    gauge_->setProgress(step, of, warmup);
}

void ControlBar::setGauge(const GaugeState& state) {
    gauge_->setState(state);
}

/// Shows Run's tooltip beside the button, so that it does not cover the tabs below.
bool ControlBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched != run_ || event->type() != QEvent::ToolTip) {
        return QWidget::eventFilter(watched, event);
    }
    constexpr int kLower = 16;  // a tooltip is shown this far below the position passed
    QToolTip::showText(run_->mapToGlobal(QPoint(run_->width() + 2, -kLower)), run_->toolTip(), run_);
    return true;
}

void ControlBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), widgets::theme().window);
    painter.fillRect(0, height() - 1, width(), 1, widgets::theme().border);
}

}  // namespace highwater::desktop

#include "moc_control_bar.cpp"
