#pragma once

#include "core/base/result.h"
#include "core/scan/reader/bytes/input.h"
#include "core/scan/reader/bytes/layout.h"
#include "core/scan/reader/bytes/progress.h"

namespace highwater::scan::reader {

/// Checks the header's promises against the length of the file with the voxels, as far as possible without
/// unpacking them.
base::Status checkData(RawLayout& layout, const Mapping& file);

/// Reads volume number `volume` of a checked layout into the handover file `out`, in one pass that also
/// computes its statistics; the header is written last. Packed data is unpacked directly into its final place
/// and checked there. If there are several packed volumes, all are first unpacked into a temporary file.
/// Everything else needs no more than a few MiB.
base::Result<volume::Header> readRaw(RawLayout layout, const Mapping& file, std::int64_t volume, int out,
                                     const ProgressSink& progress);

}  // namespace highwater::scan::reader
