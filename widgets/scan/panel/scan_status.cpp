#include "widgets/scan/panel/scan_status.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/volume/windowing.h"
#include "widgets/scan/panel/scan_icons.h"
#include "widgets/scan/panel/scan_keys.h"
#include "widgets/scan/panel/window_editor.h"
#include "widgets/scan/panel/window_menu.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/scan_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::widgets {
namespace {

bool same(const volume::Window& a, const volume::Window& b) {
    const double near = 1e-6 * b.width();
    return std::abs(a.low - b.low) < near && std::abs(a.high - b.high) < near;
}

ElidedLabel* smallLabel(const char* name, QWidget* parent) {
    auto* const label = new ElidedLabel(parent);
    label->setObjectName(name);
    label->setMuted(true);
    label->setFont(smallFont(parent->font()));
    return label;
}

}  // namespace

ScanStatus::ScanStatus(ScanScene& scene, QWidget* parent)
    : QWidget(parent),
      scene_(scene),
      position_(smallLabel("scanPosition", this)),
      cropText_(smallLabel("scanCrop", this)),
      menu_(new WindowMenu(scene, this)),
      editor_(new WindowEditor(scene, this)),
      keyList_(new ScanKeyList(this)) {
    makeButtons();
    layOut();
    connect(numbers_, &QToolButton::clicked, this, [this] { editor_->open(numbers_); });
    connect(presets_, &QToolButton::clicked, this,
            [this] { menu_->open(presets_, plane_, *histogram_, presetId()); });
    connect(menu_, &WindowMenu::chosen, this, &ScanStatus::choosePreset);
    connect(keys_, &QToolButton::clicked, this, &ScanStatus::openKeys);
    connect(windowMode_, &QToolButton::toggled, this, &ScanStatus::windowModeChanged);
    connect(inverted_, &QToolButton::clicked, &scene_, &ScanScene::setInverted);
    connect(crosshair_, &QToolButton::clicked, &scene_, &ScanScene::setCrosshair);
    connect(crop_, &QToolButton::clicked, &scene_, &ScanScene::setCropping);
    connect(measure_, &QToolButton::clicked, &scene_, &ScanScene::setMeasuring);
    connect(&scene_, &ScanScene::distancesChanged, this,
            [this] { measure_->setChecked(scene_.measuring()); });
    connect(wholeVolume_, &QToolButton::clicked, this, [this] { scene_.setCrop({}); });
    connect(&scene_, &ScanScene::windowChanged, this, &ScanStatus::refresh);
    connect(&scene_, &ScanScene::cropChanged, this, &ScanStatus::refreshCrop);
    connect(&scene_, &ScanScene::cursorChanged, this, &ScanStatus::refreshPosition);
    connect(&scene_, &ScanScene::channelsChanged, this, &ScanStatus::refreshPosition);
    connect(&scene_, &ScanScene::volumeChanged, this, [this] {
        hovered_.reset();
        refresh();
        refreshCrop();
    });
    connect(&scene_, &ScanScene::labelsChanged, this, &ScanStatus::refreshLabels);
    connect(labels_, &QToolButton::toggled, this, &ScanStatus::labelListChanged);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &ScanStatus::refreshIcons);
    refreshIcons();
    refresh();
    refreshCrop();
    refreshLabels();
}

void ScanStatus::makeButtons() {
    const auto button = [this](const char* name, const QString& tip) {
        auto* const b = new QToolButton(this);
        b->setObjectName(name);
        b->setToolTip(tip);
        b->setFont(smallFont(font()));
        return b;
    };
    numbers_ =
        button("windowNumbers", tr("Window width (W) and level (L): the values shown from black to white.\n"
                                   "Click to type them, or drag in a slice with the right button: "
                                   "sideways the width, up and down the level."));
    presets_ = button("windowPreset", tr("Windows for common kinds of scans"));
    presets_->setAccessibleName(tr("Window preset"));
    keys_ = makeIconButton("scanKeysButton", tr("What mouse and keys do here (?)"));
    wholeVolume_ = new QToolButton(this);
    wholeVolume_->setObjectName("wholeVolume");
    wholeVolume_->setToolTip(tr("Show the whole volume again (Shift and C)"));
    wholeVolume_->setText(tr("reset"));
    wholeVolume_->setFont(smallFont(font()));
    wholeVolume_->setProperty("link", true);
    windowMode_ = makeIconButton("windowMode", tr("The left button changes the window too (W)"));
    inverted_ = makeIconButton("inverted", tr("Invert: low values white (I)"));
    crosshair_ = makeIconButton("crosshair", tr("Crosshair (X)"));
    crop_ = makeIconButton("crop", tr("Crop what the views show; what the network gets does not change (C)"));
    measure_ =
        makeIconButton("measure", tr("Measure a distance: drag, or click at both ends; by keys Enter at "
                                     "each end (M)"));
    labels_ =
        makeIconButton("labels", tr("The list of labels: names, colors, sizes; L shows or hides them all"));
    for (QToolButton* each : {windowMode_, inverted_, crosshair_, crop_, measure_, labels_}) {
        each->setCheckable(true);
    }
}

QToolButton* ScanStatus::makeIconButton(const char* name, const QString& tip) {
    auto* const button = new QToolButton(this);
    button->setObjectName(name);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setProperty("slim", true);
    button->setFixedWidth(24);
    return button;
}

