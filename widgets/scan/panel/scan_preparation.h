#pragma once

#include <QObject>
#include <memory>

#include "core/volume/statistics.h"
#include "core/volume/volume.h"
#include "widgets/jobs/latest_job.h"
#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {

/// Reads a whole volume on its own thread: first its histogram, then a reduced volume that the 3D view draws
/// until it has made a finer one. A new volume, or destruction, cancels the work before; no signal is emitted
/// for cancelled work.
class ScanPreparation : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void start(const volume::Volume& volume);
    void cancel() { job_.cancel(); }
    bool pending() const { return job_.busy(); }

signals:
    void histogramReady(const highwater::volume::Histogram& histogram);
    void renderVolumeReady(const std::shared_ptr<const highwater::widgets::RenderVolume>& volume);

private:
    LatestJob job_;
};

}  // namespace highwater::widgets
