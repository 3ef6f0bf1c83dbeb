#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "tests/core/temporary_folder.h"

/// Makes NIfTI-1 files byte by byte from the standard, independently of the program's own writer.
namespace highwater::test {

struct Nifti {
    bool swapped = false;
    std::array<std::int16_t, 8> dim{3, 4, 3, 2, 1, 1, 1, 1};
    std::int16_t datatype = 4, bitpix = 16;
    std::array<float, 8> pixdim{1, 2, 3, 4, 1, 1, 1, 1};
    float voxOffset = 352, slope = 0, intercept = 0;
    std::uint8_t units = 2;
    std::int16_t qform = 0, sform = 1;
    std::array<float, 3> quaternion{}, qoffset{};
    std::array<std::array<float, 4>, 3> rows{{{2, 0, 0, -10}, {0, 3, 0, -20}, {0, 0, 4, -30}}};
    std::int32_t headerSize = 348;
    std::string magic = std::string("n+1\0", 4);
};

inline void put(std::string& bytes, std::size_t at, const void* value, std::size_t size, bool swapped) {
    std::memcpy(bytes.data() + at, value, size);
    if (swapped) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
    }
}

template <class T>
void put(std::string& bytes, std::size_t at, T value, bool swapped) {
    put(bytes, at, &value, sizeof(T), swapped);
}

/// The 352 bytes before the voxels.
inline std::string beginning(const Nifti& n) {
    std::string bytes(352, '\0');
    put(bytes, 0, n.headerSize, n.swapped);
    for (std::size_t i = 0; i < 8; ++i) {
        put(bytes, 40 + 2 * i, n.dim[i], n.swapped);
        put(bytes, 76 + 4 * i, n.pixdim[i], n.swapped);
    }
    put(bytes, 70, n.datatype, n.swapped);
    put(bytes, 72, n.bitpix, n.swapped);
    put(bytes, 108, n.voxOffset, n.swapped);
    put(bytes, 112, n.slope, n.swapped);
    put(bytes, 116, n.intercept, n.swapped);
    put(bytes, 123, n.units, false);
    put(bytes, 252, n.qform, n.swapped);
    put(bytes, 254, n.sform, n.swapped);
    for (std::size_t i = 0; i < 3; ++i) {
        put(bytes, 256 + 4 * i, n.quaternion[i], n.swapped);
        put(bytes, 268 + 4 * i, n.qoffset[i], n.swapped);
        for (std::size_t c = 0; c < 4; ++c) {
            put(bytes, 280 + 16 * i + 4 * c, n.rows[i][c], n.swapped);
        }
    }
    std::memcpy(bytes.data() + 344, n.magic.data(), 4);
    return bytes;
}

/// A complete file; `values` are stored as T.
template <class T>
std::string niftiFile(const Nifti& n, const std::vector<T>& values) {
    std::string bytes = beginning(n);
    for (T value : values) {
        bytes.resize(bytes.size() + sizeof(T));
        put(bytes, bytes.size() - sizeof(T), value, n.swapped);
    }
    return bytes;
}

/// 24 int16 voxels, 100, 101, ... for the default 4 x 3 x 2.
inline std::vector<std::int16_t> counting(std::size_t n = 24) {
    std::vector<std::int16_t> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<std::int16_t>(100 + i);
    }
    return values;
}

/// The folder of the real scans; empty if there are none.
inline std::filesystem::path scansFolder() {
    const char* named = std::getenv("HIGHWATER_SCANS");
    const std::filesystem::path folder = named && *named ? named : HIGHWATER_SOURCE_DIR "/../shared/scans";
    return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

inline std::string slurp(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace highwater::test
