#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What names of files say, before anything is opened.
namespace highwater::scan {

/// The end of a name that scans have, in lower case (".nii.gz", ".nii", ".hdr", ".img", ".hdr.gz", ".img.gz",
/// ".nrrd", ".nhdr",
/// ".mha", ".mhd"); empty for another. DICOM files have no telling names (looksLikeDicomName).
std::string scanSuffix(std::string_view name);
/// The name without that end; nothing where it has none.
std::optional<std::string> scanStem(std::string_view name);
/// A suffix that DICOM files often have: ".dcm", ".dicom", ".ima".
bool looksLikeDicomName(std::string_view name);
/// No suffix at all, or one of digits alone ("IM0001", "1.2.840.10008"): it may be one, its first bytes say.
bool mayBeDicomName(std::string_view name);

/// Order by name with digits compared as numbers: "a2" before "a10". A strict order of all strings.
bool naturalLess(std::string_view a, std::string_view b);

}  // namespace highwater::scan
