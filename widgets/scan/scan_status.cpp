#include "widgets/scan/scan_status.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <cmath>

#include "core/volume/slice.h"
#include "core/volume/windowing.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

constexpr QSize kThumbnail(18, 18);

/// Few digits, a real minus sign.
QString number(double value, char format, int digits) {
    return QString::number(value, format, digits).replace('-', QChar(0x2212));
}

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<int>(text.size()));
}

/// Whole numbers where they are large enough to need no decimals.
QString windowNumber(double value) {
    return std::abs(value) >= 20 ? number(std::round(value), 'f', 0) : number(value, 'g', 3);
}

}  // namespace

QString voxelText(const volume::Volume& volume, const Index3& voxel) {
    const auto mm = volume.geometry().toMillimetres(
        {static_cast<double>(voxel[0]), static_cast<double>(voxel[1]), static_cast<double>(voxel[2])});
    const double value = volume.at(voxel[0], voxel[1], voxel[2]);
    return QString("(%1, %2, %3) mm = %4")
        .arg(number(mm[0], 'f', 1), number(mm[1], 'f', 1), number(mm[2], 'f', 1),
             std::isfinite(value) ? number(value, 'g', 6) : ScanStatus::tr("not a number"));
}

ScanStatus::ScanStatus(ScanScene& scene, QWidget* parent) : QWidget(parent), scene_(scene) {
    window_ = new QToolButton(this);
    window_->setObjectName("windowMode");
    window_->setCheckable(true);
    window_->setToolTip(
        tr("Window width (W) and level (L): the values shown from black to white.\n"
           "Drag with the right button to change them: sideways the width, up and down the "
           "level.\nChecked: the left button does so too."));
    presets_ = new QComboBox(this);
    presets_->setObjectName("windowPreset");
    presets_->setToolTip(tr("Windows for common kinds of scans"));
    presets_->setPlaceholderText(tr("custom"));
    presets_->setIconSize(kThumbnail);
    presets_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const volume::WindowPreset& preset : volume::windowPresets())
        presets_->addItem(fromView(preset.name), fromView(preset.id));
    position_ = new ElidedLabel(this);
    position_->setObjectName("scanPosition");
    position_->setMuted(true);
    position_->setFont(smallFont(font()));
    window_->setFont(smallFont(font()));
    presets_->setFont(smallFont(font()));
    auto* const layout = new QHBoxLayout(this);
    layout->setContentsMargins(2, 2, 6, 2);
    layout->setSpacing(4);
    layout->addWidget(window_);
    layout->addWidget(presets_);
    layout->addWidget(position_, 1);

    connect(window_, &QToolButton::toggled, this, &ScanStatus::windowModeChanged);
    connect(presets_, &QComboBox::activated, this, &ScanStatus::choosePreset);
    connect(&scene_, &ScanScene::windowChanged, this, &ScanStatus::refresh);
    connect(&scene_, &ScanScene::cursorChanged, this, &ScanStatus::refreshPosition);
    connect(&scene_, &ScanScene::volumeChanged, this, [this] {
        hovered_.reset();
        refresh();
    });
    refresh();
}

void ScanStatus::setHistogram(const volume::Histogram& histogram) {
    histogram_ = histogram;
    resetWindow();
    for (int row = 0; row < presets_->count(); ++row)
        if (const auto window =
                volume::presetWindow(presets_->itemData(row).toString().toStdString(), histogram))
            presets_->setItemIcon(row, thumbnail(*window));
    refresh();
}

void ScanStatus::clearHistogram() {
    histogram_.reset();
    for (int row = 0; row < presets_->count(); ++row)
        presets_->setItemIcon(row, {});
    refresh();
}

void ScanStatus::resetWindow() {
    if (histogram_ && !scene_.volume().empty())
        scene_.setWindow(volume::defaultWindow(scene_.volume().header(), *histogram_));
}

/// The middle axial slice under a window.
QIcon ScanStatus::thumbnail(const volume::Window& window) const {
    const auto layout = volume::sliceLayout(scene_.geometry(), volume::Plane::Axial);
    const auto grey = volume::sliceGrey(scene_.volume(), layout, layout.depth / 2, window);
    const QImage slice(grey.data(), static_cast<int>(layout.width), static_cast<int>(layout.height),
                       static_cast<int>(layout.width), QImage::Format_Grayscale8);
    const QSizeF mm(static_cast<double>(layout.width) * layout.columnSpacing,
                    static_cast<double>(layout.height) * layout.rowSpacing);
    const QSize size = mm.scaled(kThumbnail, Qt::KeepAspectRatio).toSize().expandedTo({1, 1});
    return QIcon(QPixmap::fromImage(slice.scaled(size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)));
}

void ScanStatus::choosePreset(int row) {
    if (!histogram_ || row < 0)
        return;
    if (const auto window =
            volume::presetWindow(presets_->itemData(row).toString().toStdString(), *histogram_))
        scene_.setWindow(*window);
}

void ScanStatus::setHovered(const std::optional<Index3>& voxel) {
    if (hovered_ == voxel)
        return;
    hovered_ = voxel;
    refreshPosition();
}

QString ScanStatus::windowText() const {
    return QString("W %1  L %2")
        .arg(windowNumber(scene_.window().width()), windowNumber(scene_.window().level()));
}

QString ScanStatus::positionText() const {
    return position_->text();
}

void ScanStatus::refresh() {
    window_->setText(windowText());
    int row = -1;
    for (int n = 0; histogram_ && row < 0 && n < presets_->count(); ++n) {
        const auto window = volume::presetWindow(presets_->itemData(n).toString().toStdString(), *histogram_);
        if (window && std::abs(window->low - scene_.window().low) < 1e-6 * scene_.window().width() &&
            std::abs(window->high - scene_.window().high) < 1e-6 * scene_.window().width())
            row = n;
    }
    presets_->setCurrentIndex(row);
    presets_->setEnabled(histogram_.has_value());
    refreshPosition();
}

void ScanStatus::refreshPosition() {
    position_->setText(
        scene_.volume().empty() ? QString() : voxelText(scene_.volume(), hovered_.value_or(scene_.cursor())));
}

}  // namespace highwater::widgets
