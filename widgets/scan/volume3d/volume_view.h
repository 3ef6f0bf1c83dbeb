#pragma once

#include <QOffscreenSurface>
#include <QThread>
#include <QTimer>
#include <QWidget>
#include <array>
#include <memory>

#include "widgets/jobs/latest_job.h"
#include "widgets/scan/volume3d/render_refiner.h"
#include "widgets/scan/volume3d/render_worker.h"

namespace highwater::widgets {

class ScanScene;

/// The scan in 3D, with the patch box, the crop and the cursor's lines. It draws coarsely while something
/// moves and finely at rest, both on its own thread. Dragging with the left button rotates; with Ctrl it
/// changes the opacity, with Shift (or the middle button) it pans. Dragging with the right button changes the
/// window; the wheel zooms; a click puts the cursor on the surface there. helpText() lists the keys.
class VolumeView : public QWidget {
    Q_OBJECT
public:
    explicit VolumeView(ScanScene& scene, QWidget* parent = nullptr);
    ~VolumeView() override;

    /// Sets the volume to draw first; null for none (the scan is being prepared, or there is none). A finer
    /// volume, or one that is small enough for the GPU, is made from the scene's volume if that helps.
    void setRenderVolume(std::shared_ptr<const RenderVolume> volume);
    /// Sets the limits of OpenGL. They are detected automatically before the first frame.
    void setLimits(const RenderLimits& limits);
    const RenderLimits& limits() const { return limits_; }
    /// True if the final image is on screen. Also true if there is nothing to draw, or no OpenGL.
    bool settled() const;
    bool available() const { return available_; }
    /// The text shown instead of an image; empty if there is an image, or no scan.
    QString message() const;
    /// "drawn at 1/2" if the image has fewer voxels than the scan; otherwise empty.
    QString resolutionText() const;
    static QString helpText();
    const RenderedFrame& frame() const { return frame_; }
    const std::shared_ptr<const RenderVolume>& renderVolume() const { return volume_; }
    const OrbitCamera& camera() const { return camera_; }
    void setCamera(const OrbitCamera& camera);
    void resetCamera();
    /// Puts the cursor on the first surface hit at a point of the view. Returns false if there is none.
    bool pick(const QPointF& at);
    QSize sizeHint() const override { return {220, 220}; }

signals:
    void settledChanged();
    void maximiseRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    static constexpr std::array<double, 3> kGroundTop{0.115, 0.125, 0.145}, kGroundBottom{0.055, 0.06, 0.07};
    enum class Drag { None, Turn, Pan, Window, Opacity };
    void startWorker();
    Look look() const;
    ClipPlanes clip() const;
    /// The labels whose surfaces are drawn.
    std::vector<SurfaceLook> surfaceLooks() const;
    void takeLabels();
    void requestFrame(bool moving);
    /// Requests a coarse image now, and the fine one when nothing has moved for a moment.
    void moved();
    void rested();
    void refine();
    void takeFiner(const std::shared_ptr<const RenderVolume>& volume);
    void swapIn();
    void take(const RenderedFrame& frame);
    void becomeUnavailable();
    void paintLines(QPainter& painter) const;
    void paintNotes(QPainter& painter) const;
    void describe();
    Drag dragFor(const QMouseEvent& event) const;
    void dragBy(const QPointF& step, const QPointF& sinceStart);
    bool turnKey(const QKeyEvent& event);
    bool sceneKey(const QKeyEvent& event);

    ScanScene& scene_;
    std::shared_ptr<const RenderVolume> volume_;
    std::shared_ptr<const RenderVolume> coarse_;  ///< drawn while something moves, if there is no GPU
    std::shared_ptr<const RenderVolume> finer_;   ///< ready, but not shown while something moves
    RenderRefiner refiner_;
    RenderLimits limits_;
    OrbitCamera camera_;
    RenderedFrame frame_;
    quint64 wanted_ = 0;  ///< the number of the newest request
    bool available_ = true;
    QTimer rest_;

    Drag drag_ = Drag::None;
    bool clicked_ = false;  ///< pressed, and not moved since
    QPointF dragFrom_, dragAt_;
    volume::Window windowFrom_;
    double opacityFrom_ = 1;

    QThreadPool surfacePool_;
    LatestJob surfaceJob_{surfacePool_};
    volume::Volume surfacesOf_;  ///< the label map whose surfaces are drawn, or being made

    QOffscreenSurface surface_;
    QThread thread_;
    RenderWorker* worker_ = nullptr;  ///< lives in thread_
};

}  // namespace highwater::widgets
