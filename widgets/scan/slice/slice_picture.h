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

/// What of a slice is needed on screen: the part in view, a mean over the pixels that fall on one device
/// pixel. Its pixels are never more than a few times the view's.
volume::SliceRegion regionInView(const SliceFrame& frame, double devicePixelRatio);

/// Grey under a window, low values white where inverted, NaN in kNotANumber. Format_RGB32.
QImage greyImage(const std::vector<float>& values, std::int64_t columns, const volume::Window& window,
                 bool inverted);
inline constexpr QColor kNotANumber{150, 40, 120};

/// Draws a picture of a region's values where they lie on screen.
void paintRegion(QPainter& painter, const SliceFrame& frame, const volume::SliceRegion& region,
                 const QImage& picture);

/// The picture of one slice of a scene, kept until something that it shows changes: moving the cursor within
/// a slice reads nothing.
class SlicePicture {
public:
    /// Forgets what is kept (another volume).
    void clear();
    /// Slice `index` of the scene's volume, and the overlay over it.
    void paint(QPainter& painter, const ScanScene& scene, const SliceFrame& frame, std::int64_t index);
    /// What has to be said about the picture: "mean of 4 × 4 voxels", "smoothed", "purple: not a number".
    /// Brief: "mean of 4 × 4", "purple: NaN", and no word of what is only smoothed.
    QStringList notes(const ScanScene& scene, const SliceFrame& frame, bool brief) const;

private:
    void readValues(const ScanScene& scene, const SliceFrame& frame, std::int64_t index,
                    const volume::SliceRegion& region);
    void refreshGrey(const ScanScene& scene);
    void refreshHeat(const ScanScene& scene, const SliceFrame& frame);

    volume::SliceRegion region_;
    std::int64_t index_ = -1;
    std::vector<float> values_;
    bool hasNan_ = false;
    QImage grey_;
    volume::Window window_;
    bool inverted_ = false;
    QImage heat_;
    const std::byte* overlay_ = nullptr;
    double opacity_ = 0;
};

}  // namespace highwater::widgets
