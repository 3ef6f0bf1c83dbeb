#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Finds out which picture belongs to which volume from the numbers of the pictures alone. Scanners number
/// the pictures of a time series volume by volume (the slices of a volume in any order) or position by
/// position, so a number also tells which picture is missing.
namespace highwater::scan::reader::dicom {

/// [position][picture]: numbers, ascending and without repetition at each position.
using Numbers = std::vector<std::vector<std::int64_t>>;

/// Returns the volume of each picture, ascending but not necessarily without gaps; at one position no two
/// pictures have the same. std::nullopt if the numbers follow neither order, or do not say where a picture is
/// missing.
std::optional<Numbers> volumesByNumber(const Numbers& numbers);

}  // namespace highwater::scan::reader::dicom
