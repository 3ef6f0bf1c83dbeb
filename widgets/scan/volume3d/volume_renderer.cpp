#include "widgets/scan/volume3d/volume_renderer.h"

#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkColorTransferFunction.h>
#include <vtkFloatArray.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkLight.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkOpenGLFramebufferObject.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPlane.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkUnsignedShortArray.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include <QOpenGLContext>
#include <QOpenGLExtraFunctions>
#include <algorithm>
#include <utility>

namespace highwater::widgets {

namespace {

/// The nearest rigid transform.
QMatrix4x4 straightened(const QMatrix4x4& m) {
    const QVector3D x = m.column(0).toVector3D().normalized();
    const QVector3D y1 = m.column(1).toVector3D();
    const QVector3D y = (y1 - QVector3D::dotProduct(x, y1) * x).normalized();
    const QVector3D z = QVector3D::crossProduct(x, y);
    QMatrix4x4 out;
    out.setColumn(0, QVector4D(x, 0));
    out.setColumn(1, QVector4D(y, 0));
    out.setColumn(2, QVector4D(z, 0));
    out.setColumn(3, m.column(3));
    return out;
}

vtkNew<vtkPolyData> polygonsOf(const LabelSurface& surface) {
    const auto array = [](const std::vector<float>& from) {
        vtkNew<vtkFloatArray> values;
        values->SetNumberOfComponents(3);
        values->SetNumberOfTuples(static_cast<vtkIdType>(from.size() / 3));
        std::ranges::copy(from, values->GetPointer(0));
        return values;
    };
    vtkNew<vtkPoints> points;
    points->SetData(array(surface.points));
    vtkNew<vtkCellArray> triangles;
    triangles->AllocateExact(static_cast<vtkIdType>(surface.triangles.size() / 3),
                             static_cast<vtkIdType>(surface.triangles.size()));
    for (std::size_t n = 0; n + 2 < surface.triangles.size(); n += 3) {
        triangles->InsertNextCell({surface.triangles[n], surface.triangles[n + 1], surface.triangles[n + 2]});
    }
    vtkNew<vtkPolyData> out;
    out->SetPoints(points);
    out->SetPolys(triangles);
    out->GetPointData()->SetNormals(array(surface.normals));
    return out;
}

vtkNew<vtkMatrix4x4> asVtk(const QMatrix4x4& from) {
    vtkNew<vtkMatrix4x4> matrix;
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
            matrix->SetElement(row, column, from(row, column));
        }
    }
    return matrix;
}

}  // namespace

struct VolumeRenderer::Scene {
    vtkNew<vtkGenericOpenGLRenderWindow> window;
    vtkNew<vtkRenderer> renderer;
    /// The volume, and a coarser one of the same scan. One of them is visible.
    struct Layer {
        vtkNew<vtkOpenGLGPUVolumeRayCastMapper> mapper;
        vtkNew<vtkVolume> prop;
        std::shared_ptr<const RenderVolume> volume;
    };
    Layer fine, coarse;
    struct Surface {
        std::int64_t value = 0;
        vtkNew<vtkPolyDataMapper> mapper;
        vtkNew<vtkActor> actor;
    };
    std::vector<std::unique_ptr<Surface>> surfaces;
    vtkNew<vtkPiecewiseFunction> opacity;
    vtkNew<vtkColorTransferFunction> color;
    Look look;
    ClipPlanes clip;
    /// VTK lights a rotated volume as if it were not rotated. So volumes are axis-aligned, and the patient
    /// (RAS+ mm), camera and planes are transformed to match.
    QMatrix4x4 fromPatient;

    void prepare(Layer& layer);
    void place(Layer& layer, std::shared_ptr<const RenderVolume> volume);
    void setLook(const Look& next);
    void setClip(const ClipPlanes& next);
    void setSurfaceLooks(const std::vector<SurfaceLook>& looks);
    void setCamera(const OrbitCamera& camera, float aspect);
};

