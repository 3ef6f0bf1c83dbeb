#include "widgets/scan/slice/slice_frame.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {

QRectF SliceFrame::target() const {
    const double width = static_cast<double>(layout.width) * layout.columnSpacing;
    const double height = static_cast<double>(layout.height) * layout.rowSpacing;
    if (!(width > 0) || !(height > 0)) {
        return {};
    }
    const double scale = std::min(view.width() / width, view.height() / height) * zoom;  // pixels per mm
    QRectF r(0, 0, width * scale, height * scale);
    r.moveCenter(view.center() + pan);
    return r;
}

QPointF SliceFrame::toPixel(const QPointF& screen) const {
    const QRectF t = target();
    return {(screen.x() - t.left()) / t.width() * static_cast<double>(layout.width) - 0.5,
            (screen.y() - t.top()) / t.height() * static_cast<double>(layout.height) - 0.5};
}

QPointF SliceFrame::toScreen(const QPointF& pixel) const {
    const QRectF t = target();
    return {t.left() + (pixel.x() + 0.5) / static_cast<double>(layout.width) * t.width(),
            t.top() + (pixel.y() + 0.5) / static_cast<double>(layout.height) * t.height()};
}

std::optional<Index3> SliceFrame::voxelAt(const QPointF& screen, std::int64_t index) const {
    if (!target().contains(screen)) {
        return {};
    }
    return nearestVoxel(screen, index);
}

Index3 SliceFrame::nearestVoxel(const QPointF& screen, std::int64_t index) const {
    const QPointF p = toPixel(screen);
    const auto within = [](double at, std::int64_t size) {
        return std::clamp<std::int64_t>(std::llround(std::clamp(at, -1e9, 1e9)), 0, size - 1);
    };
    return layout.voxel(within(p.x(), layout.width), within(p.y(), layout.height), index);
}

QRectF SliceFrame::outline(const PatchBox& box) const {
    std::array<double, 3> from{}, to{};
    for (std::size_t a = 0; a < 3; ++a) {
        from[a] = static_cast<double>(box.start[a]) - 0.5;
        to[a] = from[a] + static_cast<double>(box.extent[a]);
    }
    const auto a = layout.pixel(from), b = layout.pixel(to);
    return QRectF(toScreen({a[0], a[1]}), toScreen({b[0], b[1]})).normalized();
}

bool SliceFrame::crosses(const PatchBox& box, std::int64_t index) const {
    const auto n = static_cast<std::size_t>(layout.normalAxis);
    return index >= box.start[n] && index < box.start[n] + box.extent[n];
}

void SliceFrame::zoomAt(const QPointF& fixed, double factor) {
    const QPointF pixel = toPixel(fixed);
    zoom = std::clamp(zoom * factor, kLeastZoom, kMostZoom);
    pan += fixed - toScreen(pixel);
}

}  // namespace highwater::widgets
