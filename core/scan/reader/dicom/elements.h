#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

/// Parses the data elements of DICOM PS3.5, chapter 7, from untrusted bytes: every length is checked against
/// the available bytes, and nothing is copied. Highwater has its own parser because GDCM's asserts, accepts
/// truncated values as complete, and allocates memory by unchecked lengths. GDCM is used only to decode
/// pictures.
namespace highwater::scan::reader::dicom {

using Bytes = std::span<const std::byte>;
using Tag = std::uint32_t;  ///< group << 16 | element

inline constexpr Tag kPixelData = 0x7FE00010;
inline constexpr Tag kFloatPixelData = 0x7FE00008;
inline constexpr Tag kDoublePixelData = 0x7FE00009;

struct Encoding {
    bool explicitVr = true;
    bool bigEndian = false;
};

struct Element {
    Tag tag = 0;
    std::array<char, 2> vr{};  ///< zeros in implicit VR
    Bytes value;               ///< if the length is undefined: the items, without the delimiter at their end
    bool undefined = false;    ///< whether the length is undefined
};

struct DataSet {
    Encoding encoding;
    std::vector<Element> elements;
    const Element* find(Tag tag) const;  ///< nullptr if there is none
};

struct Parsed {
    DataSet set;                       ///< also contains the elements before an error
    std::optional<base::Error> error;  ///< "truncated: (7FE0,0010) promises 131072 bytes, 500 are left"
};

/// Parses the elements from the start of `bytes` up to and including the pixel data, or to the end.
Parsed parseDataSet(Bytes bytes, Encoding encoding);

/// Parses the file meta elements (group 0002, always explicit and little-endian) at the start of `bytes`;
/// `rest` is what follows them.
Parsed parseMeta(Bytes bytes, Bytes& rest);

/// Returns the items of a sequence; fewer if it is damaged, none if there is no such element.
std::vector<DataSet> sequenceItems(const DataSet& set, Tag tag);

/// Returns the fragments of encapsulated pixel data (PS3.5 A.4); the first is the offset table.
base::Result<std::vector<Bytes>> fragmentsOf(const Element& pixelData);

/// Whether the first element of `bytes` has an explicit VR.
bool hasVr(Bytes bytes);

std::uint16_t load16(const std::byte* at, bool bigEndian);
std::uint32_t load32(const std::byte* at, bool bigEndian);
std::string tagName(Tag tag);  ///< "(0028,0010)"

}  // namespace highwater::scan::reader::dicom
