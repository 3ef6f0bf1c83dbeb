#include "widgets/scan/crop_box.h"

#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 40;  // beyond any volume, far from overflow

/// -1 or 1 for the nearer of the two ends if it is within reach, otherwise 0.
int nearerEnd(double at, double low, double high, double reach) {
    const double toLow = std::abs(at - low), toHigh = std::abs(at - high);
    if (std::min(toLow, toHigh) > reach) {
        return 0;
    }
    return toLow < toHigh ? -1 : 1;
}

/// Moves one end of [start, start + extent) by `by` voxels.
void moveEnd(std::int64_t& start, std::int64_t& extent, bool lowEnd, std::int64_t by, std::int64_t size) {
    const std::int64_t end = start + extent;
    if (lowEnd) {
        start = std::clamp<std::int64_t>(start + by, 0, end - 1);
        extent = end - start;
    } else {
        extent = std::clamp<std::int64_t>(end + by, start + 1, size) - start;
    }
}

}  // namespace

PatchBox wholeBox(const Index3& size) {
    return {{}, size};
}

PatchBox cutTo(const PatchBox& box, const Index3& size) {
    PatchBox out;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t start = std::clamp(box.start[a], -kFar, kFar);
        const std::int64_t end = start + std::clamp(box.extent[a], std::int64_t{1}, kFar);
        const std::int64_t last = std::max<std::int64_t>(size[a], 1) - 1;
        out.start[a] = std::clamp<std::int64_t>(start, 0, last);
        out.extent[a] = std::clamp<std::int64_t>(end, out.start[a] + 1, last + 1) - out.start[a];
    }
    return out;
}

std::optional<Grip> gripAt(const QRectF& outline, const QPointF& at, double reach) {
    if (!outline.adjusted(-reach, -reach, reach, reach).contains(at)) {
        return {};
    }
    const Grip grip{nearerEnd(at.x(), outline.left(), outline.right(), reach),
                    nearerEnd(at.y(), outline.top(), outline.bottom(), reach)};
    if (grip == Grip{}) {
        return {};
    }
    return grip;
}

PatchBox withEdgesMoved(const PatchBox& box, const volume::SliceLayout& layout, const Grip& grip,
                        std::int64_t columns, std::int64_t rows, const Index3& size) {
    PatchBox out = box;
    const auto move = [&](int axis, int side, bool flip, std::int64_t by) {
        if (side == 0) {
            return;
        }
        const auto a = static_cast<std::size_t>(axis);
        moveEnd(out.start[a], out.extent[a], (side < 0) != flip, flip ? -by : by, size[a]);
    };
    move(layout.columnAxis, grip.column, layout.flipColumns, columns);
    move(layout.rowAxis, grip.row, layout.flipRows, rows);
    return out;
}

}  // namespace highwater::widgets
