#pragma once

#include <span>
#include <vector>

#include "core/scan/reader/dicom/pixels.h"

/// The frames in a file's pixel data.
namespace highwater::scan::reader::dicom {

/// Returns the compressed bytes of every frame as its fragments, in order. Errors: too few fragments, ...
base::Result<std::vector<std::vector<Bytes>>> framesOf(const OpenFile& file, const Pixels& pixels);

/// Returns an uncompressed frame in this machine's byte order, with only its stored bits, sign extended.
std::vector<std::byte> nativeFrame(const OpenFile& file, const Pixels& pixels, std::int64_t frame);

/// Keeps bits highBit - stored + 1 to highBit of every sample and extends the sign.
void keepStoredBits(const Pixels& pixels, std::span<std::byte> samples);

}  // namespace highwater::scan::reader::dicom
