#include "widgets/scan/scan_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace highwater::widgets {

void ScanScene::setVolume(const volume::Volume& volume) {
    volume_ = volume;
    const Index3& size = geometry().size;
    for (std::size_t a = 0; a < 3; ++a) {
        cursor_[a] = size[a] / 2;
        patchCentre_[a] = static_cast<double>(size[a]) / 2;
    }
    emit volumeChanged();
    emit cursorChanged();
    if (patch_ && !volume_.empty())
        setPatchExtent(patch_->extent);
}

void ScanScene::setCursor(const Index3& voxel) {
    if (volume_.empty())
        return;
    Index3 next = voxel;
    for (std::size_t a = 0; a < 3; ++a)
        next[a] = std::clamp<std::int64_t>(voxel[a], 0, geometry().size[a] - 1);
    if (next == cursor_)
        return;
    cursor_ = next;
    emit cursorChanged();
}

void ScanScene::setWindow(const volume::Window& window) {
    if (!std::isfinite(window.low) || !std::isfinite(window.high))
        return;
    const double narrowest = std::max(1e-6, std::abs(window.level()) * 1e-9);
    const volume::Window next =
        volume::Window::fromLevel(window.level(), std::max(window.width(), narrowest));
    if (next == window_)
        return;
    window_ = next;
    emit windowChanged();
}

void ScanScene::setPatch(const std::optional<PatchBox>& patch) {
    if (!patch) {
        if (std::exchange(patch_, std::nullopt))
            emit patchChanged();
        return;
    }
    for (std::size_t a = 0; a < 3; ++a)
        patchCentre_[a] = static_cast<double>(patch->start[a]) + static_cast<double>(patch->extent[a]) / 2;
    placePatch(*patch);
}

void ScanScene::setPatchExtent(const Index3& extent) {
    PatchBox wanted{.extent = extent};
    for (std::size_t a = 0; a < 3; ++a)
        wanted.start[a] = std::llround(patchCentre_[a] - static_cast<double>(extent[a]) / 2);
    placePatch(wanted);
}

void ScanScene::movePatchTo(const Index3& start) {
    if (!patch_)
        return;
    const PatchBox before = *patch_;
    setPatch(clampedPatch({start, patch_->extent}, geometry().size));
    if (*patch_ != before)
        emit patchMoved(*patch_);
}

void ScanScene::placePatch(const PatchBox& wanted) {
    const PatchBox next = volume_.empty() ? wanted : clampedPatch(wanted, geometry().size);
    if (patch_ == next)
        return;
    patch_ = next;
    emit patchChanged();
}

}  // namespace highwater::widgets
