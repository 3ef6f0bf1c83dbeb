#pragma once

#include <QObject>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/volume/volume.h"
#include "core/volume/windowing.h"
#include "widgets/scan/distances.h"
#include "widgets/scan/label_map.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// The state that the linked views share: one volume, one cursor, one window, one patch box. Each setter
/// clamps its value, and emits one signal if something changed.
class ScanScene : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Sets the scan. Cursor and patch move to the center, and crop, labels and distances are removed; all of
    /// them stay if the scan has the same grid as the previous one (another channel). The overlay and the
    /// channels are removed, and a volume shown instead is closed. An empty volume clears the scene.
    void setVolume(const volume::Volume& volume);
    /// The current volume: the scan, or the volume shown instead.
    const volume::Volume& volume() const { return shown_.volume; }
    const volume::Geometry& geometry() const { return shown_.volume.geometry(); }

    /// Shows another volume in place of the scan. It has its own cursor, window and crop, and no patch box.
    /// An empty volume restores the scan with its state. The window is kept for the next volume that is shown
    /// instead; the cursor stays if both have the same size. Returns true if a kept window was used.
    bool showInstead(const volume::Volume& volume);
    bool showsInstead() const { return aside_.has_value(); }
    /// The scan, also while another volume is shown instead.
    const volume::Volume& scan() const { return aside_ ? aside_->volume : shown_.volume; }

    /// The other channels of the case. Their values at the same position in millimeters are shown together
    /// with the scan's.
    void setChannels(std::vector<volume::Volume> others);
    /// Empty while another volume is shown instead.
    const std::vector<volume::Volume>& channels() const;

    /// A voxel (i, j, k), clamped to the volume.
    void setCursor(const Index3& voxel);
    const Index3& cursor() const { return shown_.cursor; }
    /// Sets whether the views draw the cursor's lines.
    void setCrosshair(bool on);
    bool crosshair() const { return crosshair_; }

    void setWindow(const volume::Window& window);
    const volume::Window& window() const { return shown_.window; }
    /// Sets whether low values are shown white.
    void setInverted(bool on);
    bool inverted() const { return inverted_; }
    /// Sets whether magnified slices are interpolated; otherwise single voxels can be seen.
    void setSmooth(bool on);
    bool smooth() const { return smooth_; }

    /// The opacity of the 3D image, relative to the default opacity: 0.05 to 20, clamped.
    void setOpacity(double factor);
    double opacity() const { return opacity_; }

    /// The crop of the volume in the views: 3D omits what is outside, slices darken it. It does not change
    /// what is passed to the network. It is clipped to the volume. std::nullopt (also stored for the whole
    /// volume) means no crop.
    void setCrop(const std::optional<PatchBox>& crop);
    const std::optional<PatchBox>& crop() const { return shown_.crop; }
    /// The crop, or the whole volume.
    PatchBox cropOrAll() const;
    /// Sets whether the slices show the handles of the crop.
    void setCropping(bool on);
    bool cropping() const { return cropping_; }

    /// The distances measured in the current volume; dropped with it, unless the next volume has the same
    /// grid.
    void setDistances(const Distances& distances);
    const Distances& distances() const { return shown_.distances; }
    /// Sets whether the left button measures in the slices.
    void setMeasuring(bool on);
    bool measuring() const { return measuring_; }

    /// Values 0 to 1 that are painted over the scan's slices as colors (the sampler's coverage). The volume
    /// is in the same patient space and may have another grid; an empty volume means no overlay. `most` is
    /// the number that the legend shows for 1; 0 means 100 %.
    void setOverlay(const volume::Volume& overlay, double most = 0);
    double overlayMost() const { return shown_.overlayMost; }
    const volume::Volume& overlay() const { return shown_.overlay; }
    /// The same for the volume shown instead (a patch's target), until yet another volume is shown. Does
    /// nothing if no volume is shown instead.
    void setInsteadOverlay(const volume::Volume& overlay);
    /// 0 to 1, clamped.
    void setOverlayOpacity(double opacity);
    double overlayOpacity() const { return overlayOpacity_; }

    /// A label map over the scan, also while another volume is shown instead; it stays for another volume on
    /// the scan's grid. An empty map means none. Labels hidden by the user stay hidden if the new map has
    /// labels with the same value and name.
    void setLabels(const LabelMap& labels);
    /// Empty while another volume is shown instead.
    const LabelMap& labels() const { return shown_.labels; }
    /// Whether the scan has labels, also while another volume is shown instead.
    bool hasLabels() const { return !(aside_ ? *aside_ : shown_).labels.empty(); }
    void showLabel(std::int64_t value, bool on);
    void showAllLabels(bool on);
    /// Sets whether the views show the labels at all.
    void setLabelsVisible(bool on);
    bool labelsVisible() const { return labelsVisible_; }
    /// Whether the current volume has labels and they are visible.
    bool showsLabels() const { return labelsVisible_ && !shown_.labels.empty(); }
    /// Sets whether the labels' surfaces are drawn in 3D.
    void setLabelSurfaces(bool on);
    bool labelSurfaces() const { return labelSurfaces_; }
    /// The opacity over the slices: 0.05 to 1, clamped.
    void setLabelOpacity(double opacity);
    double labelOpacity() const { return labelOpacity_; }

    /// Sets the box as given, or clamped into the scan if it fits.
    void setPatch(const std::optional<PatchBox>& patch);
    /// Sets a box of this extent (i, j, k) around the last chosen center; clamped as in setPatch.
    void setPatchExtent(const Index3& extent);
    /// Moves the box on behalf of the user: clamps it and emits patchMoved.
    void movePatchTo(const Index3& start);
    /// The box to draw: none while another volume is shown instead.
    const std::optional<PatchBox>& patch() const;
    /// Whether the patch shown is longer than the scan along some axis, so that the network gets padding
    /// there.
    bool patchExceedsScan() const;
    /// The scan's box, also while another volume is shown instead.
    const std::optional<PatchBox>& scanPatch() const { return patch_; }

