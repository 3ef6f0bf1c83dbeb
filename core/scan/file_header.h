#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/scan/scan_client.h"

/// The header of a DICOM file, element by element, as text for display. It is read in the scan process and
/// may contain persons' names: it is only for the user who opened the file, and is never written to a file.
namespace highwater::scan {

struct HeaderRow {
    std::int64_t depth = 0;  ///< number of enclosing sequences
    std::string tag;         ///< "(0028,0010)"
    std::string name;        ///< "Rows"; "item 1" of a sequence; empty if DICOM's dictionary does not know it
    std::string vr;          ///< "US"; empty if unknown
    std::string value;       ///< one line; for pixels and other binary data only the size
    bool operator==(const HeaderRow&) const = default;
};

struct FileHeader {
    std::string file;             ///< the name of the file
    std::vector<HeaderRow> rows;  ///< at most kMostHeaderRows, in the file's order
    bool cut = false;             ///< the file has more rows
    std::string problem;          ///< the error after the last row; empty if there is none
    bool operator==(const FileHeader&) const = default;
};
inline constexpr std::size_t kMostHeaderRows = 4000;

base::Json toJson(const FileHeader& header);
/// Validates everything. Errors name the field.
base::Result<FileHeader> fileHeaderFromJson(const base::Json& json);

/// Reads the header of a DICOM file: `path` itself, or, in a folder, the file with picture `slice` (voxel
/// axis k, from 0) of the series and volume in the options; the nearest one if that slice is missing. Without
/// a slice, the first file. Blocks, so call it from a worker thread. Errors: those of readScan, "is no DICOM
/// file".
base::Result<FileHeader> readFileHeader(const std::string& path, std::optional<std::int64_t> slice,
                                        const ReadOptions& options = {});

}  // namespace highwater::scan
