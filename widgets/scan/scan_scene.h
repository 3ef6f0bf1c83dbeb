#pragma once

#include <QObject>
#include <array>
#include <cstdint>
#include <optional>

#include "core/volume/volume.h"
#include "core/volume/windowing.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// What the linked views show: one volume, one cursor, one window, one patch box. Every setter clamps, then
/// tells of a change once.
class ScanScene : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Cursor and patch go to the centre. An empty volume clears.
    void setVolume(const volume::Volume& volume);
    const volume::Volume& volume() const { return volume_; }
    const volume::Geometry& geometry() const { return volume_.geometry(); }

    /// A voxel (i, j, k), clamped into the volume.
    void setCursor(const Index3& voxel);
    const Index3& cursor() const { return cursor_; }

    void setWindow(const volume::Window& window);
    const volume::Window& window() const { return window_; }
    /// Low values white.
    void setInverted(bool on);
    bool inverted() const { return inverted_; }

    /// How opaque the 3D picture is beside the usual: 0.05 to 20, clamped.
    void setOpacity(double factor);
    double opacity() const { return opacity_; }

    /// What the views show of the volume: 3D leaves out the rest, slices darken it. Changes nothing of what
    /// the network gets. Clamped into the volume; nothing: all of it.
    void setCrop(const std::optional<PatchBox>& crop);
    const std::optional<PatchBox>& crop() const { return crop_; }

    /// Values 0 to 1 painted over the slices as heat (the sampler's coverage): a volume in the same patient
    /// space, on a grid of its own; empty: none.
    void setOverlay(const volume::Volume& overlay);
    const volume::Volume& overlay() const { return overlay_; }

    /// The box as given, clamped into the volume where it fits.
    void setPatch(const std::optional<PatchBox>& patch);
    /// A box of this extent (i, j, k) around the last chosen centre; clamped as above.
    void setPatchExtent(const Index3& extent);
    /// The user moves the box: clamped, and said by patchMoved.
    void movePatchTo(const Index3& start);
    const std::optional<PatchBox>& patch() const { return patch_; }

signals:
    void volumeChanged();
    void cursorChanged();
    void windowChanged();  ///< or inverted
    void opacityChanged();
    void cropChanged();
    void overlayChanged();
    void patchChanged();
    void patchMoved(const highwater::widgets::PatchBox& patch);

private:
    void placePatch(const PatchBox& wanted);
    volume::Volume volume_;
    Index3 cursor_{};
    volume::Window window_;
    bool inverted_ = false;
    double opacity_ = 1;
    std::optional<PatchBox> crop_;
    volume::Volume overlay_;
    std::optional<PatchBox> patch_;
    std::array<double, 3> patchCentre_{};
};

}  // namespace highwater::widgets
