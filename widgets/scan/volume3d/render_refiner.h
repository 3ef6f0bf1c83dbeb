#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <memory>

#include "core/volume/volume.h"
#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {

/// Makes a finer (or smaller) RenderVolume of a scan on its own thread. Starting again, or destruction,
/// cancels the previous work; no signal is emitted for cancelled work.
class RenderRefiner : public QObject {
    Q_OBJECT
public:
    explicit RenderRefiner(QObject* parent = nullptr);
    ~RenderRefiner() override;

    void start(const volume::Volume& volume, const RenderScale& scale, int most);
    void cancel();
    bool pending() const { return cancelled_ != nullptr; }
    /// The limit of voxels along an axis for the work in progress; 0 if there is none.
    int most() const { return pending() ? most_ : 0; }

signals:
    void ready(const std::shared_ptr<const highwater::widgets::RenderVolume>& volume);

private:
    std::shared_ptr<std::atomic<bool>> cancelled_;  ///< of the work in progress
    int most_ = 0;
    QThreadPool pool_;
};

}  // namespace highwater::widgets
