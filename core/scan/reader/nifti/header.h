#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/result.h"

namespace highwater::scan::reader {

inline constexpr std::size_t kNiftiHeaderBytes = 348;   ///< header size of NIfTI-1 and Analyze
inline constexpr std::size_t kNifti2HeaderBytes = 540;  ///< header size of NIfTI-2
inline constexpr std::size_t kNiftiExtensionBytes =
    4;  ///< whether extensions follow the header of a single file

/// The fields of a NIfTI header that are used here, in native byte order and otherwise as in the file
/// (nifti1.h, Cox et al., 2004; nifti2.h, 2011). Checked only as far as needed to read them.
struct NiftiHeader {
    enum class Kind {
        Single,  ///< header and voxels in one file
        Pair,    ///< the .hdr of a .hdr/.img pair
        Analyze  ///< the .hdr of an Analyze 7.5 pair, which has no sform and no qform
    };
    Kind kind = Kind::Single;
    int version = 1;       ///< 1 or 2; Analyze is 1
    bool swapped = false;  ///< the file has the other byte order
    std::array<std::int64_t, 8> dim{};
    std::int16_t datatype = 0;
    std::int16_t bitpix = 0;
    std::array<double, 8> pixdim{};  ///< for a float32 field, the shortest decimal number that rounds to it
    double voxOffset = 0;
    double slope = 0;
    double intercept = 0;
    int units = 0;
    int qformCode = 0;
    int sformCode = 0;
    std::uint8_t orient = 0;                       ///< Analyze's orient byte
    std::array<double, 3> quaternion{};            ///< b, c, d
    std::array<double, 3> qoffset{};               ///< mm
    std::array<std::array<double, 4>, 3> sform{};  ///< srow_x, srow_y, srow_z
};

/// Whether the bytes begin like a NIfTI-1, NIfTI-2 or Analyze 7.5 header: with the header's own size, in
/// either byte order.
bool looksLikeNifti(std::span<const std::byte> bytes);

/// Decodes the first 348 bytes, or 540 of NIfTI-2. A header without NIfTI's magic is read as Analyze (which
/// has other fields there) only if `hdr` says that it comes from a .hdr file. Errors describe the file but do
/// not name it.
base::Result<NiftiHeader> parseNiftiHeader(std::span<const std::byte> bytes, bool hdr);

}  // namespace highwater::scan::reader
