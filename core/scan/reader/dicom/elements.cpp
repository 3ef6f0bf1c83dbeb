#include "core/scan/reader/dicom/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace highwater::scan::reader::dicom {
namespace {

constexpr Tag kItem = 0xFFFEE000;
constexpr Tag kItemEnd = 0xFFFEE00D;
constexpr Tag kSequenceEnd = 0xFFFEE0DD;
constexpr std::uint32_t kUndefined = 0xFFFFFFFF;
constexpr int kMostDepth = 32;

constexpr std::string_view kLongVrs = "OB OD OF OL OV OW SQ SV UC UN UR UT UV";
constexpr std::string_view kShortVrs = "AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US";

bool among(std::string_view list, std::array<char, 2> vr) {
    const auto at = list.find(std::string_view(vr.data(), 2));
    return at != std::string_view::npos && at % 3 == 0;
}

base::Error truncated(Tag tag, std::uint64_t promised, std::size_t left) {
    return {fmt::format("truncated: {} promises {} bytes, {} are left", tagName(tag), promised, left)};
}

base::Error damaged(Tag tag, std::string_view what) {
    return {fmt::format("damaged: {} at {}", what, tagName(tag))};
}

struct Head {
    Tag tag = 0;
    std::array<char, 2> vr{};
    std::uint32_t length = 0;
};

/// A read position; `bytes` is the remainder.
struct Cursor {
    Bytes bytes;
    Encoding encoding;
    int depth = 0;

    Tag peekTag() const {
        return static_cast<Tag>(load16(bytes.data(), encoding.bigEndian)) << 16 |
               load16(bytes.data() + 2, encoding.bigEndian);
    }
    base::Result<Head> head();
    base::Result<Element> element();
    base::Status skipItems(Tag owner);
    base::Status skipElementsOfItem(Tag owner);
};

base::Result<Head> Cursor::head() {
    Head out;
    if (bytes.size() < 8) {
        return base::Error{
            fmt::format("truncated: it ends within a data element, {} bytes before the end", bytes.size())};
    }
    out.tag = peekTag();
    const bool hasNoVr = !encoding.explicitVr || out.tag >> 16 == 0xFFFE;
    if (hasNoVr) {
        out.length = load32(bytes.data() + 4, encoding.bigEndian);
        bytes = bytes.subspan(8);
        return out;
    }
    out.vr = {static_cast<char>(bytes[4]), static_cast<char>(bytes[5])};
    if (among(kShortVrs, out.vr)) {
        out.length = load16(bytes.data() + 6, encoding.bigEndian);
        bytes = bytes.subspan(8);
        return out;
    }
    if (!among(kLongVrs, out.vr)) {
        return damaged(out.tag, "there is no value type");
    }
    if (bytes.size() < 12) {
        return truncated(out.tag, 4, bytes.size() - 8);
    }
    out.length = load32(bytes.data() + 8, encoding.bigEndian);
    bytes = bytes.subspan(12);
    return out;
}

base::Result<Element> Cursor::element() {
    const auto head = HIGHWATER_TRY(this->head());
    Element out{head.tag, head.vr, {}, head.length == kUndefined};
    if (!out.undefined) {
        if (head.length > bytes.size()) {
            return truncated(out.tag, head.length, bytes.size());
        }
        out.value = bytes.first(head.length);
        bytes = bytes.subspan(head.length);
        return out;
    }
    const Bytes begin = bytes;
    Cursor inner{bytes, encoding, depth + 1};
    if (out.vr == std::array<char, 2>{'U', 'N'}) {
        inner.encoding = {false, false};  // PS3.5, 6.2.2, note 2
    }
    HIGHWATER_TRY(inner.skipItems(out.tag));
    bytes = inner.bytes;
    out.value = begin.first(begin.size() - bytes.size() - 8);
    return out;
}

/// Skips the items of a sequence of undefined length, and its delimiter.
base::Status Cursor::skipItems(Tag owner) {
    if (depth > kMostDepth) {
        return damaged(owner, "sequences lie in sequences without end");
    }
    for (;;) {
        const auto item = head();
        if (!item) {
            return base::Error{fmt::format("truncated: {} does not end", tagName(owner))};
        }
        if (item->tag == kSequenceEnd) {
            return {};
        }
        if (item->tag != kItem) {
            return damaged(owner, "there is other data between items");
        }
        if (item->length != kUndefined) {
            if (item->length > bytes.size()) {
                return truncated(owner, item->length, bytes.size());
            }
            bytes = bytes.subspan(item->length);
        } else if (auto status = skipElementsOfItem(owner); !status) {
            return status;
        }
    }
}

base::Status Cursor::skipElementsOfItem(Tag owner) {
    for (;;) {
        if (bytes.size() < 8) {
            return base::Error{fmt::format("truncated: {} does not end", tagName(owner))};
        }
        if (peekTag() == kItemEnd) {
            bytes = bytes.subspan(8);
            return {};
        }
        HIGHWATER_TRY(element());
    }
}

bool isPixelData(Tag tag) {
    return tag == kPixelData || tag == kFloatPixelData || tag == kDoublePixelData;
}

}  // namespace

