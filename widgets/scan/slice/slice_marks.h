#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

#include "widgets/scan/slice/slice_frame.h"

class QFontMetrics;
class QPainter;

/// What is drawn over a slice: letters, crosshair, scale bar, the boxes with their handles and sizes.
namespace highwater::widgets {

/// The colour that stands for a plane: its name, and its line in the other views.
QColor planeColour(volume::Plane plane);
/// The plane that a column (across the picture) of this plane's slices lies in, and a row.
volume::Plane planeOfColumns(volume::Plane plane);
volume::Plane planeOfRows(volume::Plane plane);

/// The cursor's lines, each in the colour of the plane it stands for, open around the cursor.
void paintCrosshair(QPainter& painter, const SliceFrame& frame, const Index3& cursor);
/// R, L, A, P, S, I at the edges.
void paintLetters(QPainter& painter, const SliceFrame& frame);

/// A length of 1, 2 or 5 times a power of ten, at most `mostPixels` long on screen.
struct ScaleBar {
    double length = 0;  ///< mm, or voxels where the spacing is unknown; 0: none fits
    double pixels = 0;
};
ScaleBar scaleBar(double pixelsPerUnit, double mostPixels);
void paintScaleBar(QPainter& painter, const SliceFrame& frame, bool spacingKnown);

/// Darkens what lies outside the crop; with handles where `handles`.
void paintCrop(QPainter& painter, const SliceFrame& frame, const PatchBox& crop, std::int64_t index,
               bool handles);

/// A small tab with the patch's size in this plane, by which it can be dragged: "96 × 64 · 82.5 × 55.0 mm".
struct PatchLabel {
    QString text;
    QRectF tab;  ///< above the box's left corner, inside it where there is no room; null: no edge is in view
};
PatchLabel patchLabel(const SliceFrame& frame, const PatchBox& patch, const QFontMetrics& metrics,
                      bool spacingKnown);
void paintPatch(QPainter& painter, const SliceFrame& frame, const PatchBox& patch, std::int64_t index,
                bool spacingKnown);

/// Degrees between the slices and the patient's plane that they are named after.
double tilt(const volume::Geometry& geometry, const volume::SliceLayout& layout);

}  // namespace highwater::widgets
