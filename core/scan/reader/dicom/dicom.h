#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/scan/contents.h"
#include "core/scan/reader/progress.h"
#include "core/volume/volume.h"

/// DICOM. Headers are read by a parser of ours that trusts no length; compressed pictures are decoded by
/// GDCM, whose asserts end processes, in a child: one that dies costs one file and leaves one line. Stages:
/// "looking at files", "decoding". Errors begin with the last part of `path`.
namespace highwater::scan::reader {

/// "DICM" at byte 128, or a data element that files without that preamble begin with.
bool looksLikeDicom(std::span<const std::byte> beginning);

/// The series of a folder, or of a single file; an error only where there is no such path, or a single file
/// has none. Other scans of the folder are in Contents::scans.
base::Result<Contents> listDicom(const std::string& path, const ProgressSink& progress);

/// Reads one volume of one series into the handover file `out` (-1: the header alone). `path`: a folder, or
/// one file (a slice, or an enhanced multi-frame object). `series`: Series::id; empty where there is only
/// one; several and no choice is an error that lists them. A missing slice is a warning that names the files
/// around it. Spacing between slices is that of their positions, never SliceThickness.
base::Result<volume::Header> readDicom(const std::string& path, const std::string& series,
                                       std::int64_t volume, int out, const ProgressSink& progress);

}  // namespace highwater::scan::reader
