#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/volume/volume.h"

/// Reads volumes through the scan process (highwater-scan), with limits, progress and cancel. Whatever
/// happens to the reader, the caller gets a one-line error.
namespace highwater::scan {

struct Limits {
    base::Bytes addressSpace = 0;       ///< 0: derived from the file's size and the machine's memory
    std::chrono::seconds timeout{120};  ///< maximum time without progress
};

struct Progress {
    std::string stage;    ///< "inflating", "reading", "decoding", ...; one line, at most 43 bytes
    double fraction = 0;  ///< 0 to 1; negative: unknown
};

struct ReadOptions {
    std::string series;       ///< for a DICOM folder that holds several series: Series::id (contents.h)
    std::int64_t volume = 0;  ///< which volume of a 4D file
    Limits limits;
    std::function<void(const Progress&)> progress;  ///< called on the calling thread; may be empty
    const std::atomic<bool>* cancel = nullptr;
};

/// Reads a scan (base::kHeadPhantom is one). Blocks, so call it from a worker thread. The voxels are in an
/// unlinked temporary file that is mapped. Errors: "head.nii.gz: truncated: the header promises 12582912
/// bytes of voxels, the file has 9000000", "cancelled", ...
base::Result<volume::Volume> readScan(const std::string& path, const ReadOptions& options = {});

/// Reads only the header, without the voxels if the format allows it (min, max, mean are then NaN).
base::Result<volume::Header> readScanHeader(const std::string& path, const ReadOptions& options = {});

}  // namespace highwater::scan
