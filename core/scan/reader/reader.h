#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/bytes/progress.h"
#include "core/volume/volume.h"

/// The work of the scan process, which runs under limits. Every error is one line that begins with the file's
/// name.
namespace highwater::scan::reader {

struct Request {
    std::string path;         ///< a file, a folder of DICOM files, or base::kHeadPhantom
    std::string series;       ///< for a folder with several series; only DICOM has series
    std::int64_t volume = 0;  ///< which volume of a 4D file
    int out = -1;             ///< an empty file for the handover; -1: read only the header
};

/// Whether a file is read as DICOM; every way to open a file uses this. False if it cannot be opened.
bool isDicomFile(const std::string& path);

/// Reads a scan, recognized by its content: a folder of DICOM files, a DICOM file, or one of the formats of
/// raw/file.h.
base::Result<volume::Header> readScanFile(const Request& request, const ProgressSink& progress);

/// Computes the head phantom and writes it as .nii.gz. Seed 1 is base::kHeadPhantom's.
base::Status writePhantomFile(const std::string& path, std::uint64_t seed, const ProgressSink& progress);

}  // namespace highwater::scan::reader
