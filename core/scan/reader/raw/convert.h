#pragma once

#include <span>

#include "core/scan/reader/raw/layout.h"
#include "core/volume/statistics.h"

namespace highwater::scan::reader {

/// Makes stored voxels, a whole number of them, into ones that are handed over, in place.
void convertVoxels(const RawLayout& layout, std::span<std::byte> voxels);
/// False where that does nothing.
bool needsConversion(const RawLayout& layout);

/// Puts minimum, maximum and mean into the header, with a warning where voxels are not finite.
void recordStatistics(const volume::StatisticsPass& pass, volume::Header& header);

}  // namespace highwater::scan::reader
