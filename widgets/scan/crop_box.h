#pragma once

#include <QPointF>
#include <QRectF>
#include <optional>

#include "core/volume/slice.h"
#include "widgets/scan/patch_box.h"

/// Computations for the crop: which edge is held by the mouse, and the box after that edge is moved.
namespace highwater::widgets {

/// The box that covers a whole volume of this size.
PatchBox wholeBox(const Index3& size);
/// The part of the box inside a volume of this size; at least one voxel along each axis. Accepts any values.
PatchBox cutTo(const PatchBox& box, const Index3& size);

/// The edges being held: -1 left or top, 1 right or bottom, 0 none in that direction. A corner holds two
/// edges.
struct Grip {
    int column = 0, row = 0;
    bool operator==(const Grip&) const = default;
};
/// The edge or corner of an outline within `reach` pixels of a point, or std::nullopt. If two opposite edges
/// are within reach, the nearer one.
std::optional<Grip> gripAt(const QRectF& outline, const QPointF& at, double reach);

/// The box with the held edges moved by whole pixels of the slice, to the right and down on screen. It stays
/// inside the volume and keeps at least one voxel along each axis. Edges that are not held stay.
PatchBox withEdgesMoved(const PatchBox& box, const volume::SliceLayout& layout, const Grip& grip,
                        std::int64_t columns, std::int64_t rows, const Index3& size);

}  // namespace highwater::widgets
