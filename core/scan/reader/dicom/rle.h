#pragma once

#include "core/scan/reader/dicom/pixels.h"

/// DICOM's run-length encoding.
namespace highwater::scan::reader::dicom {

/// Unpacks a frame as PS3.5, annex G describes it: the highest bytes of all samples, then the next ones.
/// Returns little-endian samples of `pixels.allocated` bits (a multiple of 8). Errors: the header is not one
/// of that many planes, or a plane does not have exactly one byte for each pixel.
///
/// Highwater unpacks these itself: GDCM 3.0 reads beyond the header if that promises more than 15 planes, and
/// fills the end of a truncated plane with uninitialized memory.
base::Result<std::vector<std::byte>> unpackRle(Bytes stream, const Pixels& pixels);

}  // namespace highwater::scan::reader::dicom
