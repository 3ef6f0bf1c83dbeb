// What a VolumeView paints over its image, and its texts.
#include <QPainter>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/view_paint.h"
#include "widgets/scan/volume3d/orientation_mark.h"
#include "widgets/scan/volume3d/volume_overlay.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

void VolumeView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QLinearGradient ground(0, 0, 0, height());
    const auto color = [](const std::array<double, 3>& c) { return QColor::fromRgbF(c[0], c[1], c[2]); };
    ground.setColorAt(0, color(kGroundTop));
    ground.setColorAt(1, color(kGroundBottom));
    painter.fillRect(rect(), ground);
    if (!frame_.image.isNull() && available_) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(QRectF(rect()), frame_.image);
        painter.setRenderHint(QPainter::Antialiasing);
        paintLines(painter);
        paintOrientationMark(painter, rect(), frame_.camera);
    }
    paintNotes(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(onDark(theme().accent), 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void VolumeView::paintLines(QPainter& painter) const {
    const Projector project(frame_.camera, size());
    const volume::Geometry& geometry = scene_.geometry();
    if (scene_.crop()) {
        paintBoxEdges(painter, project, *scene_.crop(), geometry, QPen(kViewMuted, 1),
                      QPen(kViewMuted, 1, Qt::DotLine));
    }
    if (scene_.crosshair()) {
        paintCursorLines(painter, project, scene_.cursor(), scene_.cropOrAll(), geometry);
    }
    if (scene_.patch()) {
        paintBoxEdges(painter, project, *scene_.patch(), geometry, boxPen(true), boxPen(false));
    }
}

QString VolumeView::resolutionText() const {
    return !frame_.image.isNull() && frame_.factor > 1 ? tr("drawn at 1/%1").arg(frame_.factor) : QString();
}

/// The accessible description, in addition to the name.
void VolumeView::describe() {
    QStringList parts;
    if (const QString text = message(); !text.isEmpty()) {
        parts << text;
    }
    if (const QString text = resolutionText(); !text.isEmpty()) {
        parts << text;
    }
    parts << helpText();
    setAccessibleDescription(parts.join(". "));
}

void VolumeView::paintNotes(QPainter& painter) const {
    if (const QString text = message(); !text.isEmpty()) {
        painter.setPen(kViewMuted);
        painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, text);
        return;
    }
    if (const QString text = resolutionText(); !text.isEmpty()) {
        paintNote(painter, rect(), Qt::AlignRight | Qt::AlignBottom, text);
    } else if (underMouse() && volume_) {
        paintNote(painter, rect(), Qt::AlignRight | Qt::AlignBottom, tr("drag: turn · wheel: zoom"));
    }
}

}  // namespace highwater::widgets
