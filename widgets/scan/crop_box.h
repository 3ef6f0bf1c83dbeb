#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

#include "core/volume/slice.h"
#include "widgets/scan/patch_box.h"

/// The crop's arithmetic: which edge the mouse holds, and what becomes of the box when it is moved.
namespace highwater::widgets {

/// All of a volume of this size.
PatchBox wholeBox(const Index3& size);
/// The box's part inside a volume of this size; never less than one voxel an axis. Safe for any numbers.
PatchBox cutTo(const PatchBox& box, const Index3& size);

/// The edges held: -1 left or top, 1 right or bottom, 0 none of that direction. A corner holds two.
struct Grip {
    int column = 0, row = 0;
    bool operator==(const Grip&) const = default;
};
/// The edge or corner of an outline within `reach` pixels of a point. Where opposite edges are both near, the
/// nearer.
std::optional<Grip> gripAt(const QRectF& outline, const QPointF& at, double reach);

/// The box with the held edges moved by whole pixels of the slice, to the right and down on screen. It stays
/// inside the volume and keeps at least one voxel; edges that are not held stay.
PatchBox withEdgesMoved(const PatchBox& box, const volume::SliceLayout& layout, const Grip& grip,
                        std::int64_t columns, std::int64_t rows, const Index3& size);

}  // namespace highwater::widgets
