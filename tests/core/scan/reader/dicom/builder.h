#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Makes DICOM files element by element from PS3.5, independently of the program and of GDCM.
namespace highwater::test {

enum class Syntax { Explicit, Implicit, BigEndian, Deflated, Rle, Jpeg2000 };

struct Value {
    std::string vr;
    std::string text;                                   ///< as stored, for text
    std::vector<double> numbers;                        ///< for US, SS, FD, FL, UL
    std::vector<std::map<std::uint32_t, Value>> items;  ///< for SQ
};
using Elements = std::map<std::uint32_t, Value>;

inline Value text(const std::string& vr, const std::string& value) {
    return {vr, value, {}, {}};
}
inline Value numbers(const std::string& vr, std::vector<double> values) {
    return {vr, "", std::move(values), {}};
}
inline Value sequence(std::vector<Elements> items) {
    return {"SQ", "", {}, std::move(items)};
}
template <class Range>
Value decimals(const Range& values) {
    return text("DS", fmt::format("{}", fmt::join(values, "\\")));
}

/// Bytes of `value` as a word of `size`.
inline std::string word(std::uint64_t value, std::size_t size, bool bigEndian) {
    std::string out(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
        out[bigEndian ? size - 1 - i : i] = static_cast<char>(value >> 8 * i & 0xFF);
    }
    return out;
}

inline std::string encodedNumber(const std::string& vr, double number, bool bigEndian) {
    if (vr == "FD") {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof(bits));
        return word(bits, 8, bigEndian);
    }
    if (vr == "FL") {
        const auto small = static_cast<float>(number);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &small, sizeof(bits));
        return word(bits, 4, bigEndian);
    }
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
    return word(whole, vr == "US" || vr == "SS" ? 2 : 4, bigEndian);
}

std::string encoded(const Elements& elements, bool explicitVr, bool bigEndian, bool undefinedLengths);

inline std::string encodedTag(std::uint32_t tag, bool bigEndian) {
    return word(tag >> 16, 2, bigEndian) + word(tag & 0xFFFF, 2, bigEndian);
}

inline std::string encodedItems(const Value& value, bool explicitVr, bool bigEndian, bool undefinedLengths) {
    std::string out;
    for (const Elements& item : value.items) {
        const std::string inner = encoded(item, explicitVr, bigEndian, undefinedLengths);
        out += encodedTag(0xFFFEE000, bigEndian);
        out += word(undefinedLengths ? 0xFFFFFFFF : inner.size(), 4, bigEndian) + inner;
        out += undefinedLengths ? encodedTag(0xFFFEE00D, bigEndian) + word(0, 4, bigEndian) : "";
    }
    return out + (undefinedLengths ? encodedTag(0xFFFEE0DD, bigEndian) + word(0, 4, bigEndian) : "");
}

inline std::string encodedElement(std::uint32_t tag, const Value& value, bool explicitVr, bool bigEndian,
                                  bool undefinedLengths) {
    std::string bytes = value.text;
    for (const double number : value.numbers) {
        bytes += encodedNumber(value.vr, number, bigEndian);
    }
    const bool isSequence = value.vr == "SQ";
    if (isSequence) {
        bytes = encodedItems(value, explicitVr, bigEndian, undefinedLengths);
    }
    if (bytes.size() % 2 == 1) {
        bytes += value.vr == "UI" || value.vr[0] == 'O' ? '\0' : ' ';
    }
    const std::uint64_t length = isSequence && undefinedLengths ? 0xFFFFFFFF : bytes.size();
    std::string out = encodedTag(tag, bigEndian);
    if (!explicitVr) {
        return out + word(length, 4, bigEndian) + bytes;
    }
    const bool isLong = value.vr[0] == 'O' || isSequence || value.vr == "UN" || value.vr == "UT";
    out += value.vr;
    out += isLong ? std::string(2, '\0') + word(length, 4, bigEndian) : word(length, 2, bigEndian);
    return out + bytes;
}

inline std::string encoded(const Elements& elements, bool explicitVr, bool bigEndian, bool undefinedLengths) {
    std::string out;
    for (const auto& [tag, value] : elements) {
        out += encodedElement(tag, value, explicitVr, bigEndian, undefinedLengths);
    }
    return out;
}

/// One slice as a CT scanner writes it; tests change what they are about. Positions and directions are LPS.
struct Dicom {
    Syntax syntax = Syntax::Explicit;
    bool preamble = true;
    bool undefinedLengths = false;
    std::string seriesUid = "1.2.3";
    std::string description = "head";
    int number = 1, instance = 1;
    int columns = 4, rows = 3, bits = 16, stored = 16;
    bool isSigned = true;
    std::array<double, 6> orientation{1, 0, 0, 0, 1, 0};
    std::array<double, 3> position{};
    std::array<double, 2> spacing{2, 1};  ///< between rows, between columns
    std::vector<std::int64_t> values;     ///< empty: 0, 1, 2, ...
    std::string pixels;                   ///< bytes instead of values
    std::vector<std::string> fragments;   ///< encapsulated instead of both
    Elements extra;                       ///< added, or replacing existing elements; vr "" removes
};

inline std::string pixelBytes(const Dicom& d) {
    std::string out;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(d.columns) * d.rows; ++i) {
        const std::int64_t value =
            d.values.empty() ? i : d.values[static_cast<std::size_t>(i) % d.values.size()];
        out += word(static_cast<std::uint64_t>(value), static_cast<std::size_t>(d.bits) / 8,
                    d.syntax == Syntax::BigEndian);
    }
    return out;
}