void ScanStatus::layOut() {
    auto* const switches = new QWidget(this);
    auto* const row = makeLayout<QHBoxLayout>(switches, 2);
    row->addStretch();
    for (QToolButton* b : {windowMode_, inverted_, crosshair_, crop_, measure_, labels_, keys_}) {
        row->addWidget(b);
    }
    auto* const tools = new FlowLayout;  // in a narrow panel the switches wrap to a second line
    tools->setSpacing(2);
    tools->addWidget(numbers_);
    tools->addWidget(presets_);
    tools->addWidget(switches);
    constexpr int kIndent = 6;  // where the text of a button starts
    auto* const place = new QHBoxLayout;
    place->addSpacing(kIndent);
    place->addWidget(position_, 1);
    auto* const crop = new QHBoxLayout;
    crop->addSpacing(kIndent);
    crop->addWidget(cropText_, 1);
    crop->addWidget(wholeVolume_);
    setMinimumWidth(226);  // the width of window and preset on one line
    auto* const column = makeLayout<QVBoxLayout>(this, 1, {2, 2, 6, 3});
    column->addLayout(tools);
    column->addLayout(place);
    column->addLayout(crop);
    QWidget* before = numbers_;
    for (QWidget* next :
         {presets_, windowMode_, inverted_, crosshair_, crop_, measure_, labels_, keys_, wholeVolume_}) {
        setTabOrder(std::exchange(before, next), next);
    }
}

void ScanStatus::refreshIcons() {
    const auto set = [](QToolButton* button, ScanGlyph glyph) {
        button->setIcon(scanIcon(glyph, theme().text));
        button->setIconSize({16, 16});
    };
    set(windowMode_, ScanGlyph::Window);
    set(inverted_, ScanGlyph::Invert);
    set(crosshair_, ScanGlyph::Crosshair);
    set(crop_, ScanGlyph::Crop);
    set(measure_, ScanGlyph::Measure);
    set(labels_, ScanGlyph::Labels);
    set(keys_, ScanGlyph::Keys);
}

void ScanStatus::setHistogram(const volume::Histogram& histogram) {
    histogram_ = histogram;
    refresh();
}

void ScanStatus::clearHistogram() {
    histogram_.reset();
    refresh();
}

void ScanStatus::resetWindow() {
    if (histogram_ && !scene_.volume().empty()) {
        scene_.setWindow(volume::defaultWindow(scene_.volume().header(), *histogram_));
    }
}

void ScanStatus::choosePreset(const QString& id) {
    if (!histogram_) {
        return;
    }
    if (const auto window = volume::presetWindow(id.toStdString(), *histogram_)) {
        scene_.setWindow(*window);
    }
}

void ScanStatus::setHovered(const std::optional<Index3>& voxel) {
    if (hovered_ == voxel) {
        return;
    }
    hovered_ = voxel;
    refreshPosition();
}

void ScanStatus::setWindowMode(bool on) {
    windowMode_->setChecked(on);
}

bool ScanStatus::windowMode() const {
    return windowMode_->isChecked();
}

void ScanStatus::openKeys() {
    keyList_->open(keys_);
}

QString ScanStatus::windowText() const {
    return QString("W %1  L %2")
        .arg(windowNumber(scene_.window().width()), windowNumber(scene_.window().level()));
}

QString ScanStatus::positionText() const {
    return position_->text();
}

QString ScanStatus::presetId() const {
    for (const volume::WindowPreset& preset : volume::windowPresets()) {
        if (!histogram_) {
            break;
        }
        if (const auto window = volume::presetWindow(preset.id, *histogram_);
            window && same(*window, scene_.window())) {
            return fromUtf8(preset.id);
        }
    }
    return {};
}

void ScanStatus::refresh() {
    numbers_->setText(windowText());
    const QString id = presetId();
    QString name = tr("custom");
    for (const volume::WindowPreset& preset : volume::windowPresets()) {
        if (fromUtf8(preset.id) == id) {
            name = fromUtf8(preset.name);
        }
    }
    presets_->setText(name + " ▾");
    presets_->setEnabled(histogram_.has_value());
    inverted_->setChecked(scene_.inverted());
    refreshPosition();
}

void ScanStatus::refreshPosition() {
    crosshair_->setChecked(scene_.crosshair());
    position_->setText(scene_.volume().empty()
                           ? QString()
                           : voxelText(scene_.volume(), hovered_.value_or(scene_.cursor()), scene_.channels(),
                                       scene_.labels()));
}

bool ScanStatus::labelListOpen() const {
    return labels_->isChecked() && !scene_.labels().empty();
}

void ScanStatus::setLabelListOpen(bool on) {
    labels_->setChecked(on);
}

void ScanStatus::refreshLabels() {
    labels_->setVisible(!scene_.labels().empty());
    refreshPosition();
    emit labelListChanged();
}

void ScanStatus::refreshCrop() {
    crop_->setChecked(scene_.cropping());
    const bool shown = !scene_.volume().empty() && (scene_.cropping() || scene_.crop());
    cropText_->setVisible(shown);
    wholeVolume_->setVisible(shown);
    wholeVolume_->setEnabled(scene_.crop().has_value());
    if (shown) {
        cropText_->setText(tr("crop %1").arg(boxText(scene_.cropOrAll(), scene_.volume().header())));
    }
}

}  // namespace highwater::widgets

#include "moc_scan_status.cpp"
