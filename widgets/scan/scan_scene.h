#pragma once

#include <QObject>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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

    /// The scan. Cursor and patch go to the centre and the crop is taken away, but on the grid of the scan
    /// before (another channel) all three stay. Overlay and channels are taken away, what is shown instead
    /// ends. An empty volume clears.
    void setVolume(const volume::Volume& volume);
    /// What is on show: the scan, or what is shown instead.
    const volume::Volume& volume() const { return shown_.volume; }
    const volume::Geometry& geometry() const { return shown_.volume.geometry(); }

    /// Another volume in the scan's place, with cursor, window and crop of its own and without a patch box;
    /// an empty one brings the scan back as it was. The window is remembered for the next one, the cursor
    /// stays between two of one size. True when the window is one that was remembered.
    bool showInstead(const volume::Volume& volume);
    bool showsInstead() const { return aside_.has_value(); }
    /// The scan, whatever is on show.
    const volume::Volume& scan() const { return aside_ ? aside_->volume : shown_.volume; }

    /// The case's other channels: their values are told beside the scan's, found by millimetres.
    void setChannels(std::vector<volume::Volume> others);
    /// None while something else is shown.
    const std::vector<volume::Volume>& channels() const;

    /// A voxel (i, j, k), clamped into the volume.
    void setCursor(const Index3& voxel);
    const Index3& cursor() const { return shown_.cursor; }
    /// Whether the views draw the cursor's lines.
    void setCrosshair(bool on);
    bool crosshair() const { return crosshair_; }

    void setWindow(const volume::Window& window);
    const volume::Window& window() const { return shown_.window; }
    /// Low values white.
    void setInverted(bool on);
    bool inverted() const { return inverted_; }
    /// Magnified slices are interpolated; otherwise voxels are seen as they are.
    void setSmooth(bool on);
    bool smooth() const { return smooth_; }

    /// How opaque the 3D picture is beside the usual: 0.05 to 20, clamped.
    void setOpacity(double factor);
    double opacity() const { return opacity_; }

    /// What the views show of the volume: 3D leaves out the rest, slices darken it. Changes nothing of what
    /// the network gets. Cut to the volume; nothing (also for the whole volume): all of it.
    void setCrop(const std::optional<PatchBox>& crop);
    const std::optional<PatchBox>& crop() const { return shown_.crop; }
    /// The crop, or the whole volume.
    PatchBox cropOrAll() const;
    /// The slices show the crop's handles.
    void setCropping(bool on);
    bool cropping() const { return cropping_; }

    /// Values 0 to 1 painted over the scan's slices as heat (the sampler's coverage): a volume in the same
    /// patient space, on a grid of its own; empty: none. `most` is what 1 stands for in the legend; 0: 100 %.
    void setOverlay(const volume::Volume& overlay, double most = 0);
    double overlayMost() const { return shown_.overlayMost; }
    const volume::Volume& overlay() const { return shown_.overlay; }
    /// The same over what is shown instead (a patch's target), until another volume is; nothing without.
    void setInsteadOverlay(const volume::Volume& overlay);
    /// 0 to 1, clamped.
    void setOverlayOpacity(double opacity);
    double overlayOpacity() const { return overlayOpacity_; }

    /// The box as given, clamped into the scan where it fits.
    void setPatch(const std::optional<PatchBox>& patch);
    /// A box of this extent (i, j, k) around the last chosen centre; clamped as above.
    void setPatchExtent(const Index3& extent);
    /// The user moves the box: clamped, and said by patchMoved.
    void movePatchTo(const Index3& start);
    /// The box to draw: none while something else is shown.
    const std::optional<PatchBox>& patch() const;
    /// The scan's box, whatever is on show.
    const std::optional<PatchBox>& scanPatch() const { return patch_; }

signals:
    void volumeChanged();
    void cursorChanged();  ///< or crosshair
    void windowChanged();  ///< or inverted, or smooth
    void opacityChanged();
    void cropChanged();     ///< or cropping
    void overlayChanged();  ///< or its opacity
    void patchChanged();
    void channelsChanged();
    void patchMoved(const highwater::widgets::PatchBox& patch);

private:
    /// What belongs to one volume on show.
    struct Shown {
        volume::Volume volume = {};
        Index3 cursor{};
        volume::Window window = {};
        std::optional<PatchBox> crop = {};
        volume::Volume overlay = {};
        double overlayMost = 0;
    };
    void centreCursor();
    void tellAll();
    void placePatch(const PatchBox& wanted);
    Shown shown_;
    std::optional<Shown> aside_;                   ///< the scan, while something else is shown
    std::optional<volume::Window> insteadWindow_;  ///< of what was shown instead last
    std::vector<volume::Volume> channels_;
    bool crosshair_ = true, inverted_ = false, smooth_ = true, cropping_ = false;
    double opacity_ = 1, overlayOpacity_ = 0.6;
    std::optional<PatchBox> patch_;
    std::array<double, 3> patchCentre_{};
};

}  // namespace highwater::widgets