/// Surfaces need no smoothing of normals: theirs are the gradients of the smoothed labels.
void VolumeRenderer::Scene::setSurfaceLooks(const std::vector<SurfaceLook>& looks) {
    for (const auto& surface : surfaces) {
        const auto look = std::ranges::find(looks, surface->value, &SurfaceLook::value);
        surface->actor->SetVisibility(look != looks.end());
        if (look != looks.end()) {
            surface->actor->GetProperty()->SetColor(look->color[0], look->color[1], look->color[2]);
        }
    }
}

void VolumeRenderer::Scene::setLook(const Look& next) {
    if (next == look) {
        return;
    }
    look = next;
    opacity->RemoveAllPoints();
    color->RemoveAllPoints();
    const double scale = 65535.0 / (fine.volume->high - fine.volume->low);
    for (const LookPoint& p : look) {
        const double x = (p.value - fine.volume->low) * scale;
        opacity->AddPoint(x, p.opacity);
        color->AddRGBPoint(x, p.color[0], p.color[1], p.color[2]);
    }
}

void VolumeRenderer::Scene::setClip(const ClipPlanes& next) {
    if (next == clip) {
        return;
    }
    clip = next;
    std::vector<vtkAbstractMapper*> mappers{fine.mapper, coarse.mapper};
    for (const auto& surface : surfaces) {
        mappers.push_back(surface->mapper);
    }
    for (vtkAbstractMapper* mapper : mappers) {
        mapper->RemoveAllClippingPlanes();
    }
    for (const QVector4D& face : clip) {
        const QVector3D on = fromPatient.map(-face.w() * face.toVector3D());
        const QVector3D normal = fromPatient.mapVector(face.toVector3D());
        vtkNew<vtkPlane> plane;
        plane->SetNormal(normal.x(), normal.y(), normal.z());
        plane->SetOrigin(on.x(), on.y(), on.z());
        for (vtkAbstractMapper* mapper : mappers) {
            mapper->AddClippingPlane(plane);
        }
    }
}

void VolumeRenderer::Scene::setCamera(const OrbitCamera& camera, float aspect) {
    vtkCamera* const c = renderer->GetActiveCamera();
    const QVector3D from = fromPatient.map(camera.position(aspect)), up = fromPatient.mapVector(camera.up()),
                    to = fromPatient.map(camera.target());
    c->SetFocalPoint(to.x(), to.y(), to.z());
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

    // With any other light, VTK 9.1 computes wrong normals if a volume is rotated or its sides differ in
    // length.
    vtkNew<vtkLight> key;
    key->SetLightTypeToHeadlight();
    s.renderer->AddLight(key);

    s.prepare(s.fine);
    s.prepare(s.coarse);
}

void VolumeRenderer::Scene::prepare(Layer& layer) {
    layer.mapper->SetAutoAdjustSampleDistances(0);
    layer.mapper->SetImageSampleDistance(1);
    layer.mapper->UseJitteringOn();
    vtkVolumeProperty* const property = layer.prop->GetProperty();
    property->SetScalarOpacity(opacity);
    property->SetColor(color);
    property->SetInterpolationTypeToLinear();
    property->ShadeOn();
    property->SetAmbient(0.24);
    property->SetDiffuse(0.92);
    property->SetSpecular(0.12);
    property->SetSpecularPower(18);
    layer.prop->SetMapper(layer.mapper);
}

VolumeRenderer::~VolumeRenderer() {
    scene_->window->Finalize();
}

void VolumeRenderer::setVolume(std::shared_ptr<const RenderVolume> volume,
                               std::shared_ptr<const RenderVolume> coarse) {
    Scene& s = *scene_;
    s.look.clear();
    s.clip.clear();
    if (volume) {
        s.fromPatient = straightened(volume->toPatient).inverted();
    }
    for (const auto& surface : s.surfaces) {
        surface->actor->SetUserMatrix(asVtk(s.fromPatient));
    }
    s.place(s.fine, std::move(volume));
    s.place(s.coarse, s.fine.volume ? std::move(coarse) : nullptr);
}

