#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

#include "core/volume/slice.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// Where one slice lies on screen: the physical aspect is kept, the whole slice fits at zoom 1.
struct SliceFrame {
    volume::SliceLayout layout;
    QRectF view;      ///< logical pixels
    double zoom = 1;  ///< kept in [kLeastZoom, kMostZoom] by zoomAt
    QPointF pan{};    ///< logical pixels

    static constexpr double kLeastZoom = 0.5, kMostZoom = 40;

    /// The slice's outline.
    QRectF target() const;
    /// Column and row, with fractions; pixel (0, 0)'s centre is (0, 0). May lie outside.
    QPointF toPixel(const QPointF& screen) const;
    QPointF toScreen(const QPointF& pixel) const;
    /// The voxel under a point; nothing outside the slice.
    std::optional<Index3> voxelAt(const QPointF& screen, std::int64_t index) const;
    /// The nearest voxel of the slice.
    Index3 nearestVoxel(const QPointF& screen, std::int64_t index) const;
    /// The outline of a box as this plane sees it, whichever slice is shown.
    QRectF outline(const PatchBox& box) const;
    /// True where slice `index` cuts the box.
    bool crosses(const PatchBox& box, std::int64_t index) const;
    /// Zooms so that what lies under `fixed` stays there.
    void zoomAt(const QPointF& fixed, double factor);
};

}  // namespace highwater::widgets
