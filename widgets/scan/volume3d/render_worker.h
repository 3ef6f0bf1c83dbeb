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

/// The limits of OpenGL on this machine.
struct RenderLimits {
    int axis = 0;          ///< GL_MAX_3D_TEXTURE_SIZE; 0 if not known yet
    bool software = true;  ///< rendered by the CPU

    /// The largest number of voxels along an axis that is worth preparing. Without a GPU, more would only
    /// cost time; with a GPU, 512 along each axis take 256 MiB.
    int most() const;
    bool operator==(const RenderLimits&) const = default;
};

/// A rendered image with the settings that it was drawn with.
struct RenderedFrame {
    QImage image;
    OrbitCamera camera;
    quint64 request = 0;  ///< the number of the request it answers
    bool final = false;   ///< no finer frame follows for this request
    Sampling sampling;
    double millis = 0;
    int factor = 1;  ///< RenderVolume::factor of the volume drawn
};

/// Draws on its own thread, so that a slow frame never blocks the window. A new request replaces a pending
/// one: only the newest is drawn. Public functions must be called on the window's thread unless they say
/// otherwise.
class RenderWorker : public QObject {
    Q_OBJECT
public:
    /// `surface` must outlive the worker.
    explicit RenderWorker(QOffscreenSurface& surface);

    /// Must be called first, on the worker's thread. Makes the OpenGL context there, so that loading the
    /// driver does not block the window.
    Q_INVOKABLE void start();
    /// Must be called on the window's thread, in answer to surfaceWanted (platforms require that thread).
    void createSurface();

    /// A volume with an axis beyond the limits is not drawn; the limits were reported by limitsKnown before.
    /// `coarse` is a reduced volume of the same scan that is drawn while something moves; may be null.
    void setVolume(std::shared_ptr<const RenderVolume> volume,
                   std::shared_ptr<const RenderVolume> coarse = nullptr);
    /// Sets the surfaces of the labels; a request says which of them are drawn. May be null.
    void setSurfaces(std::shared_ptr<const LabelSurfaces> surfaces);
    /// Requests a frame, which is drawn soon. The worker chooses the `step` of the request itself. Returns
    /// the number of the request.
    quint64 request(const FrameRequest& frame, bool moving);
    /// Stops drawing. To be called before shutdown().
    void close();
    /// Must be called on the worker's thread. Frees the OpenGL resources; nothing is drawn afterwards.
    Q_INVOKABLE void shutdown();

signals:
    void surfaceWanted();
    /// Emitted once, before the first frame.
    void limitsKnown(const highwater::widgets::RenderLimits& limits);
    void drawn(const highwater::widgets::RenderedFrame& frame);
    /// OpenGL 3.2 is not available. Emitted once; no frame follows.
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
    /// The measured cost of drawing one volume.
    struct Pace {
        SamplingChooser chooser;
        double raySteps = 1, rayStep = 1;  ///< mm, for one sample per voxel
        bool fresh = true;                 ///< no frame of this volume has been drawn yet
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
    std::optional<std::shared_ptr<const LabelSurfaces>> nextSurfaces_;
    quint64 requests_ = 0;
    bool hasSurface_ = false;
    bool closing_ = false;
};

}  // namespace highwater::widgets
