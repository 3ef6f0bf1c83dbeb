#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"
#include "core/scan/scan_client.h"

/// What a folder or a file holds that can be read as a volume, said before anything is read.
namespace highwater::scan {

/// Slices that make one volume (or several, over time): a DICOM series, or the part of one that lies on one
/// grid.
struct Series {
    /// Names it among its folder's: the series' UID, with "#2", "#3" ... where one UID holds several grids.
    std::string id;
    std::string description;  ///< "T1 MPRAGE sag"; empty where the files say nothing. Never a person's name
    std::string modality;     ///< "CT", "MR", ...; empty where unknown
    std::int64_t number = 0;  ///< the series' number; 0 where unknown
    std::int64_t files = 0;
    std::array<std::int64_t, 3> size{};  ///< columns, rows, slices; slices of one volume
    std::array<double, 3> spacing{};     ///< mm; 0 where unknown
    int volumes = 1;                     ///< over time, echoes, ...; ReadOptions::volume chooses
    std::string firstFile;               ///< a name inside the folder
    std::vector<std::string> warnings;   ///< one line each: gaps with the two files around them, ...
    std::string problem;                 ///< why it cannot be read; empty where it can
    bool operator==(const Series&) const = default;
};

struct Contents {
    std::vector<Series> series;  ///< by number, then id
    std::vector<std::string>
        scans;  ///< names of other files in the folder that can be read (NIfTI, NRRD, ...)
    /// Files that begin as DICOM ones and cannot be read, "IM0007: cannot be decoded: ..." (at most 100).
    std::vector<std::string> unread;
    std::int64_t ignored = 0;  ///< other files
    bool operator==(const Contents&) const = default;
};

base::Json toJson(const Contents& contents);
/// Trusts nothing. Errors name the field.
base::Result<Contents> contentsFromJson(const base::Json& json);

/// Looks into a folder (not into the folders in it) in the scan process, headers alone; one file that kills a
/// decoder costs that file. Blocks: 2,000 DICOM files take about a second. For a file: what readScan would
/// read of it. Errors: no such folder, "cancelled", ...
base::Result<Contents> listScans(const std::string& path, const ReadOptions& options = {});

}  // namespace highwater::scan
