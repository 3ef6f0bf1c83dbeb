#include "core/scan/reader/dicom/codestream.h"

#include <fmt/format.h>

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
        if (isFrameHeader(marker)) {
            return Codestream{load16(stream.data() + at + 7, true), load16(stream.data() + at + 5, true),
                              static_cast<int>(stream[at + 9]), static_cast<int>(stream[at + 4])};
        }
        at += 2 + std::size_t{load16(stream.data() + at + 2, true)};
    }
    return noHeader();
}

/// In a JP2 file the codestream follows a few small boxes.
base::Result<Codestream> describeJpeg2000(Bytes stream) {
    constexpr std::size_t kMostBoxes = 4096, kSizBytes = 43;
    constexpr std::uint32_t kSocSiz = 0xFF4FFF51;
    for (std::size_t at = 0; at < kMostBoxes && at + kSizBytes <= stream.size(); ++at) {
        const std::byte* siz = stream.data() + at;
        if (load32(siz, true) != kSocSiz) {
            continue;
        }
        const std::uint32_t right = load32(siz + 8, true), bottom = load32(siz + 12, true);
        const std::uint32_t left = load32(siz + 16, true), top = load32(siz + 20, true);
        if (right <= left || bottom <= top) {
            return noHeader();
        }
        return Codestream{right - left, bottom - top, load16(siz + 40, true),
                          (static_cast<int>(siz[42]) & 0x7F) + 1};
    }
    return noHeader();
}

}  // namespace

base::Result<Codestream> describeCodestream(Bytes stream, Coding coding) {
    return coding == Coding::Jpeg2000 ? describeJpeg2000(stream) : describeJpeg(stream);
}

base::Result<std::vector<std::byte>> checkedStream(const std::vector<Bytes>& fragments, const Pixels& pixels,
                                                   Coding coding, Codestream& described) {
    std::vector<std::byte> stream;
    for (const Bytes fragment : fragments) {
        stream.insert(stream.end(), fragment.begin(), fragment.end());
    }
    if (coding == Coding::Rle) {
        described = {pixels.columns, pixels.rows, 1, pixels.allocated};
        constexpr std::size_t kRleHeader = 64;
        return stream.size() > kRleHeader ? base::Result(std::move(stream)) : noHeader();
    }
    const auto found = describeCodestream(stream, coding);
    if (!found) {
        return found.error();
    }
    described = *found;
    if (found->columns != pixels.columns || found->rows != pixels.rows || found->components != 1) {
        return base::Error{fmt::format(
            "damaged: the header promises {} × {}, the compressed picture is {} × {} with {} values a pixel",
            pixels.columns, pixels.rows, found->columns, found->rows, found->components)};
    }
    if (found->precision < 1 || found->precision > (pixels.allocated > 16 ? 32 : 16)) {
        return base::Error{fmt::format("damaged: a compressed picture of {} bits", found->precision)};
    }
    while (stream.size() > 2 && stream.back() != std::byte{0xD9}) {
        stream.pop_back();
    }
    if (stream.back() != std::byte{0xD9} || stream[stream.size() - 2] != std::byte{0xFF}) {
        return base::Error{"truncated: a compressed picture has no end"};
    }
    return stream;
}

}  // namespace highwater::scan::reader::dicom
