#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Classifies files by their names, before any file is opened.
namespace highwater::scan {

/// Returns the suffix that marks a scan, in lower case (".nii.gz", ".nii", ".hdr", ".img", ".hdr.gz",
/// ".img.gz", ".nrrd", ".nhdr", ".mha", ".mhd", ".mgh", ".mgz"); empty for other names. DICOM files often
/// have no such suffix (looksLikeDicomName).
std::string scanSuffix(std::string_view name);
/// Returns the name without that suffix; std::nullopt if it has none.
std::optional<std::string> scanStem(std::string_view name);
/// Whether the name has a suffix that DICOM files often have: ".dcm", ".dicom", ".ima".
bool looksLikeDicomName(std::string_view name);
/// Whether the name has no suffix, or only digits as suffix ("IM0001", "1.2.840.10008"). It may then be a
/// DICOM file; its first bytes decide.
bool mayBeDicomName(std::string_view name);

/// Compares names with digits as numbers: "a2" comes before "a10". A strict total order.
bool naturalLess(std::string_view a, std::string_view b);

}  // namespace highwater::scan
