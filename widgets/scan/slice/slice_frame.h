#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

#include "core/volume/slice.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// The placement of one slice on screen. The physical aspect ratio is kept, and the whole slice fits at zoom
/// 1.
struct SliceFrame {
    volume::SliceLayout layout;
    QRectF view;      ///< logical pixels
    double zoom = 1;  ///< zoomAt keeps it in [kLeastZoom, kMostZoom]
    QPointF pan{};    ///< logical pixels

    static constexpr double kLeastZoom = 0.5, kMostZoom = 40;

    /// The outline of the slice on screen.
    QRectF target() const;
    /// Column and row, with fractions. The center of pixel (0, 0) is (0, 0). The result may be outside the
    /// slice.
    QPointF toPixel(const QPointF& screen) const;
    QPointF toScreen(const QPointF& pixel) const;
    /// The voxel under a point; std::nullopt outside the slice.
    std::optional<Index3> voxelAt(const QPointF& screen, std::int64_t index) const;
    /// The nearest voxel of the slice.
    Index3 nearestVoxel(const QPointF& screen, std::int64_t index) const;
    /// The outline of a box as seen in this plane, whichever slice is shown.
    QRectF outline(const PatchBox& box) const;
    /// True where slice `index` cuts the box.
    bool crosses(const PatchBox& box, std::int64_t index) const;
    /// Zooms so that the point under `fixed` stays where it is.
    void zoomAt(const QPointF& fixed, double factor);
};

}  // namespace highwater::widgets
