#include "core/scan/reader/dicom/file.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <cstring>
#include <memory>

#include "core/base/text.h"
#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/dicom/values.h"

namespace highwater::scan::reader {
namespace {

constexpr std::size_t kPreamble = 128;

}  // namespace

bool hasDicomMark(std::span<const std::byte> beginning) {
    return beginning.size() >= kPreamble + 4 && std::memcmp(beginning.data() + kPreamble, "DICM", 4) == 0;
}

bool looksLikeDicom(std::span<const std::byte> beginning) {
    if (hasDicomMark(beginning)) {
        return true;
    }
    if (beginning.size() < 16) {
        return false;
    }
    for (const bool bigEndian : {false, true}) {
        const auto group = dicom::load16(beginning.data(), bigEndian);
        const auto element = dicom::load16(beginning.data() + 2, bigEndian);
        const bool first = (group == 0x0008 && (element <= 0x18)) || (group == 0x0002 && element <= 0x02);
        const std::uint32_t length = dicom::load32(beginning.data() + 4, bigEndian);
        constexpr std::uint32_t kMostImplicit = 256;
        if (first && (dicom::hasVr(beginning) || length <= kMostImplicit)) {
            return true;
        }
    }
    return false;
}

namespace dicom {
namespace {

constexpr Tag kTransferSyntax = 0x00020010;
constexpr Tag kMediaClass = 0x00020002;
constexpr const char* kDirectoryClass = "1.2.840.10008.1.3.10";

struct Row {
    const char* uid;
    const char* name;
    Coding coding;
};

constexpr Row kRows[] = {
    {"1.2.840.10008.1.2", "", Coding::Native},
    {"1.2.840.10008.1.2.1", "", Coding::Native},
    {"1.2.840.10008.1.2.2", "big-endian", Coding::Native},
    {"1.2.840.113619.5.2", "big-endian", Coding::Native},
    {"1.2.840.10008.1.2.1.99", "deflated", Coding::Deflated},
    {"1.2.840.10008.1.2.4.50", "JPEG", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.51", "JPEG", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.53", "JPEG", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.55", "JPEG", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.57", "JPEG lossless", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.70", "JPEG lossless", Coding::Jpeg},
    {"1.2.840.10008.1.2.4.80", "JPEG-LS", Coding::JpegLs},
    {"1.2.840.10008.1.2.4.81", "JPEG-LS", Coding::JpegLs},
    {"1.2.840.10008.1.2.4.90", "JPEG 2000", Coding::Jpeg2000},
    {"1.2.840.10008.1.2.4.91", "JPEG 2000", Coding::Jpeg2000},
    {"1.2.840.10008.1.2.5", "RLE", Coding::Rle},
    {"1.2.840.10008.1.2.4.201", "High-Throughput JPEG 2000 (HTJ2K)", Coding::None},
    {"1.2.840.10008.1.2.4.202", "High-Throughput JPEG 2000 (HTJ2K)", Coding::None},
    {"1.2.840.10008.1.2.4.203", "High-Throughput JPEG 2000 (HTJ2K)", Coding::None},
};

bool isVideo(const std::string& uid) {
    constexpr std::string_view kMpegAndMore = "1.2.840.10008.1.2.4.10";  // .100 to .108
    return uid.starts_with(kMpegAndMore) && uid.size() > kMpegAndMore.size();
}

/// Inflates the raw deflate stream of PS3.5, A.5. The buffer grows with the output, never by a size in a
/// header.
base::Result<std::vector<std::byte>> inflate(Bytes compressed, std::int64_t most) {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> engine(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    for (std::int64_t room = static_cast<std::int64_t>(compressed.size()) * 8 + 65536;; room *= 8) {
        std::vector<std::byte> out(static_cast<std::size_t>(std::min(room, most)));
        std::size_t used = 0, made = 0;
        const auto result = libdeflate_deflate_decompress_ex(
            engine.get(), compressed.data(), compressed.size(), out.data(), out.size(), &used, &made);
        if (result == LIBDEFLATE_SUCCESS) {
            out.resize(made);
            return out;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
            return base::Error{"damaged or truncated: its deflated part cannot be inflated"};
        }
        if (room >= most) {
            return base::Error{fmt::format("damaged: {} of deflated data unfold to more than {}",
                                           base::formatBytes(static_cast<base::Bytes>(compressed.size())),
                                           base::formatBytes(most))};
        }
    }
}

/// Guesses the syntax of a file without a meta header from its first element.
Syntax guessed(Bytes bytes) {
    const bool bigEndian = bytes.size() >= 2 && bytes[0] == std::byte{0} && bytes[1] == std::byte{8};
    return syntaxOf(bigEndian      ? "1.2.840.10008.1.2.2"
                    : hasVr(bytes) ? "1.2.840.10008.1.2.1"
                                   : "1.2.840.10008.1.2");
}

}  // namespace

Syntax syntaxOf(const std::string& uid) {
    Syntax out;
    out.uid = uid;
    out.coding = Coding::None;
    out.name = isVideo(uid) ? "video" : "transfer syntax " + uid;
    for (const Row& row : kRows) {
        if (uid == row.uid) {
            out.name = row.name;
            out.coding = row.coding;
        }
    }
    const bool privateGe = uid == "1.2.840.113619.5.2";
    out.encoding.explicitVr = uid != "1.2.840.10008.1.2" && !privateGe;
    out.encoding.bigEndian = uid == "1.2.840.10008.1.2.2";
    out.pixelsBigEndian = out.encoding.bigEndian || privateGe;
    return out;
}

const Element* OpenFile::pixelData() const {
    for (const Tag tag : {kPixelData, kFloatPixelData, kDoublePixelData}) {
        if (const Element* found = set().find(tag)) {
            return found;
        }
    }
    return nullptr;
}

std::int64_t mostUnfolded(std::int64_t bytes) {
    return 64 * base::kMiB + 100 * bytes;
}

base::Result<OpenFile> openDicom(const std::string& path) {
    OpenFile out;
    out.mapping = HIGHWATER_TRY(Mapping::openFile(path));
    const Bytes all = out.mapping.bytes();
    Bytes rest = hasDicomMark(all) ? all.subspan(kPreamble + 4) : all;
    const Parsed meta = parseMeta(rest, rest);
    out.meta = meta.set;
    out.isIndex = textOf(meta.set, kMediaClass) == kDirectoryClass;
    const std::string uid = textOf(meta.set, kTransferSyntax);
    out.syntax = uid.empty() ? guessed(rest) : syntaxOf(uid);
    if (meta.error) {
        out.parsed.error = meta.error;
        return out;
    }
    if (out.syntax.coding == Coding::Deflated) {
        auto inflated = inflate(rest, mostUnfolded(static_cast<std::int64_t>(all.size())));
        if (!inflated) {
            out.parsed.error = inflated.error();
            return out;
        }
        out.inflated = std::move(*inflated);
        rest = out.inflated;
    }
    Encoding encoding = out.syntax.encoding;
    // Some writers declare one encoding and use the other.
    if (!encoding.bigEndian && rest.size() >= 8) {
        encoding.explicitVr = hasVr(rest);
    }
    out.parsed = parseDataSet(rest, encoding);
    return out;
}

}  // namespace dicom
}  // namespace highwater::scan::reader
