#pragma once

#include <QOffscreenSurface>
#include <QThread>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "widgets/scan/render_worker.h"

namespace highwater::widgets {

class ScanScene;

/// The scan in 3D with the patch box. Drag turns, wheel zooms, R or a double click asks for a reset or the
/// whole panel. Draws coarsely while something moves, finely at rest, both on a thread of its own.
class VolumeView : public QWidget {
    Q_OBJECT
public:
    explicit VolumeView(ScanScene& scene, QWidget* parent = nullptr);
    ~VolumeView() override;

    /// What to draw; null for nothing (the scan is being prepared, or there is none).
    void setRenderVolume(std::shared_ptr<const RenderVolume> volume);
    /// The finest picture for what is to be seen is on screen; true as well where there is nothing to draw or
    /// no OpenGL.
    bool settled() const;
    bool available() const { return available_; }
    /// What stands instead of a picture; empty where there is one, or no scan.
    QString message() const;
    const RenderedFrame& frame() const { return frame_; }
    const OrbitCamera& camera() const { return camera_; }
    void resetCamera();
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
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void startWorker();
    void requestFrame(bool moving);
    /// A coarse picture now, the fine one when nothing more has moved for a moment.
    void moved();
    void take(const RenderedFrame& frame);
    void becomeUnavailable();
    void paintBox(QPainter& painter) const;
    void paintNotes(QPainter& painter) const;

    ScanScene& scene_;
    std::shared_ptr<const RenderVolume> volume_;
    OrbitCamera camera_;
    RenderedFrame frame_;
    quint64 wanted_ = 0;  ///< the number of the newest request
    bool available_ = true;
    QTimer rest_;
    QPoint dragFrom_;
    QOffscreenSurface surface_;
    QThread thread_;
    RenderWorker* worker_ = nullptr;  ///< lives in thread_
};

}  // namespace highwater::widgets
