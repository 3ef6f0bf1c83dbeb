#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "core/volume/patch.h"

namespace highwater::volume::test {

/// A volume of floats, `value(i, j, k)` at each voxel, with their range and mean in its header.
template <class Value>
Volume volumeOf(const Index3& size, Value value) {
    Header header;
    header.format = "test";
    header.pixelType = "float32";
    header.type = VoxelType::F32;
    header.geometry.size = size;
    const auto values = std::make_shared<std::vector<float>>();
    for (std::int64_t k = 0; k < size[2]; ++k) {
        for (std::int64_t j = 0; j < size[1]; ++j) {
            for (std::int64_t i = 0; i < size[0]; ++i) {
                values->push_back(static_cast<float>(value(i, j, k)));
            }
        }
    }
    const auto [low, high] = std::minmax_element(values->begin(), values->end());
    header.min = *low;
    header.max = *high;
    header.mean = std::accumulate(values->begin(), values->end(), 0.0) / static_cast<double>(values->size());
    return {header,
            std::shared_ptr<const std::byte>(values, reinterpret_cast<const std::byte*>(values->data()))};
}

}  // namespace highwater::volume::test
