#include "core/scan/reader/nifti/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/scan/reader/bytes/binary_fields.h"

namespace highwater::scan::reader {
namespace {

constexpr std::int32_t kNifti1Size = 348;
constexpr std::int32_t kNifti2Size = 540;

/// Returns the shortest decimal number that rounds to this float: 0.9 for 0.9f, not 0.8999999762.
double decimal(float value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    double meant = value;
    std::from_chars(text, end, meant);
    return meant;
}

/// nifti2.h. The last bytes of the magic are damaged by transfers that change line ends.
base::Result<NiftiHeader> parseNifti2(std::span<const std::byte> bytes, bool swapped) {
    if (bytes.size() < kNifti2HeaderBytes) {
        return base::Error{
            fmt::format("truncated: a NIfTI-2 header has 540 bytes, the file has {}", bytes.size())};
    }
    NiftiHeader header;
    header.version = 2;
    header.swapped = swapped;
    const std::string_view magic(reinterpret_cast<const char*>(bytes.data()) + 4, 8);
    constexpr std::string_view kEnd("\r\n\032\n", 4);
    if (magic == std::string("n+2\0", 4).append(kEnd)) {
        header.kind = NiftiHeader::Kind::Single;
    } else if (magic == std::string("ni2\0", 4).append(kEnd)) {
        header.kind = NiftiHeader::Kind::Pair;
    } else {
        return base::Error{
            "damaged: bytes 4 to 11 of a NIfTI-2 file must be \"n+2\" or \"ni2\", a zero, CR, LF, 26 and LF"};
    }
    const BinaryFields fields(bytes, swapped);
    header.datatype = fields.at<std::int16_t>(12);
    header.bitpix = fields.at<std::int16_t>(14);
    header.dim = fields.list<std::int64_t, std::int64_t, 8>(16);
    header.pixdim = fields.list<double, double, 8>(104);
    header.voxOffset = static_cast<double>(fields.at<std::int64_t>(168));
    header.slope = fields.at<double>(176);
    header.intercept = fields.at<double>(184);
    header.qformCode = fields.at<std::int32_t>(344);
    header.sformCode = fields.at<std::int32_t>(348);
    header.quaternion = fields.list<double, double, 3>(352);
    header.qoffset = fields.list<double, double, 3>(376);
    header.sform = fields.rows<double>(400);
    header.units = fields.at<std::int32_t>(500);
    return header;
}

base::Result<NiftiHeader::Kind> kindOf(std::span<const std::byte> bytes, bool hdr) {
    const std::string_view magic(reinterpret_cast<const char*>(bytes.data()) + 344, 4);
    if (magic == std::string_view("n+1\0", 4)) {
        return NiftiHeader::Kind::Single;
    }
    if (magic == std::string_view("ni1\0", 4)) {
        return NiftiHeader::Kind::Pair;
    }
    if (hdr) {
        return NiftiHeader::Kind::Analyze;
    }
    if (magic == std::string_view("\0\0\0\0", 4)) {
        return base::Error{
            "an Analyze 7.5 header, but not named .hdr; rename it, with its voxels beside it as .img"};
    }
    return base::Error{"not a NIfTI-1 file: bytes 344 to 347 must be \"n+1\""};
}

}  // namespace

bool looksLikeNifti(std::span<const std::byte> bytes) {
    if (bytes.size() < 4) {
        return false;
    }
    const auto native = BinaryFields(bytes, false).at<std::int32_t>(0);
    const auto other = BinaryFields(bytes, true).at<std::int32_t>(0);
    return native == kNifti1Size || other == kNifti1Size || native == kNifti2Size || other == kNifti2Size;
}

base::Result<NiftiHeader> parseNiftiHeader(std::span<const std::byte> bytes, bool hdr) {
    if (bytes.size() < kNiftiHeaderBytes) {
        return base::Error{
            fmt::format("truncated: a NIfTI-1 header has 348 bytes, the file has {}", bytes.size())};
    }
    NiftiHeader header;
    const auto native = BinaryFields(bytes, false).at<std::int32_t>(0);
    const auto other = BinaryFields(bytes, true).at<std::int32_t>(0);
    if (native == kNifti2Size || other == kNifti2Size) {
        return parseNifti2(bytes, native != kNifti2Size);
    }
    if (native != kNifti1Size && other != kNifti1Size) {
        return base::Error{
            fmt::format("not a NIfTI-1 file: it must begin with a header size of 348, it has {}", native)};
    }
    header.kind = HIGHWATER_TRY(kindOf(bytes, hdr));
    header.swapped = native != kNifti1Size;
    const BinaryFields fields(bytes, header.swapped);
    header.dim = fields.list<std::int16_t, std::int64_t, 8>(40);
    header.datatype = fields.at<std::int16_t>(70);
    header.bitpix = fields.at<std::int16_t>(72);
    const auto pixdim = fields.list<float, float, 8>(76);
    std::transform(pixdim.begin(), pixdim.end(), header.pixdim.begin(), decimal);
    header.voxOffset = fields.at<float>(108);
    header.slope = fields.at<float>(112);
    header.intercept = fields.at<float>(116);
    header.units = fields.at<std::uint8_t>(123);
    if (header.kind == NiftiHeader::Kind::Analyze) {
        header.orient = fields.at<std::uint8_t>(252);
        return header;
    }
    header.qformCode = fields.at<std::int16_t>(252);
    header.sformCode = fields.at<std::int16_t>(254);
    header.quaternion = fields.list<float, double, 3>(256);
    header.qoffset = fields.list<float, double, 3>(268);
    header.sform = fields.rows<float>(280);
    return header;
}

}  // namespace highwater::scan::reader
