#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/scan/contents.h"
#include "core/scan/reader/bytes/progress.h"
#include "core/volume/volume.h"

/// Reads DICOM. Headers are read by Highwater's own parser, which trusts no length. Compressed pictures are
/// decoded by GDCM in a child process, because its asserts end the process: a crash costs only one file, with
/// a one-line error. Stages: "looking at files", "decoding". Errors begin with the last part of `path`.
namespace highwater::scan::reader {

/// Whether there is "DICM" at byte 128. The bytes before it may look like any other format.
bool hasDicomMark(std::span<const std::byte> beginning);
/// Whether there is that mark, or a data element with which files without it begin.
bool looksLikeDicom(std::span<const std::byte> beginning);

/// Lists the series of a folder, or of a single file. Error only if the path does not exist, or a single file
/// has no series. Other scans in the folder are in Contents::scans.
base::Result<Contents> listDicom(const std::string& path, const ProgressSink& progress);

/// Reads one volume of one series into the handover file `out` (-1: only the header). `path`: a folder, or
/// one file (a slice, or an enhanced multi-frame object). `series`: Series::id; may be empty if there is only
/// one, otherwise the error lists them. A missing slice is a warning that names the files around it. The
/// spacing between slices comes from their positions, never from SliceThickness.
base::Result<volume::Header> readDicom(const std::string& path, const std::string& series,
                                       std::int64_t volume, int out, const ProgressSink& progress);

}  // namespace highwater::scan::reader
