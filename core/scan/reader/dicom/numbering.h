#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Assigns pictures to volumes by their numbers alone. Scanners number the pictures of a time series volume
/// by volume (the slices of a volume in any order) or position by position, so numbers also show which
/// picture is missing.
namespace highwater::scan::reader::dicom {

/// [position][picture]: numbers, strictly ascending at each position.
using Numbers = std::vector<std::vector<std::int64_t>>;

/// Returns the volume of each picture, ascending but not necessarily without gaps; at one position no two
/// pictures have the same. std::nullopt if the numbers follow neither order, or do not show where a picture
/// is missing.
std::optional<Numbers> volumesByNumber(const Numbers& numbers);

}  // namespace highwater::scan::reader::dicom
