#include "widgets/scan/slice/label_image.h"

#include <cmath>
#include <unordered_map>

#include "widgets/scan/slice/pixel_places.h"

namespace highwater::widgets {
namespace {

/// The pixel value of each label that is shown.
class LabelPixels {
public:
    LabelPixels(const LabelMap& labels, double opacity) {
        for (const LabelStyle& label : labels.labels) {
            if (label.shown) {
                QColor color = label.color;
                color.setAlphaF(static_cast<float>(opacity));
                pixels_[static_cast<double>(label.value)] = qPremultiply(color.rgba());
            }
        }
    }
    /// Neighbors usually have the same value.
    QRgb operator()(double value) {
        if (value != last_) {
            const auto at = pixels_.find(value);
            pixel_ = at == pixels_.end() ? 0 : at->second;
            last_ = value;
        }
        return pixel_;
    }

private:
    std::unordered_map<double, QRgb> pixels_;
    double last_ = 0;
    QRgb pixel_ = 0;
};

}  // namespace

QImage labelImage(const LabelMap& labels, const volume::Geometry& geometry, const volume::SliceLayout& layout,
                  std::int64_t index, const volume::SliceRegion& region, double opacity) {
    const volume::Volume& map = labels.volume;
    const auto& size = map.geometry().size;
    const PixelPlaces place(map.geometry(), geometry, layout, index, region);
    LabelPixels pixels(labels, opacity);
    QImage image(static_cast<int>(region.columns()), static_cast<int>(region.rows()),
                 QImage::Format_ARGB32_Premultiplied);
    for (std::int64_t r = 0; r < region.rows(); ++r) {
        auto* const line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
        for (std::int64_t c = 0; c < region.columns(); ++c) {
            const auto at = place(c, r);
            Index3 voxel{};
            bool inside = true;
            for (std::size_t a = 0; a < 3; ++a) {
                const double nearest = std::floor(at[a] + 0.5);
                inside = inside && nearest >= 0 && nearest < static_cast<double>(size[a]);
                voxel[a] = inside ? static_cast<std::int64_t>(nearest) : 0;
            }
            line[c] = inside ? pixels(map.at(voxel[0], voxel[1], voxel[2])) : 0;
        }
    }
    return image;
}

}  // namespace highwater::widgets
