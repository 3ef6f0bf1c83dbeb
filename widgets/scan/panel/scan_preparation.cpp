#include "widgets/scan/panel/scan_preparation.h"

#include "core/volume/forget.h"

namespace highwater::widgets {

void ScanPreparation::start(const volume::Volume& volume) {
    job_.run(
        [this, volume](const LatestJob::Cancel& cancel) {
            const volume::Histogram histogram = volume::histogram(volume);
            volume::forgetVoxels(volume);
            job_.report(cancel, [this, histogram] { emit histogramReady(histogram); });
            return makeRenderVolume(volume, renderScale(volume, histogram), kCoarseVoxels, *cancel);
        },
        [this](const auto& render) { emit renderVolumeReady(render); });
}

}  // namespace highwater::widgets

#include "moc_scan_preparation.cpp"
