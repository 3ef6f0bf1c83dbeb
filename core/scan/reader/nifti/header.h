#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace highwater::scan::reader {

inline constexpr std::size_t kNiftiHeaderBytes = 348;
inline constexpr std::int64_t kNiftiFirstVoxel = 352;  ///< least vox_offset of a single file

/// The fields of a NIfTI-1 header that are used here, in native byte order and otherwise as in the file
/// (nifti1.h, Cox et al., 2004). Checked only as far as needed to read them.
struct NiftiHeader {
    enum class Kind {
        Single,  ///< header and voxels in one file
        Pair,    ///< the .hdr of a .hdr/.img pair
        Analyze  ///< the .hdr of an Analyze 7.5 pair, which has no sform and no qform
    };
    Kind kind = Kind::Single;
    bool swapped = false;  ///< the file has the other byte order
    std::array<std::int16_t, 8> dim{};
    std::int16_t datatype = 0;
    std::int16_t bitpix = 0;
    std::array<float, 8> pixdim{};
    float voxOffset = 0;
    float slope = 0;
    float intercept = 0;
    std::uint8_t units = 0;
    std::int16_t qformCode = 0;
    std::int16_t sformCode = 0;
    std::uint8_t orient = 0;                      ///< Analyze's
    std::array<float, 3> quaternion{};            ///< b, c, d
    std::array<float, 3> qoffset{};               ///< mm
    std::array<std::array<float, 4>, 3> sform{};  ///< srow_x, srow_y, srow_z
};

/// Whether the bytes begin like a NIfTI-1, NIfTI-2 or Analyze 7.5 header: with the header's own size, in
/// either byte order.
bool looksLikeNifti(std::span<const std::byte> bytes);

/// Decodes the first 348 bytes. A header without NIfTI's magic is read as Analyze (which has other numbers
/// there) only if `hdr` says that it comes from a .hdr file. Errors (NIfTI-2, anything else) say what the
/// file is; they do not name it.
base::Result<NiftiHeader> parseNiftiHeader(std::span<const std::byte> bytes, bool hdr);

}  // namespace highwater::scan::reader
