#include "widgets/scan/volume3d/volume_view.h"

#include <QGuiApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/volume3d/volume_look.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr int kRestMs = 130;
constexpr double kHaze = 0.14;  // opacity factor of a scan around the surfaces of labels

/// Platforms that render only to memory would print a warning when asked for a context.
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
    setToolTip(helpText());
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &VolumeView::rested);
    connect(&refiner_, &RenderRefiner::ready, this, &VolumeView::takeFiner);
    connect(&scene_, &ScanScene::windowChanged, this, &VolumeView::moved);
    connect(&scene_, &ScanScene::opacityChanged, this, &VolumeView::moved);
    connect(&scene_, &ScanScene::cropChanged, this, &VolumeView::moved);
    connect(&scene_, &ScanScene::labelsChanged, this, &VolumeView::takeLabels);
    connect(&scene_, &ScanScene::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&scene_, &ScanScene::patchChanged, this, qOverload<>(&QWidget::update));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    describe();
}

VolumeView::~VolumeView() {
    surfaceJob_.cancel();
    surfacePool_.waitForDone();
    if (!worker_) {
        return;
    }
    worker_->close();
    QMetaObject::invokeMethod(worker_, &RenderWorker::shutdown, Qt::BlockingQueuedConnection);
    thread_.quit();
    thread_.wait();
    delete worker_;
}

void VolumeView::setRenderVolume(std::shared_ptr<const RenderVolume> volume) {
    refiner_.cancel();
    finer_ = nullptr;
    volume_ = coarse_ = std::move(volume);
    frame_ = {};
    wanted_ = 0;
    rest_.stop();
    if (worker_) {
        worker_->setVolume(volume_);
    }
    resetCamera();
    startWorker();
    refine();
    describe();
    update();
}

void VolumeView::setLimits(const RenderLimits& limits) {
    limits_ = limits;
    refine();
}

void VolumeView::refine() {
    if (!volume_ || volume_->uniform || limits_.axis == 0 || scene_.volume().empty()) {
        return;
    }
    const int most = limits_.most();
    const bool tooLarge = std::ranges::max(volume_->size) > limits_.axis;
    const bool coarse = volume_->factor > 1 && volume_->most < most;
    if ((tooLarge || coarse) && refiner_.most() != most) {
        refiner_.start(scene_.volume(), *volume_, most);
    }
}

void VolumeView::takeFiner(const std::shared_ptr<const RenderVolume>& volume) {
    finer_ = volume;
    if (!rest_.isActive()) {
        rested();
    }
}

/// Uploading it to OpenGL takes a moment, so it is postponed while something moves.
void VolumeView::swapIn() {
    if (!finer_) {
        return;
    }
    volume_ = std::move(finer_);
    const bool lighter = limits_.software && coarse_->most < volume_->most;
    if (worker_) {
        worker_->setVolume(volume_, lighter ? coarse_ : nullptr);
    }
}

void VolumeView::rested() {
    swapIn();
    requestFrame(false);
}

void VolumeView::setCamera(const OrbitCamera& camera) {
    camera_ = camera;
    moved();
}

void VolumeView::resetCamera() {
    camera_ = {};
    if (volume_) {
        QVector3D half;
        for (int a = 0; a < 3; ++a) {
            const auto n = static_cast<std::size_t>(a);
            half[a] = static_cast<float>((volume_->size[n] - 1) * volume_->spacing[n] / 2);
        }
        camera_.center = volume_->toPatient.map(half);
        camera_.radius = std::max(std::max({half.x(), half.y(), half.z()}) * 1.12F, 1e-6F);
    }
    moved();
}

void VolumeView::startWorker() {
    if (worker_ || !available_ || !volume_ || volume_->uniform || !isVisible()) {
        return;
    }
    worker_ = new RenderWorker(surface_);
    connect(worker_, &RenderWorker::drawn, this, &VolumeView::take);
    connect(worker_, &RenderWorker::limitsKnown, this, &VolumeView::setLimits);
    connect(worker_, &RenderWorker::unavailable, this, &VolumeView::becomeUnavailable);
    connect(worker_, &RenderWorker::surfaceWanted, this, [this] { worker_->createSurface(); });
    worker_->moveToThread(&thread_);
    thread_.setObjectName("volume view");
    thread_.start();
    QMetaObject::invokeMethod(worker_, &RenderWorker::start);
    worker_->setVolume(volume_);
    takeLabels();
}

