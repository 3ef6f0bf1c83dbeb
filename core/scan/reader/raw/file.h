#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/bytes/layout.h"

/// Recognizes a file by its content. Its name matters only if two files belong together, and for messages.
namespace highwater::scan::reader {

/// A scan in a format that consists of a header and voxels, checked as far as possible without unpacking.
struct RawFile {
    RawLayout layout;
    Mapping data;  ///< the file with the voxels
};

/// Returns the first bytes of a file, unpacked if it is gzip: at most 4096 bytes.
base::Result<std::vector<std::byte>> beginningOf(const Mapping& file);

/// Whether the file is in one of these formats: by `beginning`, or for an .img by its name if there is an
/// .hdr with it.
bool looksLikeRaw(const std::string& path, std::span<const std::byte> beginning);

/// Returns what a file that is not a scan is, "is a PNG picture", and what to do about it; also for one
/// inside gzip. Empty if unknown.
std::string whatElseItIs(const Mapping& file, std::span<const std::byte> beginning);

/// Opens a NIfTI file or pair, Analyze 7.5, NRRD, MetaImage or MGH. If the beginning is not recognized, the
/// name decides (the file is then damaged). Errors are one line that does not name `path`; if another file is
/// the cause, they name that file.
base::Result<RawFile> openRaw(const std::string& path, Mapping file, std::vector<std::byte> beginning);

}  // namespace highwater::scan::reader
