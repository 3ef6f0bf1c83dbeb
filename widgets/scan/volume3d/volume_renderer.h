#pragma once

#include <QImage>
#include <QSize>
#include <array>
#include <memory>

#include "widgets/scan/volume3d/label_surfaces.h"
#include "widgets/scan/volume3d/orbit_camera.h"
#include "widgets/scan/volume3d/render_clip.h"
#include "widgets/scan/volume3d/render_volume.h"
#include "widgets/scan/volume3d/volume_look.h"

class QOpenGLContext;

namespace highwater::widgets {

/// One image to draw.
struct FrameRequest {
    QSize pixels;  ///< device pixels
    OrbitCamera camera;
    Look look;
    ClipPlanes clip;                    ///< what lies outside these planes is not drawn
    std::vector<SurfaceLook> surfaces;  ///< of the labels that are drawn
    bool coarse = false;                ///< draw the coarse volume if there is one
    double step = 1;                    ///< distance in mm between the samples of a ray
    std::array<double, 3> backgroundTop{}, backgroundBottom{};
};

/// VTK's ray caster in the caller's OpenGL context. It must be created, used and destroyed on one thread,
/// with that context current.
class VolumeRenderer {
public:
    VolumeRenderer();
    ~VolumeRenderer();
    VolumeRenderer(const VolumeRenderer&) = delete;
    VolumeRenderer& operator=(const VolumeRenderer&) = delete;

    /// `coarse` is a reduced volume of the same scan and scale, drawn for frames that ask for it; may be
    /// null.
    void setVolume(std::shared_ptr<const RenderVolume> volume,
                   std::shared_ptr<const RenderVolume> coarse = nullptr);
    bool hasCoarse() const;
    /// Sets the labels' surfaces; each frame says which of them it shows. May be null.
    void setSurfaces(const std::shared_ptr<const LabelSurfaces>& surfaces);
    /// Returns the frame as opaque pixels, or a null image if OpenGL failed.
    QImage render(QOpenGLContext& context, const FrameRequest& request);

private:
    struct Scene;
    std::unique_ptr<Scene> scene_;
};

}  // namespace highwater::widgets