Look VolumeView::look() const {
    const double haze = surfaceLooks().empty() ? 1 : kHaze;
    return lookFor(*volume_, scene_.window(),
                   {.inverted = scene_.inverted(), .opacity = std::max(scene_.opacity() * haze, 0.02)});
}

std::vector<SurfaceLook> VolumeView::surfaceLooks() const {
    std::vector<SurfaceLook> out;
    if (!scene_.showsLabels() || !scene_.labelSurfaces()) {
        return out;
    }
    for (const LabelStyle& label : scene_.labels().labels) {
        if (label.shown) {
            out.push_back({label.value, {label.color.redF(), label.color.greenF(), label.color.blueF()}});
        }
    }
    return out;
}

/// The surfaces of another map are made in the background once they are needed. A map that is only hidden
/// keeps its surfaces.
void VolumeView::takeLabels() {
    const volume::Volume& map = scene_.labels().volume;
    const bool gone = map.empty() && !scene_.showsInstead() && !surfacesOf_.empty();
    const bool other = !map.empty() && map.data() != surfacesOf_.data() && !surfaceLooks().empty();
    if (worker_ && (gone || other)) {
        surfacesOf_ = map;
        surfaceJob_.cancel();
        worker_->setSurfaces(nullptr);
    }
    if (worker_ && other) {
        std::set<std::int64_t> values;
        for (const LabelStyle& label : scene_.labels().labels) {
            values.insert(label.value);
        }
        surfaceJob_.run(
            [map, values](const LatestJob::Cancel& cancel) {
                return makeLabelSurfaces(map, values, *cancel);
            },
            [this](const std::shared_ptr<const LabelSurfaces>& surfaces) {
                worker_->setSurfaces(surfaces);
                moved();
            });
    }
    moved();
}

ClipPlanes VolumeView::clip() const {
    return scene_.crop() && !scene_.volume().empty() ? clipPlanes(*scene_.crop(), scene_.geometry())
                                                     : ClipPlanes{};
}

void VolumeView::requestFrame(bool moving) {
    if (!worker_ || !volume_ || volume_->uniform || !available_ || size().isEmpty()) {
        return;
    }
    const QSize pixels(static_cast<int>(std::lround(width() * devicePixelRatioF())),
                       static_cast<int>(std::lround(height() * devicePixelRatioF())));
    wanted_ = worker_->request({.pixels = pixels,
                                .camera = camera_,
                                .look = look(),
                                .clip = clip(),
                                .surfaces = surfaceLooks(),
                                .backgroundTop = kGroundTop,
                                .backgroundBottom = kGroundBottom},
                               moving);
}

void VolumeView::moved() {
    if (!worker_ || !volume_) {
        return;
    }
    requestFrame(true);
    rest_.start();
}

void VolumeView::take(const RenderedFrame& frame) {
    if (!volume_ || wanted_ == 0 || frame.request < frame_.request) {
        return;
    }
    const bool sharper = frame.factor != frame_.factor || frame_.image.isNull();
    frame_ = frame;
    if (sharper) {
        describe();
    }
    update();
    if (settled()) {
        emit settledChanged();
    }
}

void VolumeView::becomeUnavailable() {
    available_ = false;
    refiner_.cancel();
    describe();
    update();
    emit settledChanged();
}

bool VolumeView::settled() const {
    if (!volume_ || volume_->uniform || !available_ || !isVisible()) {
        return true;
    }
    return worker_ && !surfaceJob_.busy() && !refiner_.pending() && !finer_ && !rest_.isActive() &&
           wanted_ != 0 && frame_.request == wanted_ && frame_.final;
}

QString VolumeView::message() const {
    if (!available_) {
        return tr("3D view needs OpenGL 3.2");
    }
    if (scene_.volume().empty()) {
        return {};
    }
    if (volume_ && volume_->uniform) {
        return std::isfinite(scene_.volume().header().min)
                   ? tr("every voxel has the same value: there is nothing to see in 3D")
                   : tr("no voxel has a finite value: there is nothing to see in 3D");
    }
    return frame_.image.isNull() ? tr("preparing 3D…") : QString();
}

void VolumeView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    // After the first paint, so that the window appears first.
    QTimer::singleShot(0, this, [this] {
        if (!worker_) {
            startWorker();
        } else {
            requestFrame(false);
        }
    });
}

void VolumeView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    moved();
}

}  // namespace highwater::widgets

#include "moc_volume_view.cpp"
