#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/volume/statistics.h"
#include "core/volume/volume.h"

namespace highwater::test {

/// A volume in memory whose stored values are value(i, j, k).
template <class T>
volume::Volume makeVolume(std::array<std::int64_t, 3> size, volume::VoxelType type,
                          const std::function<T(std::int64_t, std::int64_t, std::int64_t)>& value,
                          double slope = 1, double intercept = 0) {
    auto voxels = std::make_shared<std::vector<T>>();
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                voxels->push_back(value(i, j, k));
            }
        }
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(voxels->data());
    volume::Header header;
    header.format = "test";
    header.pixelType = volume::voxelTypeName(type);
    header.geometry.size = size;
    header.type = type;
    header.slope = slope;
    header.intercept = intercept;
    volume::StatisticsPass pass(type);
    pass.add(bytes, header.geometry.voxels());
    const auto statistics = pass.result(slope, intercept);
    header.min = statistics.min;
    header.max = statistics.max;
    header.mean = statistics.mean;
    return {header, std::shared_ptr<const std::byte>(voxels, bytes)};
}

/// int16, 1000 k + 100 j + i.
inline volume::Volume numbered(std::array<std::int64_t, 3> size) {
    return makeVolume<std::int16_t>(size, volume::VoxelType::I16, [](auto i, auto j, auto k) {
        return static_cast<std::int16_t>(1000 * k + 100 * j + i);
    });
}

}  // namespace highwater::test