std::uint16_t load16(const std::byte* at, bool bigEndian) {
    const auto a = static_cast<std::uint16_t>(at[0]), b = static_cast<std::uint16_t>(at[1]);
    return static_cast<std::uint16_t>(bigEndian ? a << 8 | b : b << 8 | a);
}

std::uint32_t load32(const std::byte* at, bool bigEndian) {
    const std::uint32_t a = load16(at, bigEndian), b = load16(at + 2, bigEndian);
    return bigEndian ? a << 16 | b : b << 16 | a;
}

std::string tagName(Tag tag) {
    return fmt::format("({:04X},{:04X})", tag >> 16, tag & 0xFFFF);
}

bool hasVr(Bytes bytes) {
    if (bytes.size() < 8) {
        return false;
    }
    const std::array<char, 2> vr{static_cast<char>(bytes[4]), static_cast<char>(bytes[5])};
    return among(kShortVrs, vr) || among(kLongVrs, vr);
}

const Element* DataSet::find(Tag tag) const {
    const auto at =
        std::find_if(elements.begin(), elements.end(), [&](const Element& e) { return e.tag == tag; });
    return at == elements.end() ? nullptr : &*at;
}

Parsed parseDataSet(Bytes bytes, Encoding encoding) {
    Parsed out{{encoding, {}}, {}};
    Cursor cursor{bytes, encoding};
    while (!cursor.bytes.empty()) {
        auto element = cursor.element();
        if (!element) {
            out.error = element.error();
            return out;
        }
        out.set.elements.push_back(*element);
        if (isPixelData(element->tag)) {
            return out;
        }
    }
    return out;
}

Parsed parseMeta(Bytes bytes, Bytes& rest) {
    Parsed out;
    Cursor cursor{bytes, {}};
    while (cursor.bytes.size() >= 8 && cursor.peekTag() >> 16 == 0x0002) {
        auto element = cursor.element();
        if (!element) {
            out.error = element.error();
            break;
        }
        out.set.elements.push_back(*element);
    }
    rest = cursor.bytes;
    return out;
}

std::vector<DataSet> sequenceItems(const DataSet& set, Tag tag) {
    std::vector<DataSet> out;
    const Element* owner = set.find(tag);
    if (!owner) {
        return out;
    }
    Cursor cursor{owner->value, set.encoding};
    if (owner->vr == std::array<char, 2>{'U', 'N'}) {
        cursor.encoding = {false, false};
    }
    while (cursor.bytes.size() >= 8) {
        const auto item = cursor.head();
        if (!item || item->tag != kItem) {
            break;
        }
        const Bytes begin = cursor.bytes;
        if (item->length == kUndefined) {
            if (!cursor.skipElementsOfItem(tag)) {
                break;
            }
            out.push_back(
                parseDataSet(begin.first(begin.size() - cursor.bytes.size() - 8), cursor.encoding).set);
        } else if (item->length <= begin.size()) {
            out.push_back(parseDataSet(begin.first(item->length), cursor.encoding).set);
            cursor.bytes = begin.subspan(item->length);
        } else {
            break;
        }
    }
    return out;
}

base::Result<std::vector<Bytes>> fragmentsOf(const Element& pixelData) {
    std::vector<Bytes> out;
    Cursor cursor{pixelData.value, {true, false}};
    while (!cursor.bytes.empty()) {
        const auto item = HIGHWATER_TRY(cursor.head());
        if (item.tag != kItem || item.length > cursor.bytes.size()) {
            return damaged(pixelData.tag, "the compressed pictures are cut wrongly");
        }
        out.push_back(cursor.bytes.first(item.length));
        cursor.bytes = cursor.bytes.subspan(item.length);
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
