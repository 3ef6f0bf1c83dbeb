#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/core/scan/reader/nifti/builder.h"

/// Makes NIfTI-2 files byte by byte from the standard, independently of the program.
namespace highwater::test {

inline const std::string kNifti2Magic("n+2\0\r\n\032\n", 8), kNifti2PairMagic("ni2\0\r\n\032\n", 8);

struct Nifti2 {
    Nifti facts;
    std::array<std::int64_t, 8> dim{3, 4, 3, 2, 1, 1, 1, 1};
    std::int64_t voxOffset = 544;
    std::array<double, 3> offset{};  ///< of the qform
    std::string magic = kNifti2Magic;
};

inline std::string nifti2File(const Nifti2& n, const std::vector<std::int16_t>& values = counting()) {
    const bool swapped = n.facts.swapped;
    std::string bytes(544, '\0');
    put<std::int32_t>(bytes, 0, 540, swapped);
    std::memcpy(bytes.data() + 4, n.magic.data(), 8);
    put(bytes, 12, n.facts.datatype, swapped);
    put(bytes, 14, n.facts.bitpix, swapped);
    for (std::size_t i = 0; i < 8; ++i) {
        put(bytes, 16 + 8 * i, n.dim[i], swapped);
        put<double>(bytes, 104 + 8 * i, n.facts.pixdim[i], swapped);
    }
    put(bytes, 168, n.voxOffset, swapped);
    put<double>(bytes, 176, n.facts.slope, swapped);
    put<double>(bytes, 184, n.facts.intercept, swapped);
    put<std::int32_t>(bytes, 344, n.facts.qform, swapped);
    put<std::int32_t>(bytes, 348, n.facts.sform, swapped);
    for (std::size_t i = 0; i < 3; ++i) {
        put<double>(bytes, 352 + 8 * i, n.facts.quaternion[i], swapped);
        put<double>(bytes, 376 + 8 * i, n.offset[i], swapped);
        for (std::size_t c = 0; c < 4; ++c) {
            put<double>(bytes, 400 + 32 * i + 8 * c, n.facts.rows[i][c], swapped);
        }
    }
    put<std::int32_t>(bytes, 500, n.facts.units, swapped);
    for (const std::int16_t value : values) {
        bytes.resize(bytes.size() + 2);
        put(bytes, bytes.size() - 2, value, swapped);
    }
    return bytes;
}

}  // namespace highwater::test
