#include "app/desktop/prediction/growth_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/prediction/forecast_values.h"
#include "widgets/controls/search_combo.h"
#include "widgets/plot/growth_plot.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/tab_order.h"

namespace highwater::desktop {

namespace {

constexpr int kSettleMs = 150;     ///< a drag has ended, or is slow enough
constexpr int kMostValues = 4096;  ///< the limit of predict::scanAxis

QSpinBox* sizeBox(QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(1, 100'000);
    box->setKeyboardTracking(false);
    box->setFixedWidth(84);
    return box;
}

QWidget* labeled(const QString& label, QWidget* field) {
    auto* cell = new QWidget;
    auto* layout = widgets::makeLayout<QVBoxLayout>(cell, 2);
    auto* text = new QLabel(label);
    text->setProperty("muted", true);
    text->setBuddy(field);
    field->setAccessibleName(label);
    field->setObjectName(label);
    layout->addWidget(text);
    layout->addWidget(field);
    return cell;
}

}  // namespace

GrowthDialog::GrowthDialog(ExperimentDocument& document, TargetField& targets, QWidget* parent)
    : QDialog(parent), document_(document), targets_(targets) {
    setWindowTitle(tr("How memory grows"));
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addLayout(makeFields(targets));
    plot_ = new widgets::GrowthPlot(this);
    layout->addWidget(plot_, 1);

    auto* foot = widgets::makeLayout<QHBoxLayout>(nullptr, 10, {12, 8, 12, 12});
    note_ = new QLabel(this);
    note_->setProperty("muted", true);
    note_->setWordWrap(true);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedSize(160, 8);
    cancel_ = new QPushButton(tr("Cancel"), this);
    auto* close = new QPushButton(tr("Close"), this);
    foot->addWidget(note_, 1);
    foot->addWidget(progress_);
    foot->addWidget(cancel_);
    foot->addWidget(close);
    layout->addLayout(foot);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        scan_.cancel();
        finish(tr("cancelled"));
    });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(plot_, &widgets::GrowthPlot::valueChosen, this,
            [this](qint64 value) { emit sizeChosen(QString::fromStdString(scanned_.axis), value); });
    connect(&scan_, &GrowthScan::progressed, this, &GrowthDialog::showCurve);
    connect(&scan_, &GrowthScan::finished, this, &GrowthDialog::finish);
    later_.setSingleShot(true);
    later_.setInterval(kSettleMs);
    connect(&later_, &QTimer::timeout, this, &GrowthDialog::scan);
    widgets::pressOnlyFocusedButtons(*this);
    resize(widgets::onScreen(*this, {820, 520}));
    offerAxes();
    chooseAxis();
}

QLayout* GrowthDialog::makeFields(TargetField& targets) {
    auto* row = widgets::makeLayout<QHBoxLayout>(nullptr, 12, {12, 10, 12, 10});
    axis_ = new QComboBox(this);
    axis_->setFixedWidth(120);
    from_ = sizeBox(this);
    to_ = sizeBox(this);
    step_ = sizeBox(this);
    device_ = new widgets::SearchCombo(this);
    for (const TargetItem& item : targets.targets()) {
        device_->addItem(item.title, item.id);
    }
    device_->setCurrentIndex(device_->findData(targets.choice().id));
    row->addWidget(labeled(tr("Axis"), axis_));
    row->addWidget(labeled(tr("From"), from_));
    row->addWidget(labeled(tr("To"), to_));
    row->addWidget(labeled(tr("In steps of"), step_));
    row->addWidget(labeled(tr("Device"), device_));
    row->addStretch(1);
    connect(axis_, &QComboBox::currentIndexChanged, this, &GrowthDialog::chooseAxis);
    connect(device_, &QComboBox::currentIndexChanged, this, &GrowthDialog::scan);
    for (QSpinBox* box : {from_, to_, step_}) {
        connect(box, &QSpinBox::valueChanged, this, [this] { later_.start(); });
    }
    connect(&targets, &TargetField::changed, this, [this](const TargetChoice& choice) {
        device_->setCurrentIndex(device_->findData(choice.id));
        later_.start();  // its versions may differ
    });
    return row;
}

