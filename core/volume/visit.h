#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/volume/volume.h"

namespace highwater::volume {

/// Calls `visitor` with a value of the C++ type that `type` names.
template <class Visitor>
decltype(auto) visitType(VoxelType type, Visitor&& visitor) {
    switch (type) {
        case VoxelType::U8:
            return visitor(std::uint8_t{});
        case VoxelType::I8:
            return visitor(std::int8_t{});
        case VoxelType::U16:
            return visitor(std::uint16_t{});
        case VoxelType::I16:
            return visitor(std::int16_t{});
        case VoxelType::U32:
            return visitor(std::uint32_t{});
        case VoxelType::I32:
            return visitor(std::int32_t{});
        case VoxelType::F32:
            return visitor(float{});
        case VoxelType::F64:
            break;
    }
    return visitor(double{});
}

template <class T>
T loadVoxel(const std::byte* voxels, std::int64_t index) {
    T value;
    std::memcpy(&value, voxels + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

template <class T>
bool isFiniteVoxel(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(value);
    } else {
        return true;
    }
}

}  // namespace highwater::volume
