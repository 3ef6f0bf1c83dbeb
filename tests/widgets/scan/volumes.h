#pragma once

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/volume/volume.h"

namespace highwater::testing {

using ValueAt = std::function<float(std::int64_t i, std::int64_t j, std::int64_t k)>;

/// A float volume from a formula. `letters` is its orientation, as Geometry::orientation() gives it.
inline volume::Volume makeVolume(std::array<std::int64_t, 3> size, const ValueAt& value,
                                 const std::string& letters = "RAS",
                                 std::array<double, 3> spacing = {1, 1, 1}) {
    volume::Header h;
    h.format = "test";
    h.type = volume::VoxelType::F32;
    h.pixelType = "float32";
    h.geometry.size = size;
    h.geometry.spacing = spacing;
    for (std::size_t a = 0; a < 3; ++a) {
        h.geometry.direction[a] = {};
        const std::size_t positive = std::string("RAS").find(letters[a]);
        const std::size_t negative = std::string("LPI").find(letters[a]);
        if (positive != std::string::npos) {
            h.geometry.direction[a][positive] = 1;
        } else {
            h.geometry.direction[a][negative] = -1;
        }
    }
    auto* const values = new std::vector<float>;
    double sum = 0;
    std::int64_t finite = 0;
    h.min = std::numeric_limits<double>::infinity();
    h.max = -h.min;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                const float v = value(i, j, k);
                values->push_back(v);
                if (v != v) {
                    continue;
                }
                h.min = std::min<double>(h.min, v);
                h.max = std::max<double>(h.max, v);
                sum += v;
                ++finite;
            }
        }
    }
    h.mean = finite > 0 ? sum / static_cast<double>(finite) : std::numeric_limits<double>::quiet_NaN();
    if (finite == 0) {
        h.min = h.max = h.mean;
    }
    std::shared_ptr<std::vector<float>> owner(values);
    return {h, std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(values->data()))};
}

/// A bright ball in the air around it.
inline volume::Volume ball(std::int64_t size, const std::string& letters = "RAS") {
    const double c = static_cast<double>(size - 1) / 2;
    return makeVolume(
        {size, size, size},
        [=](auto i, auto j, auto k) {
            const double x = static_cast<double>(i) - c, y = static_cast<double>(j) - c,
                         z = static_cast<double>(k) - c;
            return x * x + y * y + z * z < c * c * 0.6 ? 800.0F : 10.0F;
        },
        letters);
}

}  // namespace highwater::testing
