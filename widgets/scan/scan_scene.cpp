#include "widgets/scan/scan_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/scan/crop_box.h"

namespace highwater::widgets {

void ScanScene::centerCursor() {
    for (std::size_t a = 0; a < 3; ++a) {
        shown_.cursor[a] = geometry().size[a] / 2;
    }
}

void ScanScene::tellAll() {
    emit volumeChanged();
    emit cursorChanged();
    emit windowChanged();
    emit cropChanged();
    emit overlayChanged();
    emit distancesChanged();
    emit labelsChanged();
    emit channelsChanged();
    emit patchChanged();
}

void ScanScene::setVolume(const volume::Volume& volume) {
    if (aside_) {
        shown_ = *std::exchange(aside_, std::nullopt);
    }
    const bool sameGrid = !volume.empty() && !shown_.volume.empty() && volume.geometry() == geometry();
    insteadWindow_.reset();
    channels_.clear();
    shown_.volume = volume;
    shown_.overlay = {};
    if (!sameGrid) {
        cropping_ = false;
        shown_.crop.reset();
        shown_.labels = {};
        shown_.distances = {};
        measuring_ = false;
        centerCursor();
        for (std::size_t a = 0; a < 3; ++a) {
            patchCenter_[a] = static_cast<double>(geometry().size[a]) / 2;
        }
    }
    tellAll();
    if (patch_ && !volume.empty()) {
        setPatchExtent(patch_->extent);
    }
}

bool ScanScene::showInstead(const volume::Volume& volume) {
    if (volume.empty() && !aside_) {
        return true;
    }
    if (aside_) {
        insteadWindow_ = shown_.window;
    }
    if (volume.empty()) {
        shown_ = *std::exchange(aside_, std::nullopt);
        tellAll();
        return true;
    }
    const bool sameSize = aside_ && geometry().size == volume.geometry().size;
    const Shown before = shown_;
    if (!aside_) {
        aside_ = shown_;
    }
    shown_ = {.volume = volume, .window = insteadWindow_.value_or(before.window)};
    centerCursor();
    if (sameSize) {
        shown_.cursor = before.cursor;
        shown_.crop = before.crop;
    }
    tellAll();
    return insteadWindow_.has_value();
}

void ScanScene::setChannels(std::vector<volume::Volume> others) {
    channels_ = std::move(others);
    emit channelsChanged();
}

const std::vector<volume::Volume>& ScanScene::channels() const {
    static const std::vector<volume::Volume> none;
    return aside_ ? none : channels_;
}

void ScanScene::setCursor(const Index3& voxel) {
    if (volume().empty()) {
        return;
    }
    Index3 next = voxel;
    for (std::size_t a = 0; a < 3; ++a) {
        next[a] = std::clamp<std::int64_t>(voxel[a], 0, geometry().size[a] - 1);
    }
    if (next == shown_.cursor) {
        return;
    }
    shown_.cursor = next;
    emit cursorChanged();
}

void ScanScene::setCrosshair(bool on) {
    if (std::exchange(crosshair_, on) != on) {
        emit cursorChanged();
    }
}

void ScanScene::setWindow(const volume::Window& window) {
    if (!std::isfinite(window.low) || !std::isfinite(window.high)) {
        return;
    }
    const double narrowest = std::max(1e-6, std::abs(window.level()) * 1e-9);
    const volume::Window next =
        volume::Window::fromLevel(window.level(), std::max(window.width(), narrowest));
    if (next == shown_.window) {
        return;
    }
    shown_.window = next;
    emit windowChanged();
}

void ScanScene::setInverted(bool on) {
    if (std::exchange(inverted_, on) != on) {
        emit windowChanged();
    }
}

void ScanScene::setSmooth(bool on) {
    if (std::exchange(smooth_, on) != on) {
        emit windowChanged();
    }
}

void ScanScene::setOpacity(double factor) {
    if (std::isnan(factor)) {
        return;
    }
    const double next = std::clamp(factor, 0.05, 20.0);
    if (std::exchange(opacity_, next) != next) {
        emit opacityChanged();
    }
}

void ScanScene::setCrop(const std::optional<PatchBox>& crop) {
    std::optional<PatchBox> next;
    if (crop && !volume().empty()) {
        next = cutTo(*crop, geometry().size);
    }
    if (next == wholeBox(geometry().size)) {
        next.reset();
    }
    if (next == shown_.crop) {
        return;
    }
    shown_.crop = next;
    emit cropChanged();
}

PatchBox ScanScene::cropOrAll() const {
    return shown_.crop.value_or(wholeBox(geometry().size));
}

void ScanScene::setCropping(bool on) {
    const bool next = on && !volume().empty();
    if (std::exchange(cropping_, next) != next) {
        emit cropChanged();
    }
}

void ScanScene::setDistances(const Distances& distances) {
    if (!volume().empty() && distances != shown_.distances) {
        shown_.distances = distances;
        emit distancesChanged();
    }
}

void ScanScene::setMeasuring(bool on) {
    const bool next = on && !volume().empty();
    if (std::exchange(measuring_, next) == next) {
        return;
    }
    shown_.distances.drop();
    emit distancesChanged();
}

void ScanScene::setOverlay(const volume::Volume& overlay, double most) {
    Shown& scan = aside_ ? *aside_ : shown_;
    if (overlay.empty() && scan.overlay.empty()) {
        return;
    }
    scan.overlay = overlay;
    scan.overlayMost = most;
    if (!aside_) {
        emit overlayChanged();
    }
}

void ScanScene::setInsteadOverlay(const volume::Volume& overlay) {
    if (!aside_ || (overlay.empty() && shown_.overlay.empty())) {
        return;
    }
    shown_.overlay = overlay;
    emit overlayChanged();
}

void ScanScene::setOverlayOpacity(double opacity) {
    if (std::isnan(opacity)) {
        return;
    }
    const double next = std::clamp(opacity, 0.0, 1.0);
    if (std::exchange(overlayOpacity_, next) != next) {
        emit overlayChanged();
    }
}

void ScanScene::hideHiddenLabels(LabelMap& labels) const {
    for (LabelStyle& label : labels.labels) {
        label.shown = !hiddenLabels_.contains({label.value, label.name});
    }
}

void ScanScene::rememberShown(const LabelStyle& label, bool on) {
    if (on) {
        hiddenLabels_.erase({label.value, label.name});
    } else {
        hiddenLabels_.insert({label.value, label.name});
    }
}

void ScanScene::setLabels(const LabelMap& labels) {
    Shown& scan = aside_ ? *aside_ : shown_;
    if (labels.empty() && scan.labels.empty()) {
        return;
    }
    scan.labels = labels;
    hideHiddenLabels(scan.labels);
    if (!aside_) {
        emit labelsChanged();
    }
}

void ScanScene::showLabel(std::int64_t value, bool on) {
    const LabelStyle* const label = labels().find(value);
    if (!label || label->shown == on) {
        return;
    }
    rememberShown(*label, on);
    hideHiddenLabels(shown_.labels);
    emit labelsChanged();
}

void ScanScene::showAllLabels(bool on) {
    for (const LabelStyle& label : labels().labels) {
        rememberShown(label, on);
    }
    hideHiddenLabels(shown_.labels);
    emit labelsChanged();
}

void ScanScene::setLabelsVisible(bool on) {
    if (std::exchange(labelsVisible_, on) != on) {
        emit labelsChanged();
    }
}

void ScanScene::setLabelSurfaces(bool on) {
    if (std::exchange(labelSurfaces_, on) != on) {
        emit labelsChanged();
    }
}

void ScanScene::setLabelOpacity(double opacity) {
    if (std::isnan(opacity)) {
        return;
    }
    const double next = std::clamp(opacity, 0.05, 1.0);
    if (std::exchange(labelOpacity_, next) != next) {
        emit labelsChanged();
    }
}

const std::optional<PatchBox>& ScanScene::patch() const {
    static const std::optional<PatchBox> none;
    return aside_ ? none : patch_;
}

bool ScanScene::patchExceedsScan() const {
    const auto& box = patch();
    for (std::size_t a = 0; box && !volume().empty() && a < 3; ++a) {
        if (box->extent[a] > geometry().size[a]) {
            return true;
        }
    }
    return false;
}

void ScanScene::setPatch(const std::optional<PatchBox>& patch) {
    if (!patch) {
        if (std::exchange(patch_, std::nullopt)) {
            emit patchChanged();
        }
        return;
    }
    for (std::size_t a = 0; a < 3; ++a) {
        patchCenter_[a] = static_cast<double>(patch->start[a]) + static_cast<double>(patch->extent[a]) / 2;
    }
    placePatch(*patch);
}

void ScanScene::setPatchExtent(const Index3& extent) {
    PatchBox wanted{.extent = extent};
    for (std::size_t a = 0; a < 3; ++a) {
        wanted.start[a] = std::llround(patchCenter_[a] - static_cast<double>(extent[a]) / 2);
    }
    placePatch(wanted);
}

void ScanScene::movePatchTo(const Index3& start) {
    if (!patch()) {
        return;
    }
    const PatchBox before = *patch_;
    setPatch(volume::clampPatch({start, patch_->extent}, geometry().size));
    if (*patch_ != before) {
        emit patchMoved(*patch_);
    }
}

void ScanScene::placePatch(const PatchBox& wanted) {
    const PatchBox next = scan().empty() ? wanted : volume::clampPatch(wanted, scan().geometry().size);
    if (patch_ == next) {
        return;
    }
    patch_ = next;
    emit patchChanged();
}

}  // namespace highwater::widgets

#include "moc_scan_scene.cpp"
