#pragma once

#include <optional>
#include <string>

#include "core/scan/file_header.h"
#include "core/scan/reader/bytes/progress.h"
#include "core/scan/reader/dicom/file.h"

namespace highwater::scan::reader {

/// Reads the header of one DICOM file as rows of text: as scan::readFileHeader, in this process. Errors begin
/// with the last part of `path`.
base::Result<FileHeader> readDicomHeader(const std::string& path, const std::string& series,
                                         std::int64_t volume, std::optional<std::int64_t> slice,
                                         const ProgressSink& progress);

namespace dicom {

/// The rows of an open file. Highwater's own parser reads the elements; names, and types where the file has
/// none, come from GDCM's dictionary. Values are at most 300 bytes, or 16 numbers, long.
FileHeader headerRows(const OpenFile& file);

}  // namespace dicom
}  // namespace highwater::scan::reader
