#pragma once

#include <QImage>
#include <QMutex>
#include <QObject>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <memory>
#include <optional>

#include "widgets/scan/sampling.h"
#include "widgets/scan/volume_renderer.h"

namespace highwater::widgets {

/// A drawn picture and what it shows.
struct RenderedFrame {
    QImage image;
    OrbitCamera camera;
    quint64 request = 0;  ///< the number of the request it answers
    bool moving = false;
    Sampling sampling;
    double millis = 0;
};

/// Draws on a thread of its own, so that a slow frame never stalls the window. Requests overwrite each other:
/// only the newest is drawn. Every public function may be called from the window's thread.
class RenderWorker : public QObject {
    Q_OBJECT
public:
    /// Makes the surface (the window's thread has to). `surface` outlives the worker.
    explicit RenderWorker(QOffscreenSurface& surface);

    void setVolume(std::shared_ptr<const RenderVolume> volume);
    /// Draws soon. `step` of the request is chosen here. Returns the request's number.
    quint64 request(const FrameRequest& frame, bool moving);
    /// On the worker's thread: frees what OpenGL holds. Nothing is drawn afterwards.
    Q_INVOKABLE void shutdown();

signals:
    void drawn(const highwater::widgets::RenderedFrame& frame);
    /// No OpenGL 3.2 here; said once, instead of any frame.
    void unavailable();

private:
    struct Request {
        FrameRequest frame;
        bool moving = false;
        quint64 number = 0;
    };
    Q_INVOKABLE void work();
    bool start();
    void takeVolume(std::shared_ptr<const RenderVolume> volume);
    void draw(const Request& request);

    QOffscreenSurface& surface_;
    std::unique_ptr<QOpenGLContext> context_;
    std::unique_ptr<VolumeRenderer> renderer_;
    bool dead_ = false;
    SamplingChooser chooser_;
    double rayVoxels_ = 1, voxel_ = 1;
    bool hasVolume_ = false;

    QMutex mutex_;
    std::optional<Request> next_;
    std::optional<std::shared_ptr<const RenderVolume>> nextVolume_;
    quint64 requests_ = 0;
};

}  // namespace highwater::widgets
