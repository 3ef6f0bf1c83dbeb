#include "core/scan/reader/dicom/codestream.h"

#include <fmt/format.h>

#include <algorithm>

namespace highwater::scan::reader::dicom {
namespace {

base::Error noHeader() {
    return {"damaged: a compressed picture has no header"};
}

bool isFrameHeader(unsigned marker) {
    constexpr unsigned kJpegLs = 0xF7;
    const bool jpeg = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    return jpeg || marker == kJpegLs;
}

base::Result<Codestream> describeJpeg(Bytes stream) {
    if (stream.size() < 4 || load16(stream.data(), true) != 0xFFD8) {
        return noHeader();
    }
    std::size_t at = 2;
    while (at + 10 <= stream.size()) {
        if (stream[at] != std::byte{0xFF}) {
            return noHeader();
        }
        const auto marker = static_cast<unsigned>(stream[at + 1]);
        if (marker == 0xFF) {  // fill byte
            ++at;
            continue;
        }
        constexpr unsigned kTem = 0x01, kFirstRestart = 0xD0, kLastRestart = 0xD7;
        if (marker == kTem || (marker >= kFirstRestart && marker <= kLastRestart)) {  // these have no length
            at += 2;
            continue;
        }
        if (isFrameHeader(marker)) {
            return Codestream{load16(stream.data() + at + 7, true), load16(stream.data() + at + 5, true),
                              static_cast<int>(stream[at + 9]), static_cast<int>(stream[at + 4])};
        }
        at += 2 + std::size_t{load16(stream.data() + at + 2, true)};
    }
    return noHeader();
}

/// Whether a difference table (T.81, B.2.4.2) has a 16-bit category, which only lossless JPEG has: GDCM's
/// libjpeg accepts this and then reads past the end of its own table.
bool has16BitDifferences(Bytes tables) {
    constexpr std::size_t kCounts = 17;
    while (tables.size() >= kCounts) {
        std::size_t symbols = 0;
        for (const std::byte count : tables.subspan(1, kCounts - 1)) {
            symbols += static_cast<std::size_t>(count);
        }
        symbols = std::min(symbols, tables.size() - kCounts);
        const bool ofDifferences = (tables[0] & std::byte{0x10}) == std::byte{0};
        for (const std::byte symbol : tables.subspan(kCounts, ofDifferences ? symbols : 0)) {
            if (symbol > std::byte{15}) {
                return true;
            }
        }
        tables = tables.subspan(kCounts + symbols);
    }
    return false;
}

/// Checks every table of a JPEG picture, including those between its scans.
base::Status checkTables(Bytes stream) {
    constexpr unsigned kTables = 0xC4, kLossless = 0xC3, kFirstAlone = 0xD0, kLastAlone = 0xD9;
    bool lossless = false, wide = false;
    for (std::size_t at = 2; at + 4 <= stream.size();) {
        const auto marker = static_cast<unsigned>(stream[at + 1]);
        const bool coded = stream[at] != std::byte{0xFF} || marker <= 0x01 || marker == 0xFF ||
                           (marker >= kFirstAlone && marker <= kLastAlone);
        const std::size_t length = coded ? 0 : load16(stream.data() + at + 2, true);
        if (coded || length < 2 || length > stream.size() - at - 2) {
            ++at;
            continue;
        }
        lossless = lossless || marker == kLossless;
        wide = wide || (marker == kTables && has16BitDifferences(stream.subspan(at + 4, length - 2)));
        at += 2 + length;
    }
    return wide && !lossless
               ? base::Status(base::Error{"damaged: a code of a compressed picture has too many bits"})
               : base::Status();
}

std::int64_t dividedUp(std::uint32_t value, std::byte by) {
    const auto step = static_cast<std::int64_t>(by);
    return (std::int64_t{value} + step - 1) / step;
}

base::Result<Codestream> describeJpeg2000(Bytes stream) {
    constexpr std::size_t kSizBytes = 45;
    constexpr std::uint32_t kSocSiz = 0xFF4FFF51;
    if (stream.size() < kSizBytes || load32(stream.data(), true) != kSocSiz) {
        return noHeader();
    }
    const std::byte* siz = stream.data();
    const std::uint32_t right = load32(siz + 8, true), bottom = load32(siz + 12, true);
    const std::uint32_t left = load32(siz + 16, true), top = load32(siz + 20, true);
    const std::byte everyColumn = siz[43], everyRow = siz[44];
    if (right <= left || bottom <= top || everyColumn == std::byte{0} || everyRow == std::byte{0}) {
        return noHeader();
    }
    return Codestream{dividedUp(right, everyColumn) - dividedUp(left, everyColumn),
                      dividedUp(bottom, everyRow) - dividedUp(top, everyRow), load16(siz + 40, true),
                      (static_cast<int>(siz[42]) & 0x7F) + 1};
}

/// Whether a segment with `marker` at the beginning of `segment` has a code block style, and it is that of
/// High-Throughput JPEG 2000 (T.814). Pictures have one component.
bool isHighThroughput(Bytes segment, unsigned marker) {
    constexpr unsigned kCodingStyle = 0xFF52, kOfComponent = 0xFF53;
    constexpr std::byte kHighThroughput{0xC0};
    const std::size_t at = marker == kCodingStyle ? 12 : marker == kOfComponent ? 9 : segment.size();
    return at < segment.size() && (segment[at] & kHighThroughput) != std::byte{0};
}

/// Walks the marker segments of a JPEG 2000 picture and of its tile parts (T.800, annex A).
base::Status checkSegments(Bytes stream) {
    constexpr unsigned kTilePart = 0xFF90, kData = 0xFF93, kCodingStyle = 0xFF52, kEnd = 0xFFD9;
    const base::Error endless{"damaged: a header within a compressed picture does not end"};
    std::size_t at = 2, part = 0, partBytes = 0;
    bool begun = false;  // a tile part with data was found
    while (at + 4 <= stream.size()) {
        const unsigned marker = load16(stream.data() + at, true);
        if (marker == kData) {
            const std::size_t next = part + partBytes;
            if (part == 0 || (partBytes > 0 && next < at + 2)) {
                return endless;
            }
            begun = true;
            at = partBytes > 0 ? next : stream.size();  // without a length it extends to the end
            continue;
        }
        if (marker == kEnd) {
            break;
        }
        const bool alone = (marker >= 0xFF30 && marker <= 0xFF3F) || marker == 0xFF4F || marker == 0xFF92;
        const std::size_t length = alone ? 0 : load16(stream.data() + at + 2, true);
        const std::size_t least = marker == kTilePart ? 10 : marker == kCodingStyle ? 12 : 2;
        if (marker < 0xFF00 || (!alone && length < least) || length > stream.size() - at - 2) {
            return endless;
        }
        if (isHighThroughput(stream.subspan(at, 2 + length), marker)) {
            return base::Error{"damaged: marked as JPEG 2000, but it is High-Throughput JPEG 2000 (HTJ2K)"};
        }
        if (marker == kTilePart) {
            part = at;
            partBytes = load32(stream.data() + at + 6, true);
        }
        at += 2 + length;
    }
    return begun ? base::Status() : endless;
}

/// Returns the codestream in a JP2 file (T.800, annex I), which is a sequence of boxes; any other stream
/// unchanged.
base::Result<Bytes> withoutBoxes(Bytes stream) {
    constexpr std::uint32_t kSignature = 0x6A502020, kCodestream = 0x6A703263;
    constexpr std::size_t kBox = 8, kLongBox = 16;
    if (stream.size() < kBox || load32(stream.data() + 4, true) != kSignature) {
        return stream;
    }
    while (stream.size() >= kBox) {
        const std::uint32_t type = load32(stream.data() + 4, true);
        std::uint64_t length = load32(stream.data(), true);
        std::size_t header = kBox;
        if (length == 1 && stream.size() >= kLongBox) {
            length = std::uint64_t{load32(stream.data() + 8, true)} << 32 | load32(stream.data() + 12, true);
            header = kLongBox;
        }
        length = length == 0 ? stream.size() : length;  // extends to the end
        if (length < header || length > stream.size()) {
            break;
        }
        if (type == kCodestream) {
            return stream.subspan(header, static_cast<std::size_t>(length) - header);
        }
        stream = stream.subspan(static_cast<std::size_t>(length));
    }
    return noHeader();
}

}  // namespace

base::Result<Codestream> describeCodestream(Bytes stream, Coding coding) {
    return coding == Coding::Jpeg2000 ? describeJpeg2000(stream) : describeJpeg(stream);
}

std::vector<std::byte> joined(const std::vector<Bytes>& fragments) {
    std::vector<std::byte> stream;
    for (const Bytes fragment : fragments) {
        stream.insert(stream.end(), fragment.begin(), fragment.end());
    }
    return stream;
}

base::Result<std::vector<std::byte>> checkedStream(const std::vector<Bytes>& fragments, const Pixels& pixels,
                                                   Coding coding, Codestream& described) {
    std::vector<std::byte> stream = joined(fragments);
    if (coding == Coding::Jpeg2000) {
        const auto inner = HIGHWATER_TRY(withoutBoxes(stream));
        if (inner.size() < stream.size()) {
            stream = std::vector<std::byte>(inner.begin(), inner.end());
        }
    }
    const auto found = HIGHWATER_TRY(describeCodestream(stream, coding));
    described = found;
    if (found.columns != pixels.columns || found.rows != pixels.rows || found.components != 1) {
        return base::Error{fmt::format(
            "damaged: the header promises {} × {}, the compressed picture is {} × {} with {} values a pixel",
            pixels.columns, pixels.rows, found.columns, found.rows, found.components)};
    }
    const int most = coding == Coding::Jpeg2000 && pixels.allocated > 16 ? 32 : 16;
    if (found.precision < 1 || found.precision > most) {
        return base::Error{fmt::format("damaged: a compressed picture of {} bits", found.precision)};
    }
    while (stream.size() > 2 && stream.back() != std::byte{0xD9}) {
        stream.pop_back();
    }
    if (stream.back() != std::byte{0xD9} || stream[stream.size() - 2] != std::byte{0xFF}) {
        return base::Error{"truncated: a compressed picture has no end"};
    }
    HIGHWATER_TRY(coding == Coding::Jpeg2000 ? checkSegments(stream)
                  : coding == Coding::Jpeg   ? checkTables(stream)
                                             : base::Status());
    return stream;
}

bool dropPadding(std::vector<std::byte>& stream) {
    constexpr std::size_t kEnd = 2;
    const bool padded = stream.size() > kEnd && stream[stream.size() - kEnd - 1] == std::byte{0};
    if (padded) {
        stream.erase(stream.end() - static_cast<std::ptrdiff_t>(kEnd) - 1);
    }
    return padded;
}

}  // namespace highwater::scan::reader::dicom
