#pragma once

#include <QImage>
#include <QSize>
#include <array>
#include <memory>

#include "widgets/scan/volume3d/orbit_camera.h"
#include "widgets/scan/volume3d/render_clip.h"
#include "widgets/scan/volume3d/render_volume.h"
#include "widgets/scan/volume3d/volume_look.h"

class QOpenGLContext;

namespace highwater::widgets {

/// One picture to draw.
struct FrameRequest {
    QSize pixels;  ///< device pixels
    OrbitCamera camera;
    Look look;
    ClipPlanes clip;      ///< what lies outside is not drawn
    bool coarse = false;  ///< draw the coarse volume, where there is one
    double step = 1;      ///< mm between samples along a ray
    std::array<double, 3> backgroundTop{}, backgroundBottom{};
};

/// VTK's ray caster in an OpenGL context of the caller. Made, used and destroyed in one thread, with that
/// context current.
class VolumeRenderer {
public:
    VolumeRenderer();
    ~VolumeRenderer();
    VolumeRenderer(const VolumeRenderer&) = delete;
    VolumeRenderer& operator=(const VolumeRenderer&) = delete;

    /// `coarse`: of the same scan and scale, for frames that ask for it; may be null.
    void setVolume(std::shared_ptr<const RenderVolume> volume,
                   std::shared_ptr<const RenderVolume> coarse = nullptr);
    bool hasCoarse() const;
    /// The frame as opaque pixels; null where OpenGL refused.
    QImage render(QOpenGLContext& context, const FrameRequest& request);

private:
    struct Scene;
    std::unique_ptr<Scene> scene_;
};

}  // namespace highwater::widgets
