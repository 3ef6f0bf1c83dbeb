#pragma once

#include <QColor>
#include <QLineF>
#include <QRectF>
#include <QString>
#include <array>
#include <vector>

#include "widgets/scan/slice/slice_frame.h"
#include "widgets/scan/view_paint.h"

class QFontMetrics;
class QPainter;

/// What is drawn over a slice: letters, crosshair, scale bar, and the boxes with their handles and sizes.
namespace highwater::widgets {

/// The color of a plane, for its name and for its line in the other views.
QColor planeColor(volume::Plane plane);
/// The plane seen as a column of this plane's slices, and the plane seen as a row.
volume::Plane planeOfColumns(volume::Plane plane);
volume::Plane planeOfRows(volume::Plane plane);

/// Paints the cursor's lines, each in the color of its plane, with a gap around the cursor.
void paintCrosshair(QPainter& painter, const SliceFrame& frame, const Index3& cursor);
/// R, L, A, P, S or I at each of the four edges.
std::vector<ViewNote> letters(const SliceFrame& frame);

/// A scale bar: a length of 1, 2 or 5 times a power of ten, at most `mostPixels` long on screen.
struct ScaleBar {
    double length = 0;  ///< mm, or voxels if the spacing is unknown; 0 if no length fits
    double pixels = 0;
};
ScaleBar scaleBar(double pixelsPerUnit, double mostPixels);
/// The length of the bar, "50 mm"; no text if there is no bar.
ViewNote scaleNote(const SliceFrame& frame, bool spacingKnown);
/// The bar below that text.
void paintScaleBar(QPainter& painter, const SliceFrame& frame, bool spacingKnown);

/// The side of a crop handle in pixels, and the distance from an edge within which it can be grabbed.
inline constexpr double kHandle = 9;
/// The handles of a crop's outline: squares at its corners and the middles of its edges, moved into the view
/// if they would extend beyond it.
std::array<QRectF, 8> cropHandles(const QRectF& outline, const QRectF& view);
/// Darkens everything outside the crop. Draws its handles if `handles` is set.
void paintCrop(QPainter& painter, const SliceFrame& frame, const PatchBox& crop, std::int64_t index,
               bool handles);

/// A measured distance: a line with its ends and its length, visible on dark and bright pixels.
void paintDistance(QPainter& painter, const SliceFrame& frame, const QLineF& line, const QString& text,
                   bool chosen);

/// A small tab with the patch's size in this plane, "96 × 64 · 82.5 × 55.0 mm". Dragging the tab moves the
/// patch.
struct PatchLabel {
    QString text;
    /// Above the box's left corner, or inside the box if there is no room above. Null if no edge of the box
    /// is in view.
    QRectF tab;
};
PatchLabel patchLabel(const SliceFrame& frame, const PatchBox& patch, const QFontMetrics& metrics,
                      bool spacingKnown);
void paintPatch(QPainter& painter, const SliceFrame& frame, const PatchBox& patch, std::int64_t index,
                bool spacingKnown);

/// The angle in degrees between the slices and the anatomical plane that they are named after.
double tilt(const volume::Geometry& geometry, const volume::SliceLayout& layout);

}  // namespace highwater::widgets
