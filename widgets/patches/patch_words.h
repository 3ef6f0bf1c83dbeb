#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/volume/sampler.h"

/// Patches and coverage in words. Numbers have a point, whatever the locale.
namespace highwater::widgets {

/// "10,000"
QString grouped(qint64 count);
/// "i 12–75, j 40–103, k −4–59": first and last voxel along each axis; what is negative lies outside the
/// scan.
QString placeText(const std::array<std::int64_t, 3>& start, const std::array<std::int64_t, 3>& extent);
/// "flipped along i, turned by 7.1°, gamma 0.83"; `asked`: the experiment has augmentations.
QString doneText(const std::vector<std::string>& augmentations, bool asked);
/// "mean 12.3 samples a voxel, 4.1 % never seen". Where several voxels of a scan of that size share a place
/// of the map, never seen is the least that it can be, and said to be so.
QString coverageText(const volume::Coverage& coverage, const volume::Index3& scan);
/// "0 %", "under 0.1 %", "4.1 %", "over 99.9 %", "100 %"
QString shareText(double share);

/// The same volume with 0 to `most` mapped to 0 to 1, for ScanPanel::setOverlay; shares its voxels. Empty
/// where there is nothing over 0.
volume::Volume heatOf(const volume::Volume& volume, double most);

}  // namespace highwater::widgets