/// Bytes of OW are stored in words of two, in big endian with the second byte first.
inline std::string asWords(std::string bytes) {
    bytes.resize((bytes.size() + 1) / 2 * 2, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += 2) {
        std::swap(bytes[at], bytes[at + 1]);
    }
    return bytes;
}

/// PS3.5, annex G: literal runs only.
inline std::string rleFrame(const Dicom& d) {
    const std::string plain = pixelBytes(d);
    const auto bytes = static_cast<std::size_t>(d.bits) / 8;
    std::string header = word(bytes, 4, false), segments;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
        header += word(64 + segments.size(), 4, false);
        std::string plane;
        for (std::size_t at = bytes - 1 - byte; at < plain.size(); at += bytes) {
            plane += plain[at];
        }
        for (std::size_t at = 0; at < plane.size(); at += 128) {
            const std::string run = plane.substr(at, 128);
            segments += static_cast<char>(run.size() - 1) + run;
        }
        segments += segments.size() % 2 == 1 ? std::string(1, '\0') : "";
    }
    header.resize(64, '\0');
    return header + segments;
}

inline std::string encapsulated(const std::vector<std::string>& fragments) {
    std::string out =
        encodedTag(0x7FE00010, false) + "OB" + std::string(2, '\0') + word(0xFFFFFFFF, 4, false);
    out += encodedTag(0xFFFEE000, false) + word(0, 4, false);
    for (std::string fragment : fragments) {
        fragment += fragment.size() % 2 == 1 ? std::string(1, '\0') : "";
        out += encodedTag(0xFFFEE000, false) + word(fragment.size(), 4, false) + fragment;
    }
    return out + encodedTag(0xFFFEE0DD, false) + word(0, 4, false);
}

inline Elements elementsOf(const Dicom& d) {
    Elements e;
    e[0x00080008] = text("CS", "ORIGINAL\\PRIMARY\\AXIAL");
    e[0x00080016] = text("UI", "1.2.840.10008.5.1.4.1.1.2");
    e[0x00080018] = text("UI", fmt::format("{}.{}", d.seriesUid, d.instance));
    e[0x00080060] = text("CS", "CT");
    e[0x0008103E] = text("LO", d.description);
    e[0x00100010] = text("PN", "Secret^Person");
    e[0x00180050] = text("DS", "99");  // SliceThickness: wrong, and must not be used
    e[0x0020000E] = text("UI", d.seriesUid);
    e[0x00200011] = text("IS", fmt::format("{}", d.number));
    e[0x00200013] = text("IS", fmt::format("{}", d.instance));
    e[0x00200032] = decimals(d.position);
    e[0x00200037] = decimals(d.orientation);
    e[0x00280002] = numbers("US", {1});
    e[0x00280004] = text("CS", "MONOCHROME2");
    e[0x00280010] = numbers("US", {static_cast<double>(d.rows)});
    e[0x00280011] = numbers("US", {static_cast<double>(d.columns)});
    e[0x00280030] = decimals(d.spacing);
    e[0x00280100] = numbers("US", {static_cast<double>(d.bits)});
    e[0x00280101] = numbers("US", {static_cast<double>(d.stored)});
    e[0x00280102] = numbers("US", {static_cast<double>(d.stored - 1)});
    e[0x00280103] = numbers("US", {d.isSigned ? 1.0 : 0.0});
    for (const auto& [tag, value] : d.extra) {
        if (value.vr.empty()) {
            e.erase(tag);
        } else {
            e[tag] = value;
        }
    }
    return e;
}

inline std::string dataSet(const Dicom& d) {
    const bool explicitVr = d.syntax != Syntax::Implicit, bigEndian = d.syntax == Syntax::BigEndian;
    Elements e = elementsOf(d);
    std::vector<std::string> fragments = d.fragments;
    if (d.syntax == Syntax::Rle && fragments.empty()) {
        fragments = {rleFrame(d)};
    }
    if (!fragments.empty()) {
        return encoded(e, true, false, d.undefinedLengths) + encapsulated(fragments);
    }
    if (!d.extra.contains(0x7FE00008) && !d.extra.contains(0x7FE00009)) {
        const std::string pixels = d.pixels.empty() ? pixelBytes(d) : d.pixels;
        e[0x7FE00010] = text("OW", bigEndian && d.bits == 8 ? asWords(pixels) : pixels);
    }
    return encoded(e, explicitVr, bigEndian, d.undefinedLengths);
}

inline std::string syntaxUid(Syntax syntax) {
    switch (syntax) {
        case Syntax::Explicit:
            return "1.2.840.10008.1.2.1";
        case Syntax::Implicit:
            return "1.2.840.10008.1.2";
        case Syntax::BigEndian:
            return "1.2.840.10008.1.2.2";
        case Syntax::Deflated:
            return "1.2.840.10008.1.2.1.99";
        case Syntax::Rle:
            return "1.2.840.10008.1.2.5";
        case Syntax::Jpeg2000:
            break;
    }
    return "1.2.840.10008.1.2.4.90";
}

inline std::string wrapped(const std::string& syntaxUid, const std::string& body) {
    Elements meta;
    meta[0x00020002] = text("UI", "1.2.840.10008.5.1.4.1.1.2");
    meta[0x00020010] = text("UI", syntaxUid);
    const std::string rest = encoded(meta, true, false, false);
    return std::string(128, '\0') + "DICM" +
           encodedElement(0x00020000, numbers("UL", {static_cast<double>(rest.size())}), true, false, false) +
           rest + body;
}

inline std::string dicomFile(const Dicom& d) {
    return d.preamble ? wrapped(syntaxUid(d.syntax), dataSet(d)) : dataSet(d);
}

}  // namespace highwater::test
