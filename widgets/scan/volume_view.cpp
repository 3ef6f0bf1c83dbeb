#include "widgets/scan/volume_view.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/scan/orientation_mark.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/view_paint.h"
#include "widgets/scan/volume_look.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr int kRestMs = 130;
constexpr float kDegreesPerPixel = 0.5F;
constexpr std::array<double, 3> kBackgroundTop{0.115, 0.125, 0.145}, kBackgroundBottom{0.055, 0.06, 0.07};

/// The platforms that draw in memory only would warn when asked for a context.
bool platformHasOpenGl() {
    const QString platform = QGuiApplication::platformName();
    return platform != "offscreen" && platform != "minimal" && platform != "vnc";
}

}  // namespace

VolumeView::VolumeView(ScanScene& scene, QWidget* parent)
    : QWidget(parent), scene_(scene), available_(platformHasOpenGl()) {
    setObjectName("volumeView");
    setAccessibleName(tr("3D view"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(80, 80);
    setToolTip(tr("Drag: turn · wheel: zoom · R: reset · double click: maximise"));
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, [this] { requestFrame(false); });
    connect(&scene_, &ScanScene::windowChanged, this, &VolumeView::moved);
    connect(&scene_, &ScanScene::patchChanged, this, qOverload<>(&QWidget::update));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

VolumeView::~VolumeView() {
    if (!worker_)
        return;
    worker_->close();
    QMetaObject::invokeMethod(worker_, &RenderWorker::shutdown, Qt::BlockingQueuedConnection);
    thread_.quit();
    thread_.wait();
    delete worker_;
}

void VolumeView::setRenderVolume(std::shared_ptr<const RenderVolume> volume) {
    volume_ = std::move(volume);
    frame_ = {};
    wanted_ = 0;
    rest_.stop();
    if (worker_)
        worker_->setVolume(volume_);
    resetCamera();
    startWorker();
    update();
}

void VolumeView::resetCamera() {
    camera_ = {};
    if (volume_) {
        QVector3D half;
        for (int a = 0; a < 3; ++a) {
            const auto n = static_cast<std::size_t>(a);
            half[a] = static_cast<float>((volume_->size[n] - 1) * volume_->spacing[n] / 2);
        }
        camera_.centre = volume_->toPatient.map(half);
        camera_.radius = std::max(std::max({half.x(), half.y(), half.z()}) * 1.12F, 1e-3F);
    }
    moved();
}

void VolumeView::startWorker() {
    if (worker_ || !available_ || !volume_ || !isVisible())
        return;
    worker_ = new RenderWorker(surface_);
    connect(worker_, &RenderWorker::drawn, this, &VolumeView::take);
    connect(worker_, &RenderWorker::unavailable, this, &VolumeView::becomeUnavailable);
    connect(worker_, &RenderWorker::surfaceWanted, this, [this] { worker_->createSurface(); });
    worker_->moveToThread(&thread_);
    thread_.setObjectName("volume view");
    thread_.start();
    QMetaObject::invokeMethod(worker_, &RenderWorker::start);
    worker_->setVolume(volume_);
    moved();
}

void VolumeView::requestFrame(bool moving) {
    if (!worker_ || !volume_ || !available_ || size().isEmpty())
        return;
    const QSize pixels(static_cast<int>(std::lround(width() * devicePixelRatioF())),
                       static_cast<int>(std::lround(height() * devicePixelRatioF())));
    wanted_ = worker_->request({.pixels = pixels,
                                .camera = camera_,
                                .look = lookFor(*volume_, scene_.window()),
                                .backgroundTop = kBackgroundTop,
                                .backgroundBottom = kBackgroundBottom},
                               moving);
}

void VolumeView::moved() {
    if (!worker_ || !volume_)
        return;
    requestFrame(true);
    rest_.start();
}

void VolumeView::take(const RenderedFrame& frame) {
    if (!volume_ || wanted_ == 0 || frame.request < frame_.request)
        return;
    frame_ = frame;
    update();
    if (settled())
        emit settledChanged();
}

void VolumeView::becomeUnavailable() {
    available_ = false;
    update();
    emit settledChanged();
}

bool VolumeView::settled() const {
    if (!volume_ || !available_ || !isVisible())
        return true;
    return worker_ && !rest_.isActive() && wanted_ != 0 && frame_.request == wanted_ && frame_.final;
}

QString VolumeView::message() const {
    if (!available_)
        return tr("3D view needs OpenGL 3.2");
    if (scene_.volume().empty())
        return {};
    return frame_.image.isNull() ? tr("preparing 3D…") : QString();
}

void VolumeView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QLinearGradient ground(0, 0, 0, height());
    const auto colour = [](const std::array<double, 3>& c) { return QColor::fromRgbF(c[0], c[1], c[2]); };
    ground.setColorAt(0, colour(kBackgroundTop));
    ground.setColorAt(1, colour(kBackgroundBottom));
    painter.fillRect(rect(), ground);
    if (!frame_.image.isNull() && available_) {
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(QRectF(rect()), frame_.image);
        painter.setRenderHint(QPainter::Antialiasing);
        paintBox(painter);
        paintOrientationMark(painter, rect(), frame_.camera);
    }
    paintNotes(painter);
}

void VolumeView::paintBox(QPainter& painter) const {
    if (!scene_.patch())
        return;
    const auto corners = patchCorners(*scene_.patch(), scene_.geometry());
    const float aspect = static_cast<float>(width()) / static_cast<float>(std::max(1, height()));
    const QMatrix4x4 projection = frame_.camera.projection(aspect);
    std::array<QPointF, 8> at;
    std::array<float, 8> depth{};
    for (std::size_t n = 0; n < 8; ++n) {
        const QVector3D p(static_cast<float>(corners[n][0]), static_cast<float>(corners[n][1]),
                          static_cast<float>(corners[n][2]));
        const QVector4D clip = projection * QVector4D(p, 1);
        if (clip.w() <= 0)
            return;  // the camera is inside the box
        at[n] = {(clip.x() / clip.w() + 1) / 2 * width(), (1 - clip.y() / clip.w()) / 2 * height()};
        depth[n] = clip.w();
    }
    // The three edges that meet in the farthest corner lie behind.
    const auto farthest = static_cast<unsigned>(std::ranges::max_element(depth) - depth.begin());
    for (unsigned n = 0; n < 8; ++n)
        for (unsigned axis = 0; axis < 3; ++axis) {
            const unsigned other = n | (1U << axis);
            if (other == n)
                continue;
            painter.setPen(boxPen(n != farthest && other != farthest));
            painter.drawLine(at[n], at[other]);
        }
}

void VolumeView::paintNotes(QPainter& painter) const {
    if (const QString text = message(); !text.isEmpty()) {
        painter.setPen(kViewMuted);
        painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, text);
        return;
    }
    if (volume_ && volume_->factor > 1)
        paintNote(painter, rect(), Qt::AlignRight | Qt::AlignBottom,
                  tr("drawn at 1/%1").arg(volume_->factor));
    else if (underMouse() && volume_)
        paintNote(painter, rect(), Qt::AlignRight | Qt::AlignBottom, tr("drag: turn · wheel: zoom"));
}

