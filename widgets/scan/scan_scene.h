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
    void windowChanged();
    void patchChanged();
    void patchMoved(const highwater::widgets::PatchBox& patch);

private:
    void placePatch(const PatchBox& wanted);
    volume::Volume volume_;
    Index3 cursor_{};
    volume::Window window_;
    std::optional<PatchBox> patch_;
    std::array<double, 3> patchCentre_{};
};

}  // namespace highwater::widgets
