#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/scan/reader/dicom/elements.h"

/// Reads the values of elements as text and numbers. A value that is missing or invalid is left out. Does not
/// depend on the locale.
namespace highwater::scan::reader::dicom {

/// Returns the text without padding, as one line of UTF-8. Latin-1 (ISO_IR 100) is converted; of other
/// character sets only ASCII and UTF-8 are kept.
std::string textOf(const DataSet& set, Tag tag);

/// The same for a single value.
std::string textOf(Bytes value, bool latin1, std::size_t most);
/// Whether a data set says that its texts are Latin-1.
bool isLatin1(const DataSet& set);

/// Returns the numbers of a value of this VR; empty if the VR is not one of those below, or a number is not
/// finite.
std::vector<double> numbersOf(const Element& element, std::string_view vr, bool bigEndian);
/// Returns the numbers of an element whose VR is DS, IS, FD, FL, US, SS, UL or SL; in implicit VR,
/// `implicitVr` is used.
std::vector<double> numbersOf(const DataSet& set, Tag tag, const char* implicitVr);

/// Returns the first of numbersOf.
std::optional<double> numberOf(const DataSet& set, Tag tag, const char* implicitVr);
/// Returns the same as a whole number of at most 2^53.
std::optional<std::int64_t> wholeOf(const DataSet& set, Tag tag, const char* implicitVr);

/// Returns the tag of the element `low` (0 to 255) in the private block that `creator` reserved in `group`; 0
/// if there is none.
Tag privateTag(const DataSet& set, std::uint16_t group, const char* creator, std::uint8_t low);

/// Reads the numbers in "1.5\\-2e-3 \\ 7".
std::vector<double> parseDecimals(std::string_view text);

}  // namespace highwater::scan::reader::dicom