void GrowthDialog::offerAxes() {
    const QSignalBlocker quiet(axis_);
    const QString before = axis_->currentData().toString();
    axis_->clear();
    for (const std::string& axis : axesOf(document_.experiment())) {
        axis_->addItem(axisWord(axis), QString::fromStdString(axis));
    }
    axis_->setCurrentIndex(std::max(0, axis_->findData(before)));
}

void GrowthDialog::chooseAxis() {
    const predict::AxisScan scan =
        defaultScan(document_.experiment(), axis_->currentData().toString().toStdString());
    {
        const QSignalBlocker quiet[] = {QSignalBlocker(from_), QSignalBlocker(to_), QSignalBlocker(step_)};
        from_->setValue(static_cast<int>(scan.from));
        to_->setValue(static_cast<int>(scan.to));
        step_->setValue(static_cast<int>(scan.step));
    }
    this->scan();
}

void GrowthDialog::experimentChanged() {
    if (axesOf(document_.experiment()).size() != static_cast<std::size_t>(axis_->count())) {
        offerAxes();
    }
    later_.start();
}

predict::AxisScan GrowthDialog::request() const {
    predict::AxisScan scan;
    scan.axis = axis_->currentData().toString().toStdString();
    scan.from = from_->value();
    scan.to = to_->value();
    scan.step = step_->value();
    return scan;
}

TargetChoice GrowthDialog::target() const {
    TargetChoice choice = targets_.choice();
    choice.id = device_->currentData().toString();
    return choice;
}

void GrowthDialog::scan() {
    later_.stop();
    scanned_ = request();
    const auto refuse = [this](const QString& why) {
        scan_.cancel();
        plot_->setHint(why);
        plot_->setCurve({});
        finish(why);
    };
    if (const auto& info = document_.info(); !info) {
        return refuse(plainError(info.error()));
    }
    if (scanned_.to < scanned_.from) {
        return refuse(tr("the range ends before it begins: make “To” at least %1").arg(scanned_.from));
    }
    if ((scanned_.to - scanned_.from) / scanned_.step >= kMostValues) {
        return refuse(tr("more than %1 sizes: use larger steps").arg(kMostValues));
    }
    progress_->setValue(0);
    progress_->show();
    cancel_->show();
    plot_->setHint(tr("Predicting…"));
    scan_.start({document_.experiment(), target(), scanned_});
}

void GrowthDialog::showCurve(const predict::AxisCurve& curve, qint64 capacity, double done) {
    widgets::GrowthCurve shown = toGrowth(curve, scanned_, target().id != "cpu");
    shown.device = device_->currentText();
    shown.capacity = capacity;
    shown.current = sizeAlong(document_.experiment(), scanned_.axis);
    plot_->setCurve(std::move(shown));
    progress_->setValue(static_cast<int>(done * 1000));
    QString note = tr("%1 sizes").arg(curve.points.size());
    if (curve.leftOut > 0) {
        note += tr("; %1 other sizes do not suit the stack").arg(curve.leftOut);
    }
    note += tr(", against the device's memory; the budget is ignored. Click the curve to use a size.");
    if (target().id != "cpu") {
        note += tr(" cuDNN is then asked about it and may need more.");
    }
    note_->setText(note);
}

void GrowthDialog::finish(const QString& problem) {
    progress_->hide();
    cancel_->hide();
    if (problem.isEmpty()) {
        return;
    }
    note_->setText(problem);
    if (plot_->curve().points.empty()) {
        plot_->setHint(problem);
    }
}

}  // namespace highwater::desktop

#include "moc_growth_dialog.cpp"
