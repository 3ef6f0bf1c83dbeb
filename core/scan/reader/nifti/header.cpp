#include "core/scan/reader/nifti/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace highwater::scan::reader {
namespace {

constexpr std::int32_t kNifti1Size = 348;
constexpr std::int32_t kNifti2Size = 540;

class NiftiFields {
public:
    NiftiFields(std::span<const std::byte> bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}

    template <class T>
    T at(std::size_t offset) const {
        std::array<std::byte, sizeof(T)> raw{};
        std::memcpy(raw.data(), bytes_.data() + offset, sizeof(T));
        if (swapped_) {
            std::reverse(raw.begin(), raw.end());
        }
        T value;
        std::memcpy(&value, raw.data(), sizeof(T));
        return value;
    }

    template <class T, std::size_t N>
    std::array<T, N> list(std::size_t offset) const {
        std::array<T, N> values{};
        for (std::size_t i = 0; i < N; ++i) {
            values[i] = at<T>(offset + i * sizeof(T));
        }
        return values;
    }

private:
    std::span<const std::byte> bytes_;
    bool swapped_;
};

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
            "an Analyze 7.5 header, but not named .hdr; name it so, with its voxels beside it as .img"};
    }
    return base::Error{"not a NIfTI-1 file: bytes 344 to 347 must be \"n+1\""};
}

}  // namespace

bool looksLikeNifti(std::span<const std::byte> bytes) {
    if (bytes.size() < 4) {
        return false;
    }
    const auto native = NiftiFields(bytes, false).at<std::int32_t>(0);
    const auto other = NiftiFields(bytes, true).at<std::int32_t>(0);
    return native == kNifti1Size || other == kNifti1Size || native == kNifti2Size || other == kNifti2Size;
}

base::Result<NiftiHeader> parseNiftiHeader(std::span<const std::byte> bytes, bool hdr) {
    if (bytes.size() < kNiftiHeaderBytes) {
        return base::Error{
            fmt::format("truncated: a NIfTI-1 header has 348 bytes, the file has {}", bytes.size())};
    }
    NiftiHeader header;
    const auto native = NiftiFields(bytes, false).at<std::int32_t>(0);
    const auto other = NiftiFields(bytes, true).at<std::int32_t>(0);
    if (native == kNifti2Size || other == kNifti2Size) {
        return base::Error{"NIfTI-2 is not supported in this version; save it as NIfTI-1"};
    }
    if (native != kNifti1Size && other != kNifti1Size) {
        return base::Error{
            fmt::format("not a NIfTI-1 file: it must begin with a header size of 348, it has {}", native)};
    }
    const auto kind = kindOf(bytes, hdr);
    if (!kind) {
        return kind.error();
    }
    header.kind = *kind;
    header.swapped = native != kNifti1Size;
    const NiftiFields fields(bytes, header.swapped);
    header.dim = fields.list<std::int16_t, 8>(40);
    header.datatype = fields.at<std::int16_t>(70);
    header.bitpix = fields.at<std::int16_t>(72);
    header.pixdim = fields.list<float, 8>(76);
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
    header.quaternion = fields.list<float, 3>(256);
    header.qoffset = fields.list<float, 3>(268);
    for (std::size_t row = 0; row < 3; ++row) {
        header.sform[row] = fields.list<float, 4>(280 + row * 16);
    }
    return header;
}

}  // namespace highwater::scan::reader
