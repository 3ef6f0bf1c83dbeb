#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/elements.h"

/// Values of elements as text and numbers. What is missing or no number is simply absent; a comma locale
/// changes nothing.
namespace highwater::scan::reader::dicom {

/// Without padding, one line of UTF-8; Latin-1 (ISO_IR 100) is converted, of other character sets only what
/// is ASCII or UTF-8 survives.
std::string textOf(const DataSet& set, Tag tag);

/// DS, IS, FD, FL, US, SS, UL, SL by their VR; in implicit VR by `implicitVr`.
std::vector<double> numbersOf(const DataSet& set, Tag tag, const char* implicitVr);

/// The first of numbersOf.
std::optional<double> numberOf(const DataSet& set, Tag tag, const char* implicitVr);
/// The same as a whole number of at most 2^53.
std::optional<std::int64_t> wholeOf(const DataSet& set, Tag tag, const char* implicitVr);

/// The element `low` (0 to 255) of the private block that `creator` reserved in `group`, as its tag; 0 where
/// there is none.
Tag privateTag(const DataSet& set, std::uint16_t group, const char* creator, std::uint8_t low);

/// Numbers in "1.5\\-2e-3 \\ 7".
std::vector<double> parseDecimals(std::string_view text);

}  // namespace highwater::scan::reader::dicom
