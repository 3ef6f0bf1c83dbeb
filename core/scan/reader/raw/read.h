#pragma once

#include "core/base/result.h"
#include "core/scan/reader/input.h"
#include "core/scan/reader/progress.h"
#include "core/scan/reader/raw/layout.h"

namespace highwater::scan::reader {

/// Checks the header's promises against the length of the file that has the voxels, as far as that goes
/// without unpacking them.
base::Status checkData(RawLayout& layout, const Mapping& file);

/// Reads volume number `volume` of a checked layout into the handover file `out`, in one pass that also makes
/// its statistics; the header is written last. What is packed is unpacked where it will stay, and checked
/// there; of several packed volumes, all are unpacked into a temporary file first. Nothing else takes more
/// than a few MiB.
base::Result<volume::Header> readRaw(RawLayout layout, const Mapping& file, std::int64_t volume, int out,
                                     const ProgressSink& progress);

}  // namespace highwater::scan::reader
