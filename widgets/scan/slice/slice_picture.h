#pragma once

#include <QImage>
#include <QStringList>
#include <vector>

#include "core/volume/slice_region.h"
#include "core/volume/windowing.h"
#include "widgets/scan/slice/slice_frame.h"

class QPainter;

namespace highwater::widgets {

class ScanScene;

/// The part of a slice that is needed on screen: the visible part, averaged over the voxels that fall on one
/// device pixel. It has at most a few times as many pixels as the view.
volume::SliceRegion regionInView(const SliceFrame& frame, double devicePixelRatio);

/// The values as gray under a window, low values white if inverted, NaN in the color kNotANumber.
/// Format_RGB32.
QImage grayImage(const std::vector<float>& values, std::int64_t columns, const volume::Window& window,
                 bool inverted);
inline constexpr QColor kNotANumber{150, 40, 120};

/// Draws the picture of a region at its place on screen.
void paintRegion(QPainter& painter, const SliceFrame& frame, const volume::SliceRegion& region,
                 const QImage& picture);

/// The picture of one slice of a scene, cached until something that it shows changes: moving the cursor
/// within a slice reads no voxels.
class SlicePicture {
public:
    /// Drops the cached picture. Call it when the volume has changed.
    void clear();
    /// Drops the cached picture of the labels. Call it when they or their colors have changed.
    void clearLabels() { labels_ = {}; }
    /// Paints slice `index` of the scene's volume, with its labels and the overlay on top.
    void paint(QPainter& painter, const ScanScene& scene, const SliceFrame& frame, std::int64_t index);
    /// The notes on the picture: "mean of 4 × 4 voxels", "smoothed", "purple: not a number". With `brief`:
    /// "mean of 4 × 4", "purple: NaN", and no note if it is only smoothed.
    QStringList notes(const ScanScene& scene, const SliceFrame& frame, bool brief) const;

private:
    void readValues(const ScanScene& scene, const SliceFrame& frame, std::int64_t index,
                    const volume::SliceRegion& region);
    void refreshGray(const ScanScene& scene);
    void refreshLabels(const ScanScene& scene, const SliceFrame& frame);
    void refreshHeat(const ScanScene& scene, const SliceFrame& frame);

    volume::SliceRegion region_;
    std::int64_t index_ = -1;
    std::vector<float> values_;
    bool hasNan_ = false;
    QImage gray_;
    volume::Window window_;
    bool inverted_ = false;
    QImage labels_;
    QImage heat_;
    const std::byte* overlay_ = nullptr;
    double opacity_ = 0;
};

}  // namespace highwater::widgets