void VolumeView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    // After the first paint: the window comes first.
    QTimer::singleShot(0, this, [this] {
        if (!worker_)
            startWorker();
        else
            requestFrame(false);
    });
}

void VolumeView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    moved();
}

void VolumeView::mousePressEvent(QMouseEvent* event) {
    dragFrom_ = event->pos();
}

void VolumeView::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton)
        return;
    const QPoint by = event->pos() - dragFrom_;
    dragFrom_ = event->pos();
    camera_.turn(-static_cast<float>(by.x()) * kDegreesPerPixel,
                 static_cast<float>(by.y()) * kDegreesPerPixel);
    moved();
}

void VolumeView::mouseDoubleClickEvent(QMouseEvent*) {
    emit maximiseRequested();
}

void VolumeView::wheelEvent(QWheelEvent* event) {
    camera_.zoomBy(std::pow(1.2F, static_cast<float>(event->angleDelta().y()) / 120.0F));
    moved();
    event->accept();
}

void VolumeView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
            camera_.turn(5, 0);
            break;
        case Qt::Key_Right:
            camera_.turn(-5, 0);
            break;
        case Qt::Key_Up:
            camera_.turn(0, -5);
            break;
        case Qt::Key_Down:
            camera_.turn(0, 5);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            camera_.zoomBy(1.2F);
            break;
        case Qt::Key_Minus:
            camera_.zoomBy(1 / 1.2F);
            break;
        case Qt::Key_R:
            resetCamera();
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    moved();
}

}  // namespace highwater::widgets
