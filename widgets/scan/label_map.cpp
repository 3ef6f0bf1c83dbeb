#include "widgets/scan/label_map.h"

#include <QObject>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/volume/labels.h"

namespace highwater::widgets {
namespace {

constexpr std::array kFirstColors{QColor(230, 70, 70),   QColor(80, 200, 90),  QColor(70, 130, 240),
                                  QColor(240, 210, 60),  QColor(220, 90, 220), QColor(60, 210, 220),
                                  QColor(250, 150, 50),  QColor(140, 80, 230), QColor(170, 225, 60),
                                  QColor(250, 165, 185), QColor(20, 145, 125), QColor(165, 105, 55)};

}  // namespace

const LabelStyle* LabelMap::find(std::int64_t value) const {
    const auto at = std::ranges::lower_bound(labels, value, {}, &LabelStyle::value);
    return at == labels.end() || at->value != value ? nullptr : &*at;
}

const LabelStyle* LabelMap::at(const std::array<double, 3>& mm) const {
    const auto voxel = empty() ? std::nullopt : volume::voxelAt(volume.geometry(), mm);
    return voxel ? find(std::llround(volume.at((*voxel)[0], (*voxel)[1], (*voxel)[2]))) : nullptr;
}

QColor labelColor(std::int64_t value) {
    if (value >= 1 && value <= static_cast<std::int64_t>(kFirstColors.size())) {
        return kFirstColors[static_cast<std::size_t>(value - 1)];
    }
    constexpr double kGoldenAngle = 137.50776405003785;  // degrees: consecutive hues are far apart
    const auto n = static_cast<double>(std::abs(value % 9973));
    const std::int64_t ring = std::abs(value % 3);
    const double hue = std::fmod(n * kGoldenAngle, 360) / 360;
    return QColor::fromHsvF(static_cast<float>(hue),
                            ring == 0   ? 0.85F
                            : ring == 1 ? 0.6F
                                        : 0.75F,
                            ring == 2 ? 0.7F : 0.95F);
}

QString labelName(std::int64_t value) {
    return QObject::tr("label %1").arg(value);
}

}  // namespace highwater::widgets
