#pragma once

#include <QString>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/volume/sampler.h"

/// Texts about patches and coverage. Numbers have a decimal point in every locale.
namespace highwater::desktop {

/// "10,000"
QString grouped(qint64 count);
/// "i 12–75, j 40–103, k −4–59": the first and the last voxel along each axis. Voxels with negative numbers
/// are outside the scan.
QString placeText(const std::array<std::int64_t, 3>& start, const std::array<std::int64_t, 3>& extent);
/// The augmentations applied to a patch: "flipped along i, turned by 7.1°, gamma 0.83". `asked`: the
/// experiment has augmentations, even if none was applied to this patch.
QString doneText(const std::vector<std::string>& augmentations, bool asked);
/// "mean 12.3 samples a voxel, 4.1 % never seen". If several voxels of a scan of that size share one voxel of
/// the map, the fraction never seen is a lower bound, and the text says "at least".
QString coverageText(const volume::Coverage& coverage, const volume::Index3& scan);
/// "0 %", "under 0.1 %", "4.1 %", "over 99.9 %", "100 %"
QString shareText(double share);

/// The volume scaled so that 0 to `most` becomes 0 to 1, for ScanPanel::setOverlay. It shares the voxels with
/// `volume`. Returns an empty volume if `volume` is empty or `most` is not positive.
volume::Volume heatOf(const volume::Volume& volume, double most);

}  // namespace highwater::desktop
