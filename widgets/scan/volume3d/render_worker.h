#pragma once

#include <QImage>
#include <QMutex>
#include <QObject>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <memory>
#include <optional>

#include "widgets/scan/volume3d/sampling.h"
#include "widgets/scan/volume3d/volume_renderer.h"

namespace highwater::widgets {

/// What OpenGL takes here.
struct RenderLimits {
    int axis = 0;          ///< GL_MAX_3D_TEXTURE_SIZE; 0: not known yet
    bool software = true;  ///< drawn by the processor

    /// Voxels along an axis worth preparing: without a GPU, more only cost time; with one, 512 take 256 MiB.
    int most() const;
    bool operator==(const RenderLimits&) const = default;
};

/// A drawn picture and what it shows.
struct RenderedFrame {
    QImage image;
    OrbitCamera camera;
    quint64 request = 0;  ///< the number of the request it answers
    bool final = false;   ///< nothing finer follows for this request
    Sampling sampling;
    double millis = 0;
    int factor = 1;  ///< of the volume drawn
};

/// Draws on a thread of its own, so that a slow frame never stalls the window. Requests overwrite each other:
/// only the newest is drawn. Public functions are for the window's thread but where they say otherwise.
class RenderWorker : public QObject {
    Q_OBJECT
public:
    /// `surface` outlives the worker.
    explicit RenderWorker(QOffscreenSurface& surface);

    /// On the worker's thread, first: makes the context, so that loading the driver stalls nobody.
    Q_INVOKABLE void start();
    /// On the window's thread, as the answer to surfaceWanted (platforms insist on that thread).
    void createSurface();

    /// One with an axis beyond the limits is not drawn; limitsKnown was said before.
    /// `coarse` (may be null), of the same scan, is drawn instead while something moves.
    void setVolume(std::shared_ptr<const RenderVolume> volume,
                   std::shared_ptr<const RenderVolume> coarse = nullptr);
    /// Draws soon. `step` of the request is chosen here. Returns the request's number.
    quint64 request(const FrameRequest& frame, bool moving);
    /// Draws nothing more; shutdown() is about to be called.
    void close();
    /// On the worker's thread: frees what OpenGL holds. Nothing is drawn afterwards.
    Q_INVOKABLE void shutdown();

signals:
    void surfaceWanted();
    /// Once, before the first frame.
    void limitsKnown(const highwater::widgets::RenderLimits& limits);
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
    bool makeReady();
    void giveUp();
    void findLimits();
    struct Volumes {
        std::shared_ptr<const RenderVolume> fine, coarse;
    };
    /// One volume's way of being drawn.
    struct Pace {
        SamplingChooser chooser;
        double raySteps = 1, rayStep = 1;  ///< mm, at one sample a voxel
        bool fresh = true;                 ///< no frame of this volume was drawn yet
        void begin(const RenderVolume& volume);
    };
    void takeVolumes(Volumes volumes);
    void warmUp(Pace& pace, bool coarse);
    void draw(const Request& request);
    RenderedFrame drawOnce(const Request& request, const Sampling& sampling);
    bool superseded();
    bool staysCurrent(int ms);

    QOffscreenSurface& surface_;
    std::unique_ptr<QOpenGLContext> context_;
    std::unique_ptr<VolumeRenderer> renderer_;
    bool dead_ = false;
    RenderLimits limits_;
    Pace fine_, coarse_;
    int factor_ = 1;
    bool hasVolume_ = false;

    QMutex mutex_;
    std::optional<Request> next_;
    std::optional<Volumes> nextVolumes_;
    quint64 requests_ = 0;
    bool hasSurface_ = false;
    bool closing_ = false;
};

}  // namespace highwater::widgets
