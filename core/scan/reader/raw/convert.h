#pragma once

#include <span>

#include "core/scan/reader/bytes/layout.h"
#include "core/volume/statistics.h"

namespace highwater::scan::reader {

/// Converts stored voxels to the type of the handover file, in place. `voxels` must contain a whole number of
/// voxels.
void convertVoxels(const RawLayout& layout, std::span<std::byte> voxels);
/// Whether convertVoxels has anything to do.
bool needsConversion(const RawLayout& layout);

/// Writes minimum, maximum and mean into the header, with a warning if some voxels are not finite.
void recordStatistics(const volume::StatisticsPass& pass, volume::Header& header);

}  // namespace highwater::scan::reader
