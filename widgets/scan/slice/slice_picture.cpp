#include "widgets/scan/slice/slice_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/heat.h"
#include "widgets/scan/slice/label_image.h"

namespace highwater::widgets {
namespace {

constexpr double kMagnified = 1.5;  // device pixels per voxel from which the interpolation is noted

/// Pixels of the slice per device pixel, at least 1.
std::int64_t blockFor(double devicePixelsPerPixel) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(1 / std::max(devicePixelsPerPixel, 1e-9)));
}

/// First pixel and count that cover [low, high], in whole blocks from the start of the slice.
std::pair<std::int64_t, std::int64_t> span(double low, double high, std::int64_t block, std::int64_t size) {
    const auto whole = [&](double at) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0, size - 1);
    };
    const std::int64_t first = whole(low - 1) / block * block;  // one more, for the interpolation at the edge
    const std::int64_t last = std::min(size - 1, whole(high + 1) / block * block + block - 1);
    return {first, last - first + 1};
}

/// Device pixels per pixel of the slice, across and down.
QPointF magnification(const SliceFrame& frame, double devicePixelRatio) {
    const QRectF t = frame.target();
    return {t.width() / static_cast<double>(frame.layout.width) * devicePixelRatio,
            t.height() / static_cast<double>(frame.layout.height) * devicePixelRatio};
}

}  // namespace

volume::SliceRegion regionInView(const SliceFrame& frame, double devicePixelRatio) {
    const QRectF seen = frame.target().intersected(frame.view);
    if (seen.isEmpty()) {
        return {};
    }
    const QPointF scale = magnification(frame, devicePixelRatio);
    const QPointF from = frame.toPixel(seen.topLeft()), to = frame.toPixel(seen.bottomRight());
    volume::SliceRegion region;
    region.blockColumns = blockFor(scale.x());
    region.blockRows = blockFor(scale.y());
    std::tie(region.column, region.width) = span(from.x(), to.x(), region.blockColumns, frame.layout.width);
    std::tie(region.row, region.height) = span(from.y(), to.y(), region.blockRows, frame.layout.height);
    return region;
}

QImage grayImage(const std::vector<float>& values, std::int64_t columns, const volume::Window& window,
                 bool inverted) {
    const auto rows = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(columns, 1);
    QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_RGB32);
    const auto low = static_cast<float>(window.low), scale = static_cast<float>(255 / window.width());
    const QRgb mark = kNotANumber.rgb(), flip = inverted ? 0x00ffffffU : 0;
    const float* value = values.data();
    for (std::int64_t row = 0; row < rows; ++row, value += columns) {
        auto* const line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(row)));
        for (std::int64_t c = 0; c < columns; ++c) {
            const float at = std::max(0.0F, std::min((value[c] - low) * scale + 0.5F, 255.5F));
            const QRgb gray = 0xff000000U | static_cast<QRgb>(static_cast<int>(at)) * 0x010101U;
            line[c] = std::isnan(value[c]) ? mark : gray ^ flip;
        }
    }
    return image;
}

void paintRegion(QPainter& painter, const SliceFrame& frame, const volume::SliceRegion& region,
                 const QImage& picture) {
    // The last block of a row or column may be narrower than a pixel of the picture.
    const QRectF source(0, 0, static_cast<double>(region.width) / static_cast<double>(region.blockColumns),
                        static_cast<double>(region.height) / static_cast<double>(region.blockRows));
    const auto left = static_cast<double>(region.column), top = static_cast<double>(region.row);
    const QRectF target(frame.toScreen({left - 0.5, top - 0.5}),
                        frame.toScreen({left - 0.5 + static_cast<double>(region.width),
                                        top - 0.5 + static_cast<double>(region.height)}));
    painter.drawImage(target, picture, source);
}

void SlicePicture::clear() {
    *this = {};
}

void SlicePicture::paint(QPainter& painter, const ScanScene& scene, const SliceFrame& frame,
                         std::int64_t index) {
    const double ratio = painter.device()->devicePixelRatioF();
    const volume::SliceRegion region = regionInView(frame, ratio);
    if (region.width <= 0 || region.height <= 0) {
        return;
    }
    readValues(scene, frame, index, region);
    refreshGray(scene);
    refreshLabels(scene, frame);
    refreshHeat(scene, frame);
    const QPointF scale = magnification(frame, ratio);
    painter.save();
    painter.setClipRect(frame.view, Qt::IntersectClip);
    painter.setRenderHint(QPainter::SmoothPixmapTransform,
                          scene.smooth() || std::min(scale.x(), scale.y()) < 1);
    paintRegion(painter, frame, region, gray_);
    if (!labels_.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        paintRegion(painter, frame, region, labels_);
    }
    if (!heat_.isNull()) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        paintRegion(painter, frame, region, heat_);
    }
    painter.restore();
}

void SlicePicture::readValues(const ScanScene& scene, const SliceFrame& frame, std::int64_t index,
                              const volume::SliceRegion& region) {
    if (index == index_ && region == region_) {
        return;
    }
    index_ = index;
    region_ = region;
    values_ = volume::regionValues(scene.volume(), frame.layout, index, region);
    hasNan_ = std::ranges::any_of(values_, [](float v) { return std::isnan(v); });
    gray_ = {};
    labels_ = {};
    heat_ = {};
}

void SlicePicture::refreshGray(const ScanScene& scene) {
    if (!gray_.isNull() && window_ == scene.window() && inverted_ == scene.inverted()) {
        return;
    }
    window_ = scene.window();
    inverted_ = scene.inverted();
    gray_ = grayImage(values_, region_.columns(), window_, inverted_);
}

void SlicePicture::refreshLabels(const ScanScene& scene, const SliceFrame& frame) {
    if (!scene.showsLabels()) {
        labels_ = {};
    } else if (labels_.isNull()) {
        labels_ =
            labelImage(scene.labels(), scene.geometry(), frame.layout, index_, region_, scene.labelOpacity());
    }
}

void SlicePicture::refreshHeat(const ScanScene& scene, const SliceFrame& frame) {
    if (scene.overlay().empty()) {
        heat_ = {};
        overlay_ = nullptr;
        return;
    }
    if (!heat_.isNull() && overlay_ == scene.overlay().data() && opacity_ == scene.overlayOpacity()) {
        return;
    }
    overlay_ = scene.overlay().data();
    opacity_ = scene.overlayOpacity();
    heat_ = heatImage(scene.overlay(), scene.geometry(), frame.layout, index_, region_, opacity_);
}

QStringList SlicePicture::notes(const ScanScene& scene, const SliceFrame& frame, bool brief) const {
    QStringList lines;
    const QPointF scale = magnification(frame, 1);
    if (region_.blockColumns > 1 || region_.blockRows > 1) {
        lines += (brief ? QObject::tr("mean of %1 × %2") : QObject::tr("mean of %1 × %2 voxels"))
                     .arg(region_.blockColumns)
                     .arg(region_.blockRows);
    } else if (!brief && scene.smooth() && std::max(scale.x(), scale.y()) > kMagnified) {
        lines += QObject::tr("smoothed");
    }
    if (hasNan_) {
        lines += brief ? QObject::tr("purple: NaN") : QObject::tr("purple: not a number");
    }
    return lines;
}

}  // namespace highwater::widgets
