#include "widgets/scan/volume3d/render_worker.h"

#include <QElapsedTimer>
#include <QMutexLocker>
#include <QOpenGLFunctions>
#include <QThread>
#include <algorithm>
#include <array>

namespace highwater::widgets {
namespace {

QSurfaceFormat coreFormat() {
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    return format;
}

/// Substrings of the names of software OpenGL drivers.
constexpr std::array kSoftware{"llvmpipe", "softpipe", "swrast", "swiftshader", "software"};

constexpr int kBeforeBestMs = 250;
constexpr int kBestRounds = 2;  // a second round if the first was cheaper than estimated

QSize scaled(QSize size, double scale) {
    return {std::max(1, qRound(size.width() * scale)), std::max(1, qRound(size.height() * scale))};
}

}  // namespace

int RenderLimits::most() const {
    return std::clamp(axis - 2, 1, software ? kFineVoxels : 2 * kFineVoxels);
}

RenderWorker::RenderWorker(QOffscreenSurface& surface) : surface_(surface) {}

void RenderWorker::createSurface() {
    surface_.setFormat(coreFormat());
    surface_.create();
    const QMutexLocker lock(&mutex_);
    hasSurface_ = true;
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
}

void RenderWorker::start() {
    auto context = std::make_unique<QOpenGLContext>();
    context->setFormat(coreFormat());
    if (!QOpenGLContext::supportsThreadedOpenGL() || !context->create()) {
        giveUp();
        return;
    }
    context_ = std::move(context);
    emit surfaceWanted();
}

void RenderWorker::giveUp() {
    dead_ = true;
    emit unavailable();
}

void RenderWorker::setVolume(std::shared_ptr<const RenderVolume> volume,
                             std::shared_ptr<const RenderVolume> coarse) {
    const QMutexLocker lock(&mutex_);
    nextVolumes_ = Volumes{std::move(volume), std::move(coarse)};
    next_.reset();
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
}

void RenderWorker::setSurfaces(std::shared_ptr<const LabelSurfaces> surfaces) {
    const QMutexLocker lock(&mutex_);
    nextSurfaces_ = std::move(surfaces);
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
}

quint64 RenderWorker::request(const FrameRequest& frame, bool moving) {
    const QMutexLocker lock(&mutex_);
    next_ = Request{frame, moving, ++requests_};
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
    return requests_;
}

void RenderWorker::close() {
    const QMutexLocker lock(&mutex_);
    closing_ = true;
    next_.reset();
    nextVolumes_.reset();
    nextSurfaces_.reset();
}

bool RenderWorker::makeReady() {
    if (dead_ || !context_) {
        return false;
    }
    if (!surface_.isValid() || !context_->makeCurrent(&surface_) || context_->isOpenGLES() ||
        context_->format().version() < qMakePair(3, 2)) {
        giveUp();
        return false;
    }
    if (!renderer_) {
        findLimits();
        renderer_ = std::make_unique<VolumeRenderer>();
    }
    return true;
}

void RenderWorker::findLimits() {
    QOpenGLFunctions* const gl = context_->functions();
    constexpr GLenum kMax3dTextureSize = 0x8073;
    GLint axis = 0;
    gl->glGetIntegerv(kMax3dTextureSize, &axis);
    limits_.axis = std::max(axis, 1);
    const auto* const name = reinterpret_cast<const char*>(gl->glGetString(GL_RENDERER));
    const QString renderer = QString::fromLatin1(name ? name : "");
    limits_.software = std::ranges::any_of(kSoftware, [&](const char* part) {
        return renderer.contains(QLatin1String(part), Qt::CaseInsensitive);
    });
    emit limitsKnown(limits_);
}

void RenderWorker::work() {
    std::optional<Request> request;
    std::optional<Volumes> volumes;
    std::optional<std::shared_ptr<const LabelSurfaces>> surfaces;
    {
        const QMutexLocker lock(&mutex_);
        if (!hasSurface_) {
            return;
        }
        request = std::exchange(next_, std::nullopt);
        volumes = std::exchange(nextVolumes_, std::nullopt);
        surfaces = std::exchange(nextSurfaces_, std::nullopt);
    }
    if ((!request && !volumes && !surfaces) || !makeReady()) {
        return;
    }
    if (volumes) {
        takeVolumes(std::move(*volumes));
    }
    if (surfaces) {
        renderer_->setSurfaces(*surfaces);
    }
    if (request && hasVolume_) {
        draw(*request);
    }
}

void RenderWorker::Pace::begin(const RenderVolume& volume) {
    rayStep = volume.rayStep();
    raySteps = std::max(1.0, volume.diagonal() / rayStep);
    fresh = true;
}

void RenderWorker::takeVolumes(Volumes volumes) {
    if (volumes.fine && std::ranges::max(volumes.fine->size) > limits_.axis) {
        volumes = {};
    }
    hasVolume_ = volumes.fine != nullptr;
    if (hasVolume_) {
        fine_.begin(*volumes.fine);
        factor_ = volumes.fine->factor;
    }
    if (volumes.coarse) {
        coarse_.begin(*volumes.coarse);
    }
    renderer_->setVolume(std::move(volumes.fine), std::move(volumes.coarse));
    if (renderer_->hasCoarse()) {
        warmUp(coarse_, true);
    }
    if (hasVolume_) {
        warmUp(fine_, false);
    }
}

/// The first frame uploads the texture and compiles the shader, so its time says nothing about later frames.
void RenderWorker::warmUp(Pace& pace, bool coarse) {
    FrameRequest tiny;
    tiny.pixels = {16, 16};
    tiny.look = {{0, 0, {}}, {1, 0, {}}};
    tiny.coarse = coarse;
    tiny.step = pace.rayStep * 4;
    renderer_->render(*context_, tiny);
    QElapsedTimer clock;
    clock.start();
    renderer_->render(*context_, tiny);
    pace.chooser.setFixedMillis(static_cast<double>(clock.nsecsElapsed()) / 1e6);
}

void RenderWorker::draw(const Request& request) {
    if (request.moving) {
        const Pace& pace = renderer_->hasCoarse() ? coarse_ : fine_;
        emit drawn(
            drawOnce(request, pace.chooser.choose(request.frame.pixels, pace.raySteps, FrameKind::Moving)));
        return;
    }
    const auto choose = [&](FrameKind kind) {
        return fine_.chooser.choose(request.frame.pixels, fine_.raySteps, kind);
    };
    RenderedFrame out = drawOnce(request, choose(FrameKind::Resting));
    for (int round = 0; round < kBestRounds && !superseded(); ++round) {
        const Sampling best = choose(FrameKind::Best);
        if (best.scale < 1.1 * out.sampling.scale && best.step > 0.85 * out.sampling.step) {
            break;
        }
        emit drawn(out);
        if (round == 0 && !staysCurrent(kBeforeBestMs)) {
            break;
        }
        out = drawOnce(request, best);
    }
    out.final = true;
    emit drawn(out);
}

RenderedFrame RenderWorker::drawOnce(const Request& request, const Sampling& sampling) {
    RenderedFrame out;
    out.camera = request.frame.camera;
    out.request = request.number;
    out.sampling = sampling;
    out.factor = factor_;
    FrameRequest frame = request.frame;
    frame.pixels = scaled(request.frame.pixels, sampling.scale);
    frame.coarse = request.moving && renderer_->hasCoarse();
    Pace& pace = frame.coarse ? coarse_ : fine_;
    frame.step = sampling.step * pace.rayStep;
    QElapsedTimer clock;
    clock.start();
    out.image = renderer_->render(*context_, frame);
    out.millis = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    if (!std::exchange(pace.fresh, false)) {  // a volume's first frame includes one-time costs
        pace.chooser.learn(request.frame.pixels, pace.raySteps, sampling, out.millis);
    }
    return out;
}

/// The best frame takes long and cannot be interrupted, so wait in case the user has only paused.
bool RenderWorker::staysCurrent(int ms) {
    QElapsedTimer clock;
    clock.start();
    while (!superseded()) {
        if (clock.elapsed() >= ms) {
            return true;
        }
        QThread::msleep(10);
    }
    return false;
}

bool RenderWorker::superseded() {
    const QMutexLocker lock(&mutex_);
    return next_ || nextVolumes_ || closing_;
}

void RenderWorker::shutdown() {
    dead_ = true;
    if (context_ && context_->makeCurrent(&surface_)) {
        renderer_.reset();
        context_->doneCurrent();
    }
    renderer_.reset();
    context_.reset();
}

}  // namespace highwater::widgets

#include "moc_render_worker.cpp"
