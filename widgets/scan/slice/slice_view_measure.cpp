// Measuring distances in a SliceView.
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/scan/slice/slice_view.h"

namespace highwater::widgets {
namespace {

constexpr double kEndReach = 8;  // pixels around an end within which it can be grabbed
constexpr double kDragFrom = 4;  // pixels; a shorter drag is a click

}  // namespace

/// Clamped to the picture; on the slice's own voxels along its normal.
std::array<double, 3> SliceView::placeAt(const QPointF& at) const {
    const QPointF pixel = frame_.toPixel(at);
    const auto& l = frame_.layout;
    const auto within = [](double value, std::int64_t size) {
        return std::clamp(value, -0.5, static_cast<double>(size) - 0.5);
    };
    const double column = within(pixel.x(), l.width), row = within(pixel.y(), l.height);
    const Index3 first = l.voxel(0, 0, index());
    std::array<double, 3> place{};
    for (std::size_t a = 0; a < 3; ++a) {
        place[a] = static_cast<double>(first[a]);
    }
    place[static_cast<std::size_t>(l.columnAxis)] += l.flipColumns ? -column : column;
    place[static_cast<std::size_t>(l.rowAxis)] += l.flipRows ? -row : row;
    return place;
}

QPointF SliceView::pointOf(const std::array<double, 3>& place) const {
    const auto pixel = frame_.layout.pixel(place);
    return frame_.toScreen({pixel[0], pixel[1]});
}

std::optional<SliceView::DistanceEnd> SliceView::distanceEnd(const QPointF& at) const {
    const auto& all = scene_.distances().all();
    for (std::size_t n = all.size(); n-- > 0;) {
        if (all[n].plane != plane() || all[n].index != index()) {
            continue;
        }
        for (const bool second : {true, false}) {
            const QPointF by = pointOf(second ? all[n].to : all[n].from) - at;
            if (std::hypot(by.x(), by.y()) <= kEndReach) {
                return DistanceEnd{n, second};
            }
        }
    }
    return {};
}

/// The second of two clicks closes a distance; a press on an end moves that end; any other press starts one.
void SliceView::pressMeasure(const QPointF& at) {
    byKeys_ = false;
    Distances distances = scene_.distances();
    second_ = true;
    secondClick_ = distances.open();
    if (secondClick_) {
        distances.moveEnd(true, placeAt(at));
    } else if (const auto end = distanceEnd(at)) {
        distances.choose(end->distance, false);
        second_ = end->second;
    } else {
        distances.begin(plane(), index(), placeAt(at));
    }
    scene_.setDistances(distances);
}

void SliceView::moveMeasure(const QPointF& at) {
    Distances distances = scene_.distances();
    distances.moveEnd(second_, placeAt(at));
    scene_.setDistances(distances);
}

/// A drag closes the distance; after a click its end follows the mouse until the next click.
void SliceView::releaseMeasure(const QPointF& at) {
    const QPointF by = at - dragFrom_;
    if (secondClick_ || std::hypot(by.x(), by.y()) >= kDragFrom) {
        Distances distances = scene_.distances();
        distances.close();
        scene_.setDistances(distances);
    }
}

/// Updates the open distance, whose end follows the mouse or the crosshair.
bool SliceView::followsMouse() const {
    const Distances& distances = scene_.distances();
    return distances.open() && !byKeys_ && distances.all()[*distances.chosen()].plane == plane() &&
           distances.all()[*distances.chosen()].index == index();
}

void SliceView::followCursor() {
    if (!byKeys_ || !scene_.distances().open()) {
        return;
    }
    Distances distances = scene_.distances();
    const Distance& open = distances.all()[*distances.chosen()];
    if (open.plane != plane() || open.index != index()) {  // scrolled away: the distance belongs to its slice
        distances.drop();
    } else {
        distances.moveEnd(true, cursorPlace());
    }
    scene_.setDistances(distances);
}

std::array<double, 3> SliceView::cursorPlace() const {
    const Index3& c = scene_.cursor();
    return {static_cast<double>(c[0]), static_cast<double>(c[1]), static_cast<double>(c[2])};
}

/// Enter sets one end at the crosshair, then the other.
void SliceView::markAtCursor() {
    Distances distances = scene_.distances();
    if (distances.open()) {
        distances.moveEnd(true, cursorPlace());
        distances.close();
        byKeys_ = false;
    } else {
        distances.begin(plane(), index(), cursorPlace());
        byKeys_ = true;
    }
    scene_.setDistances(distances);
}

bool SliceView::measureKey(const QKeyEvent& event) {
    const bool plain = !(event.modifiers() & ~Qt::KeypadModifier);
    switch (event.key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (!plain || !scene_.measuring()) {
                return false;
            }
            markAtCursor();
            return true;
        case Qt::Key_Delete:
        case Qt::Key_Backspace: {
            Distances distances = scene_.distances();
            if (!plain || !distances.removeOn(plane(), index())) {
                return false;
            }
            scene_.setDistances(distances);
            return true;
        }
        default:
            return false;
    }
}

}  // namespace highwater::widgets
