#include "widgets/scan/slice_view.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/scan/view_paint.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

SliceView::SliceView(ScanScene& scene, volume::Plane plane, QWidget* parent)
    : QWidget(parent), scene_(scene) {
    frame_.layout.plane = plane;
    const auto name = volume::planeName(plane);
    setObjectName(QString::fromUtf8(name.data(), static_cast<int>(name.size())) + "View");
    setAccessibleName(tr("%1 slices").arg(QString::fromUtf8(name.data(), static_cast<int>(name.size()))));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(80, 80);
    connect(&scene_, &ScanScene::volumeChanged, this, &SliceView::takeVolume);
    connect(&scene_, &ScanScene::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&scene_, &ScanScene::windowChanged, this, qOverload<>(&QWidget::update));
    connect(&scene_, &ScanScene::patchChanged, this, qOverload<>(&QWidget::update));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    takeVolume();
}

void SliceView::takeVolume() {
    const volume::Plane plane = frame_.layout.plane;
    frame_.layout = {};
    frame_.layout.plane = plane;
    if (!scene_.volume().empty())
        frame_.layout = volume::sliceLayout(scene_.geometry(), plane);
    image_ = {};
    imageIndex_ = -1;
    resetView();
}

void SliceView::resetView() {
    frame_.zoom = 1;
    frame_.pan = {};
    frame_.view = rect();
    update();
}

std::int64_t SliceView::index() const {
    return scene_.cursor()[static_cast<std::size_t>(frame_.layout.normalAxis)];
}

QString SliceView::numberText() const {
    if (scene_.volume().empty())
        return {};
    return QString("%1 %2/%3").arg("ijk"[frame_.layout.normalAxis]).arg(index() + 1).arg(frame_.layout.depth);
}

void SliceView::refreshImage() {
    if (imageIndex_ == index() && imageWindow_ == scene_.window() && !image_.isNull())
        return;
    imageIndex_ = index();
    imageWindow_ = scene_.window();
    const auto grey = volume::sliceGrey(scene_.volume(), frame_.layout, imageIndex_, imageWindow_);
    const int width = static_cast<int>(frame_.layout.width), height = static_cast<int>(frame_.layout.height);
    image_ = QImage(grey.data(), width, height, width, QImage::Format_Grayscale8).copy();
}

void SliceView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    frame_.view = rect();
}

void SliceView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), kViewGround);
    if (scene_.volume().empty())
        return;
    refreshImage();
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(frame_.target(), image_);
    painter.setRenderHint(QPainter::Antialiasing);
    if (scene_.patch()) {
        painter.setPen(boxPen(frame_.crosses(*scene_.patch(), index())));
        painter.drawRect(frame_.outline(*scene_.patch()));
    }
    paintCrosshair(painter);
    paintLetters(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(onDark(theme().accent), 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void SliceView::paintCrosshair(QPainter& painter) const {
    const Index3& c = scene_.cursor();
    const auto pixel = frame_.layout.pixel(
        {static_cast<double>(c[0]), static_cast<double>(c[1]), static_cast<double>(c[2])});
    const QPointF at = frame_.toScreen({pixel[0], pixel[1]});
    const QRectF t = frame_.target().intersected(rect());
    QColor colour = onDark(theme().accent);
    colour.setAlphaF(0.55F);
    painter.setPen(QPen(colour, 1));
    constexpr double kGap = 6;
    painter.drawLine(QPointF(t.left(), at.y()), QPointF(std::max(t.left(), at.x() - kGap), at.y()));
    painter.drawLine(QPointF(std::min(t.right(), at.x() + kGap), at.y()), QPointF(t.right(), at.y()));
    painter.drawLine(QPointF(at.x(), t.top()), QPointF(at.x(), std::max(t.top(), at.y() - kGap)));
    painter.drawLine(QPointF(at.x(), std::min(t.bottom(), at.y() + kGap)), QPointF(at.x(), t.bottom()));
}

void SliceView::paintLetters(QPainter& painter) const {
    const auto& l = frame_.layout;
    const auto paint = [&](Qt::Alignment alignment, char letter) {
        paintNote(painter, rect(), alignment, QString(QLatin1Char(letter)), kViewText);
    };
    paint(Qt::AlignLeft | Qt::AlignVCenter, l.left);
    paint(Qt::AlignRight | Qt::AlignVCenter, l.right);
    paint(Qt::AlignTop | Qt::AlignHCenter, l.top);
    paint(Qt::AlignBottom | Qt::AlignHCenter, l.bottom);
    const QString number = numberText();
    if (fontMetrics().horizontalAdvance(number) < width() / 2 - 20)  // beside the letter, or not at all
        paintNote(painter, rect(), Qt::AlignLeft | Qt::AlignBottom, number);
}

}  // namespace highwater::widgets
