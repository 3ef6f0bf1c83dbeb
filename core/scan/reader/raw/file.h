#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/scan/reader/input.h"
#include "core/scan/reader/raw/layout.h"

/// Finds out what a file is by what is in it. Its name matters only where two files belong together, and for
/// messages.
namespace highwater::scan::reader {

/// A scan of one of the formats that are a header and voxels, checked as far as that goes without unpacking.
struct RawFile {
    RawLayout layout;
    Mapping data;  ///< the file that has the voxels
};

/// What a file begins with, unpacked where it is gzip: at most 4096 bytes.
base::Result<std::vector<std::byte>> beginningOf(const Mapping& file);

/// By what `beginning` looks like, or by the name where that of an .img has its .hdr beside it.
bool looksLikeRaw(const std::string& path, std::span<const std::byte> beginning);

/// Opens a NIfTI-1 file or pair, Analyze 7.5, NRRD or MetaImage, by its name alone where its beginning says
/// nothing (it is damaged then). Errors are one line that does not name `path`, but does name another file
/// that is to blame.
base::Result<RawFile> openRaw(const std::string& path, Mapping file, std::vector<std::byte> beginning);

}  // namespace highwater::scan::reader
