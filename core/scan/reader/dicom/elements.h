#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

/// The data elements of DICOM PS3.5, chapter 7, over bytes that may say anything: every length is checked
/// against what is there, and nothing is copied. Ours and not GDCM's, whose header parser asserts, reads
/// truncated values as whole ones and takes memory on a length's word; GDCM decodes the pictures.
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
    Bytes value;               ///< of undefined length: the items, without the delimiter at their end
    bool undefined = false;    ///< its length
};

struct DataSet {
    Encoding encoding;
    std::vector<Element> elements;
    const Element* find(Tag tag) const;  ///< null where there is none
};

struct Parsed {
    DataSet set;                       ///< what was read before an error too
    std::optional<base::Error> error;  ///< "truncated: (7FE0,0010) promises 131072 bytes, 500 are left"
};

/// Elements from the start of `bytes` up to and with the pixel data, or to the end.
Parsed parseDataSet(Bytes bytes, Encoding encoding);

/// The file meta elements (group 0002, always explicit and little-endian) at the start of `bytes`; `rest` is
/// what follows them.
Parsed parseMeta(Bytes bytes, Bytes& rest);

/// The items of a sequence, fewer where it is damaged; none where there is no such element.
std::vector<DataSet> sequenceItems(const DataSet& set, Tag tag);

/// The fragments of encapsulated pixel data (PS3.5 A.4), the first being the offset table.
base::Result<std::vector<Bytes>> fragmentsOf(const Element& pixelData);

/// Whether an explicit VR stands where the first element of `bytes` would have it.
bool hasVr(Bytes bytes);

std::uint16_t load16(const std::byte* at, bool bigEndian);
std::uint32_t load32(const std::byte* at, bool bigEndian);
std::string tagName(Tag tag);  ///< "(0028,0010)"

}  // namespace highwater::scan::reader::dicom