void VolumeRenderer::setSurfaces(const std::shared_ptr<const LabelSurfaces>& surfaces) {
    Scene& s = *scene_;
    for (const auto& surface : s.surfaces) {
        s.renderer->RemoveActor(surface->actor);
        surface->actor->ReleaseGraphicsResources(s.window);
    }
    s.surfaces.clear();
    s.clip.clear();  // the next frame sets it again, also for the new mappers
    for (Scene::Layer* layer : {&s.fine, &s.coarse}) {
        layer->mapper->RemoveAllClippingPlanes();
    }
    for (const LabelSurface& each : surfaces ? *surfaces : LabelSurfaces()) {
        auto made = std::make_unique<Scene::Surface>();
        made->value = each.value;
        made->mapper->SetInputData(polygonsOf(each));
        made->mapper->ScalarVisibilityOff();
        made->actor->SetMapper(made->mapper);
        made->actor->SetUserMatrix(asVtk(s.fromPatient));
        vtkProperty* const property = made->actor->GetProperty();
        property->SetInterpolationToPhong();
        property->SetAmbient(0.25);
        property->SetDiffuse(0.8);
        property->SetSpecular(0.15);
        property->SetSpecularPower(20);
        s.renderer->AddActor(made->actor);
        s.surfaces.push_back(std::move(made));
    }
}

bool VolumeRenderer::hasCoarse() const {
    return scene_->coarse.volume != nullptr;
}

void VolumeRenderer::Scene::place(Layer& layer, std::shared_ptr<const RenderVolume> volume) {
    layer.mapper->RemoveAllClippingPlanes();
    renderer->RemoveVolume(layer.prop);
    layer.volume = std::move(volume);
    if (!layer.volume) {
        layer.mapper->SetInputData(static_cast<vtkImageData*>(nullptr));
        return;
    }
    const RenderVolume& v = *layer.volume;
    vtkNew<vtkUnsignedShortArray> values;
    // VTK only reads the array; with `save` set it does not free it.
    values->SetArray(const_cast<std::uint16_t*>(v.voxels.data()), static_cast<vtkIdType>(v.voxels.size()),
                     /*save=*/1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(v.size[0], v.size[1], v.size[2]);
    image->SetSpacing(v.spacing[0], v.spacing[1], v.spacing[2]);
    image->GetPointData()->SetScalars(values);
    layer.mapper->SetInputData(image);

    layer.prop->GetProperty()->SetScalarOpacityUnitDistance(v.opacityUnit);
    // Rotates by no more than the shear of a malformed header.
    const QMatrix4x4 rest = fromPatient * v.toPatient;
    layer.prop->SetUserMatrix(asVtk(rest));
    renderer->AddVolume(layer.prop);
}

QImage VolumeRenderer::render(QOpenGLContext& context, const FrameRequest& request) {
    Scene& s = *scene_;
    const int width = request.pixels.width(), height = request.pixels.height();
    if (!s.fine.volume || width < 1 || height < 1) {
        return {};
    }
    const bool coarse = request.coarse && s.coarse.volume;
    s.fine.prop->SetVisibility(!coarse);
    s.coarse.prop->SetVisibility(coarse);
    (coarse ? s.coarse : s.fine).mapper->SetSampleDistance(static_cast<float>(request.step));
    s.setLook(request.look);
    s.setSurfaceLooks(request.surfaces);
    s.setClip(request.clip);
    s.window->SetSize(width, height);
    s.renderer->SetBackground(request.backgroundBottom.data());
    s.renderer->SetBackground2(request.backgroundTop.data());
    s.setCamera(request.camera, static_cast<float>(width) / static_cast<float>(height));
    s.window->Render();

    QImage image(width, height, QImage::Format_RGB32);
    vtkOpenGLFramebufferObject* const frame = s.window->GetDisplayFramebuffer();
    if (!frame || image.isNull()) {
        return {};
    }
    frame->Bind(GL_READ_FRAMEBUFFER);
    frame->ActivateReadBuffer(0);
    QOpenGLExtraFunctions* const gl = context.extraFunctions();
    gl->glPixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->glReadPixels(0, 0, width, height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, image.bits());
    return image.mirrored(false, true);
}

}  // namespace highwater::widgets
