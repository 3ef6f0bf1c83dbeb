#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace highwater::scan::reader {

inline constexpr std::size_t kNiftiHeaderBytes = 348;
inline constexpr std::int64_t kNiftiFirstVoxel = 352;  ///< the least vox_offset of a single file

/// The fields of a NIfTI-1 header that matter here, in native byte order and otherwise as they are in the
/// file (nifti1.h, Cox et al., 2004). Nothing is checked except what must hold to read it at all.
struct NiftiHeader {
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
    std::array<float, 3> quaternion{};            ///< b, c, d
    std::array<float, 3> qoffset{};               ///< mm
    std::array<std::array<float, 4>, 3> sform{};  ///< srow_x, srow_y, srow_z
};

/// Decodes the first 348 bytes. Errors (NIfTI-2, a .hdr/.img pair, Analyze, anything else) say what it is;
/// they do not name the file.
base::Result<NiftiHeader> parseNiftiHeader(std::span<const std::byte> bytes);

/// A number of a header for a message: "0.5", "not a number", "infinite".
std::string numberText(double value);

}  // namespace highwater::scan::reader
