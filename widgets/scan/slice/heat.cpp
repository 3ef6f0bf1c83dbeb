#include "widgets/scan/slice/heat.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "widgets/scan/slice/pixel_places.h"
#include "widgets/scan/view_paint.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

using Vector = std::array<double, 3>;
constexpr double kOpaqueFrom = 0.1;

/// Linear interpolation between voxel centers; the edge voxels extend half a voxel outward; NaN beyond.
double valueAt(const volume::Volume& volume, const Vector& at) {
    const auto& size = volume.geometry().size;
    std::array<std::int64_t, 3> low{}, high{};
    Vector share{};
    for (std::size_t a = 0; a < 3; ++a) {
        const auto last = static_cast<double>(size[a] - 1);
        if (!(at[a] >= -0.5 && at[a] <= last + 0.5)) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        const double inside = std::clamp(at[a], 0.0, last);
        low[a] = static_cast<std::int64_t>(inside);
        high[a] = std::min(low[a] + 1, size[a] - 1);
        share[a] = inside - static_cast<double>(low[a]);
    }
    const auto line = [&](std::int64_t j, std::int64_t k) {
        return std::lerp(volume.at(low[0], j, k), volume.at(high[0], j, k), share[0]);
    };
    const auto plane = [&](std::int64_t k) { return std::lerp(line(low[1], k), line(high[1], k), share[1]); };
    return std::lerp(plane(low[2]), plane(high[2]), share[2]);
}

QRgb heatPixel(double value, double opacity) {
    if (!(value > 0)) {
        return 0;
    }
    QColor color = heatColor(value);
    color.setAlphaF(static_cast<float>(opacity * std::min(1.0, value / kOpaqueFrom)));
    return qPremultiply(color.rgba());
}

}  // namespace

QColor heatColor(double value) {
    constexpr std::array<Vector, 7> kTerms{{{0.05873234392399702, 0.02333670892565664, 0.5433401826748754},
                                            {2.176514634195958, 0.2383834171260182, 0.7539604599784036},
                                            {-2.689460476458034, -7.455851135738909, 3.110799939717086},
                                            {6.130348345893603, 42.3461881477227, -28.51885465332158},
                                            {-11.10743619062271, -82.66631109428045, 60.13984767418263},
                                            {10.02306557647065, 71.41361770095349, -54.07218655560067},
                                            {-3.658713842777788, -22.93153465461149, 18.19190778539828}}};
    const double t = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    Vector rgb{};
    for (std::size_t n = kTerms.size(); n-- > 0;) {
        for (std::size_t c = 0; c < 3; ++c) {
            rgb[c] = rgb[c] * t + kTerms[n][c];
        }
    }
    const auto part = [&](std::size_t c) { return static_cast<float>(std::clamp(rgb[c], 0.0, 1.0)); };
    return QColor::fromRgbF(part(0), part(1), part(2));
}

QImage heatImage(const volume::Volume& overlay, const volume::Geometry& geometry,
                 const volume::SliceLayout& layout, std::int64_t index, const volume::SliceRegion& region,
                 double opacity) {
    const PixelPlaces place(overlay.geometry(), geometry, layout, index, region);
    QImage image(static_cast<int>(region.columns()), static_cast<int>(region.rows()),
                 QImage::Format_ARGB32_Premultiplied);
    for (std::int64_t r = 0; r < region.rows(); ++r) {
        auto* const line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
        for (std::int64_t c = 0; c < region.columns(); ++c) {
            line[c] = heatPixel(valueAt(overlay, place(c, r)), opacity);
        }
    }
    return image;
}

void paintHeatLegend(QPainter& painter, const QPoint& corner, double most) {
    constexpr int kWidth = 64, kHeight = 7;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRect bar(corner.x() - kWidth, corner.y(), kWidth, kHeight);
    for (int x = 0; x < kWidth; ++x) {
        painter.fillRect(bar.left() + x, bar.top(), 1, kHeight, heatColor(x / double(kWidth - 1)));
    }
    painter.setPen(kViewMuted);
    painter.drawRect(bar.adjusted(-1, -1, 0, 0));
    painter.restore();
    const QRect text = bar.adjusted(-20, kHeight + 1, 7, kHeight + 16);
    paintNote(painter, text.adjusted(13, -5, 0, 5), Qt::AlignLeft | Qt::AlignTop, "0");
    paintNote(painter, text.adjusted(0, -5, 0, 5), Qt::AlignRight | Qt::AlignTop,
              most > 0 ? QString::fromStdString(base::formatNumber(most)) : QStringLiteral("100 %"));
}

}  // namespace highwater::widgets
