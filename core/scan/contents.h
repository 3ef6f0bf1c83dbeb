#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/scan/scan_client.h"

/// Lists the volumes that a folder or a file contains, before any voxels are read.
namespace highwater::scan {

/// Slices that form one volume (or several, over time): a DICOM series, or the part of one that is on one
/// grid.
struct Series {
    /// Identifies it within its folder: the series' UID, followed by "#2", "#3" ... if one UID has several
    /// grids.
    std::string id;
    std::string description;  ///< "T1 MPRAGE sag"; empty if unknown. Never a person's name
    std::string modality;     ///< "CT", "MR", ...; empty if unknown
    std::int64_t number = 0;  ///< the series' number; 0 if unknown
    std::int64_t files = 0;
    std::array<std::int64_t, 3> size{};  ///< columns, rows, slices; slices of one volume
    std::array<double, 3> spacing{};     ///< mm; 0 if unknown
    int volumes = 1;        ///< number of volumes (over time, echoes, ...); ReadOptions::volume selects one
    std::string firstFile;  ///< a name inside the folder
    std::vector<std::string> warnings;  ///< one line each, e.g. a gap with the two files around it
    std::string problem;                ///< why it cannot be read; empty if it can
    bool operator==(const Series&) const = default;
};

struct Contents {
    std::vector<Series> series;  ///< sorted by number, then id
    /// Names of other files in the folder that can be read (NIfTI, NRRD, ...).
    std::vector<std::string> scans;
    /// Files that start like DICOM files but cannot be read, "IM0007: cannot be decoded: ..." (at most 100).
    std::vector<std::string> unread;
    std::int64_t ignored = 0;  ///< number of other files
    bool operator==(const Contents&) const = default;
};

base::Json toJson(const Contents& contents);
/// Validates everything. Errors name the field.
base::Result<Contents> contentsFromJson(const base::Json& json);

/// Lists a folder (without its subfolders) in the scan process; reads headers only. If one file crashes a
/// decoder, only that file is lost. Blocks: 2,000 DICOM files take about a second. For a single file: lists
/// what readScan would read of it. Errors: no such folder, "cancelled", ...
base::Result<Contents> listScans(const std::string& path, const ReadOptions& options = {});

}  // namespace highwater::scan
