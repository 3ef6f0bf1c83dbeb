#include "widgets/scan/volume_renderer.h"

#include <vtkCamera.h>
#include <vtkColorTransferFunction.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkLight.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkUnsignedShortArray.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include <QOpenGLContext>
#include <QOpenGLExtraFunctions>

namespace highwater::widgets {

struct VolumeRenderer::Scene {
    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkRenderer> renderer;
    vtkNew<vtkOpenGLGPUVolumeRayCastMapper> mapper;
    vtkNew<vtkVolume> prop;
    vtkNew<vtkPiecewiseFunction> opacity;
    vtkNew<vtkColorTransferFunction> colour;
    std::shared_ptr<const RenderVolume> volume;
    Look look;

    void setLook(const Look& next);
    void setCamera(const OrbitCamera& camera, float aspect);
};

void VolumeRenderer::Scene::setLook(const Look& next) {
    if (next == look)
        return;
    look = next;
    opacity->RemoveAllPoints();
    colour->RemoveAllPoints();
    const double scale = 65535.0 / (volume->high - volume->low);
    for (const LookPoint& p : look) {
        const double x = (p.value - volume->low) * scale;
        opacity->AddPoint(x, p.opacity);
        colour->AddRGBPoint(x, p.colour[0], p.colour[1], p.colour[2]);
    }
}

void VolumeRenderer::Scene::setCamera(const OrbitCamera& camera, float aspect) {
    vtkCamera* const c = renderer->GetActiveCamera();
    const QVector3D from = camera.position(aspect), up = camera.up();
    c->SetFocalPoint(camera.centre.x(), camera.centre.y(), camera.centre.z());
    c->SetPosition(from.x(), from.y(), from.z());
    c->SetViewUp(up.x(), up.y(), up.z());
    c->SetViewAngle(OrbitCamera::kViewAngle);
    renderer->ResetCameraClippingRange();
}

VolumeRenderer::VolumeRenderer() : scene_(std::make_unique<Scene>()) {
    Scene& s = *scene_;
    vtkObject::GlobalWarningDisplayOff();
    s.window->SetOwnContext(0);
    s.window->SetIsCurrent(true);
    s.window->OpenGLInit();
    s.window->SetMultiSamples(0);
    s.window->SetOffScreenRendering(0);
    s.window->AddRenderer(s.renderer);
    s.renderer->GradientBackgroundOn();
    s.renderer->SetBackgroundAlpha(1);
    s.renderer->AutomaticLightCreationOff();

    vtkNew<vtkLight> key;
    key->SetLightTypeToCameraLight();
    key->SetPosition(0.35, 0.55, 1);
    key->SetFocalPoint(0, 0, 0);
    s.renderer->AddLight(key);

    s.mapper->SetAutoAdjustSampleDistances(0);
    s.mapper->SetImageSampleDistance(1);
    s.mapper->UseJitteringOn();
    vtkVolumeProperty* const property = s.prop->GetProperty();
    property->SetScalarOpacity(s.opacity);
    property->SetColor(s.colour);
    property->SetInterpolationTypeToLinear();
    property->ShadeOn();
    property->SetAmbient(0.24);
    property->SetDiffuse(0.92);
    property->SetSpecular(0.12);
    property->SetSpecularPower(18);
    s.prop->SetMapper(s.mapper);
}

VolumeRenderer::~VolumeRenderer() {
    scene_->window->Finalize();
}

void VolumeRenderer::setVolume(std::shared_ptr<const RenderVolume> volume) {
    Scene& s = *scene_;
    s.renderer->RemoveVolume(s.prop);
    s.volume = std::move(volume);
    s.look.clear();
    if (!s.volume) {
        s.mapper->SetInputData(static_cast<vtkImageData*>(nullptr));
        return;
    }
    const RenderVolume& v = *s.volume;
    vtkNew<vtkUnsignedShortArray> values;
    // VTK only reads the array; `save` leaves its memory ours.
    values->SetArray(const_cast<std::uint16_t*>(v.voxels.data()), static_cast<vtkIdType>(v.voxels.size()),
                     /*save=*/1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(v.size[0], v.size[1], v.size[2]);
    image->SetSpacing(v.spacing[0], v.spacing[1], v.spacing[2]);
    image->GetPointData()->SetScalars(values);
    s.mapper->SetInputData(image);

    vtkNew<vtkMatrix4x4> matrix;
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            matrix->SetElement(row, column, v.toPatient(row, column));
    s.prop->SetUserMatrix(matrix);
    s.renderer->AddVolume(s.prop);
}

QImage VolumeRenderer::render(QOpenGLContext& context, const FrameRequest& request) {
    Scene& s = *scene_;
    const int width = request.pixels.width(), height = request.pixels.height();
    if (!s.volume || width < 1 || height < 1)
        return {};
    s.setLook(request.look);
    s.window->SetSize(width, height);
    s.renderer->SetBackground(request.backgroundBottom.data());
    s.renderer->SetBackground2(request.backgroundTop.data());
    s.setCamera(request.camera, static_cast<float>(width) / static_cast<float>(height));
    s.mapper->SetSampleDistance(static_cast<float>(request.step));
    s.window->Render();

    QImage image(width, height, QImage::Format_RGB32);
    vtkOpenGLFramebufferObject* const frame = s.window->GetDisplayFramebuffer();
    if (!frame || image.isNull())
        return {};
    frame->Bind(GL_READ_FRAMEBUFFER);
    frame->ActivateReadBuffer(0);
    QOpenGLExtraFunctions* const gl = context.extraFunctions();
    gl->glPixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->glReadPixels(0, 0, width, height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, image.bits());
    return image.mirrored(false, true);
}

}  // namespace highwater::widgets
