#include "widgets/scan/render_worker.h"

#include <QElapsedTimer>
#include <QMutexLocker>
#include <algorithm>
#include <cmath>

namespace highwater::widgets {
namespace {

QSurfaceFormat coreFormat() {
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    return format;
}

QSize scaled(QSize size, double scale) {
    return {std::max(1, static_cast<int>(std::lround(size.width() * scale))),
            std::max(1, static_cast<int>(std::lround(size.height() * scale)))};
}

}  // namespace

RenderWorker::RenderWorker(QOffscreenSurface& surface) : surface_(surface) {
    surface_.setFormat(coreFormat());
    surface_.create();
}

void RenderWorker::setVolume(std::shared_ptr<const RenderVolume> volume) {
    const QMutexLocker lock(&mutex_);
    nextVolume_ = std::move(volume);
    next_.reset();
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
}

quint64 RenderWorker::request(const FrameRequest& frame, bool moving) {
    const QMutexLocker lock(&mutex_);
    next_ = Request{frame, moving, ++requests_};
    QMetaObject::invokeMethod(this, &RenderWorker::work, Qt::QueuedConnection);
    return requests_;
}

bool RenderWorker::start() {
    if (context_)
        return true;
    auto context = std::make_unique<QOpenGLContext>();
    context->setFormat(coreFormat());
    const bool usable = surface_.isValid() && context->create() && context->makeCurrent(&surface_) &&
                        context->format().version() >= qMakePair(3, 2) && !context->isOpenGLES();
    if (!usable) {
        dead_ = true;
        emit unavailable();
        return false;
    }
    context_ = std::move(context);
    renderer_ = std::make_unique<VolumeRenderer>();
    return true;
}

void RenderWorker::work() {
    std::optional<Request> request;
    std::optional<std::shared_ptr<const RenderVolume>> volume;
    {
        const QMutexLocker lock(&mutex_);
        request = std::exchange(next_, std::nullopt);
        volume = std::exchange(nextVolume_, std::nullopt);
    }
    if (dead_ || (!request && !volume) || !start())
        return;
    context_->makeCurrent(&surface_);
    if (volume)
        takeVolume(std::move(*volume));
    if (request && hasVolume_)
        draw(*request);
}

void RenderWorker::takeVolume(std::shared_ptr<const RenderVolume> volume) {
    hasVolume_ = volume != nullptr;
    if (volume) {
        const auto& n = volume->size;
        rayVoxels_ = std::hypot(n[0], n[1], n[2]);
        voxel_ = *std::ranges::min_element(volume->spacing);
    }
    renderer_->setVolume(std::move(volume));
    if (!hasVolume_)
        return;
    // Uploads the texture and compiles the shader, whose time says nothing of the frames to come.
    FrameRequest warmUp;
    warmUp.pixels = {16, 16};
    warmUp.look = {{0, 0, {}}, {1, 0, {}}};
    warmUp.step = voxel_ * 4;
    renderer_->render(*context_, warmUp);
}

void RenderWorker::draw(const Request& request) {
    RenderedFrame out;
    out.camera = request.frame.camera;
    out.request = request.number;
    out.moving = request.moving;
    out.sampling = chooser_.choose(request.frame.pixels, rayVoxels_, request.moving);
    FrameRequest frame = request.frame;
    frame.pixels = scaled(request.frame.pixels, out.sampling.scale);
    frame.step = out.sampling.step * voxel_;
    QElapsedTimer clock;
    clock.start();
    out.image = renderer_->render(*context_, frame);
    out.millis = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    chooser_.learn(request.frame.pixels, rayVoxels_, out.sampling, out.millis);
    emit drawn(out);
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
