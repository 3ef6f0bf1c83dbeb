#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/volume/volume.h"

/// Asks the scan process (highwater-scan) for a volume: under limits, with progress and cancel. Whatever a
/// file does to the reader, the caller gets one line.
namespace highwater::scan {

struct Limits {
    base::Bytes addressSpace = 0;       ///< 0: derived from the file's size and the machine's memory
    std::chrono::seconds timeout{120};  ///< without progress
};

struct Progress {
    std::string stage;    ///< "inflating", "reading", "decoding", ...; one line, at most 43 bytes
    double fraction = 0;  ///< 0 to 1; negative: unknown
};

struct ReadOptions {
    std::string series;       ///< of a DICOM folder that holds several: Series::id (contents.h)
    std::int64_t volume = 0;  ///< which one of a 4D file
    Limits limits;
    std::function<void(const Progress&)> progress;  ///< called on the calling thread; may be empty
    const std::atomic<bool>* cancel = nullptr;
};

/// Reads a scan (base::kHeadPhantom is one); blocks, so call it from a worker thread. The voxels lie in an
/// unlinked temporary file, mapped. Errors: "head.nii.gz: truncated: the header promises 12582912 bytes of
/// voxels, the file has 9000000", "cancelled", ...
base::Result<volume::Volume> readScan(const std::string& path, const ReadOptions& options = {});

/// The header alone; reads no voxels where the format allows (min, max, mean are then NaN).
base::Result<volume::Header> readScanHeader(const std::string& path, const ReadOptions& options = {});

}  // namespace highwater::scan
