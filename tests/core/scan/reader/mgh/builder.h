#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/core/scan/reader/nifti/builder.h"

/// Makes MGH files byte by byte, independently of the program.
namespace highwater::test {

struct Mgh {
    std::int32_t version = 1;
    std::array<std::int32_t, 3> size{4, 3, 2};
    std::int32_t frames = 1, type = 4;
    std::int16_t placed = 1;
    std::array<float, 3> spacing{1, 1.5F, 2};
    /// The conformed coronal volume of FreeSurfer: right to left, head to foot, back to front.
    std::array<float, 9> axes{-1, 0, 0, 0, 0, -1, 0, 1, 0};
    std::array<float, 3> center{10, 20, 30};
};

template <class T>
std::string mghFile(const Mgh& mgh, const std::vector<T>& values, const std::string& after = "") {
    std::string bytes(284, '\0');
    put(bytes, 0, mgh.version, true);
    for (std::size_t i = 0; i < 3; ++i) {
        put(bytes, 4 + 4 * i, mgh.size[i], true);
        put(bytes, 30 + 4 * i, mgh.spacing[i], true);
        put(bytes, 78 + 4 * i, mgh.center[i], true);
    }
    put(bytes, 16, mgh.frames, true);
    put(bytes, 20, mgh.type, true);
    put(bytes, 28, mgh.placed, true);
    for (std::size_t i = 0; i < 9; ++i) {
        put(bytes, 42 + 4 * i, mgh.axes[i], true);
    }
    for (const T value : values) {
        bytes.resize(bytes.size() + sizeof(T));
        put(bytes, bytes.size() - sizeof(T), value, true);
    }
    return bytes + after;
}

}  // namespace highwater::test
