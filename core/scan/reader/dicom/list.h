#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/series.h"
#include "core/scan/reader/dicom/stack.h"

namespace highwater::scan::reader::dicom {

/// "5: SAG MPRAGE 220 FOV (MR, 64 pictures)", for messages.
std::string seriesName(const Looked& looked, const SeriesPart& part);

/// The index of the series with this id; if `wanted` is empty, of the only one. Otherwise the error lists the
/// series.
base::Result<std::size_t> chooseSeries(const Looked& looked, const std::vector<SeriesPart>& parts,
                                       const std::string& wanted);

/// The warnings of the files and of the stack together.
std::vector<std::string> warningsOf(const SeriesPart& part, const Stack& stack);

/// The error for a path without series.
base::Error nothingThere(const Looked& looked);

/// An error with the last part of `path` before `message`.
base::Error named(const std::string& path, const std::string& message);

}  // namespace highwater::scan::reader::dicom