signals:
    void volumeChanged();
    void cursorChanged();  ///< also for the crosshair
    void windowChanged();  ///< also for inverted and smooth
    void opacityChanged();
    void cropChanged();       ///< also for cropping
    void overlayChanged();    ///< also for its opacity
    void distancesChanged();  ///< also for measuring
    void labelsChanged();     ///< the map, its visibility, or how it is drawn
    void patchChanged();
    void channelsChanged();
    void patchMoved(const highwater::widgets::PatchBox& patch);

private:
    /// The state that belongs to one volume.
    struct Shown {
        volume::Volume volume = {};
        Index3 cursor{};
        volume::Window window = {};
        std::optional<PatchBox> crop = {};
        volume::Volume overlay = {};
        double overlayMost = 0;
        LabelMap labels = {};
        Distances distances = {};
    };
    void centerCursor();
    void tellAll();
    void placePatch(const PatchBox& wanted);
    void hideHiddenLabels(LabelMap& labels) const;
    void rememberShown(const LabelStyle& label, bool on);
    Shown shown_;
    std::optional<Shown> aside_;  ///< the scan's state, while another volume is shown instead
    std::optional<volume::Window> insteadWindow_;  ///< window of the last volume that was shown instead
    std::vector<volume::Volume> channels_;
    bool crosshair_ = true, inverted_ = false, smooth_ = true, cropping_ = false, measuring_ = false;
    bool labelsVisible_ = true, labelSurfaces_ = true;
    double opacity_ = 1, overlayOpacity_ = 0.6, labelOpacity_ = 0.5;
    std::set<std::pair<std::int64_t, QString>> hiddenLabels_;  ///< value and name
    std::optional<PatchBox> patch_;
    std::array<double, 3> patchCenter_{};
};

}  // namespace highwater::widgets
