#include "widgets/scan/panel/scan_preparation.h"

#include <utility>

#include "core/volume/forget.h"

namespace highwater::widgets {

ScanPreparation::ScanPreparation(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
}

ScanPreparation::~ScanPreparation() {
    cancel();
    pool_.waitForDone();
}

void ScanPreparation::cancel() {
    if (const auto cancelled = std::exchange(cancelled_, nullptr)) {
        *cancelled = true;
    }
}

void ScanPreparation::start(const volume::Volume& volume) {
    cancel();
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    // `this` outlives the work: the destructor waits. What is posted to it after its end is dropped by Qt.
    pool_.start([this, volume, cancelled = cancelled_] {
        if (*cancelled) {
            return;
        }
        const volume::Histogram histogram = volume::histogram(volume);
        volume::forgetVoxels(volume);
        QMetaObject::invokeMethod(this, [this, histogram, cancelled] {
            if (!*cancelled) {
                emit histogramReady(histogram);
            }
        });
        const auto render =
            makeRenderVolume(volume, renderScale(volume, histogram), kCoarseVoxels, *cancelled);
        QMetaObject::invokeMethod(this, [this, render, cancelled] {
            if (*cancelled) {
                return;
            }
            cancelled_ = nullptr;
            emit renderVolumeReady(render);
        });
    });
}

}  // namespace highwater::widgets

#include "moc_scan_preparation.cpp"
