#include "core/volume/volume.h"

#include <algorithm>

#include "core/volume/visit.h"

namespace highwater::volume {

base::Bytes voxelBytes(VoxelType type) {
    return visitType(type, [](auto value) { return static_cast<base::Bytes>(sizeof(value)); });
}

std::string_view voxelTypeName(VoxelType type) {
    switch (type) {
        case VoxelType::U8:
            return "uint8";
        case VoxelType::I8:
            return "int8";
        case VoxelType::U16:
            return "uint16";
        case VoxelType::I16:
            return "int16";
        case VoxelType::U32:
            return "uint32";
        case VoxelType::I32:
            return "int32";
        case VoxelType::F32:
            return "float32";
        case VoxelType::F64:
            break;
    }
    return "float64";
}

Volume::Volume(Header header, std::shared_ptr<const std::byte> voxels, int fd)
    : header_(std::move(header)), voxels_(std::move(voxels)), fd_(fd) {}

double Volume::at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto& size = header_.geometry.size;
    const std::int64_t index = (k * size[1] + j) * size[0] + i;
    return visitType(header_.type, [&](auto type) {
        return static_cast<double>(loadVoxel<decltype(type)>(data(), index)) * header_.slope +
               header_.intercept;
    });
}

namespace {

/// The part of [start, start + extent) inside [0, size), as offsets from start.
struct Inside {
    std::int64_t begin = 0, end = 0;
};

Inside inside(std::int64_t start, std::int64_t extent, std::int64_t size) {
    const std::int64_t begin = std::clamp<std::int64_t>(-start, 0, extent);
    const std::int64_t end = std::clamp<std::int64_t>(size - start, begin, extent);
    return {begin, end};
}

}  // namespace

void extractPatch(const Volume& volume, const std::array<std::int64_t, 3>& start,
                  const std::array<std::int64_t, 3>& extent, float outside, float* out) {
    const auto& size = volume.geometry().size;
    const auto [i0, i1] = inside(start[0], extent[0], size[0]);
    const auto [j0, j1] = inside(start[1], extent[1], size[1]);
    const auto [k0, k1] = inside(start[2], extent[2], size[2]);
    const bool whole = i0 == 0 && j0 == 0 && k0 == 0 && i1 == extent[0] && j1 == extent[1] && k1 == extent[2];
    if (!whole) {
        std::fill_n(out, extent[0] * extent[1] * extent[2], outside);
    }
    const double slope = volume.header().slope;
    const double intercept = volume.header().intercept;
    visitType(volume.header().type, [&](auto type) {
        for (std::int64_t k = k0; k < k1; ++k) {
            for (std::int64_t j = j0; j < j1; ++j) {
                const std::int64_t source = ((start[2] + k) * size[1] + start[1] + j) * size[0] + start[0];
                float* row = out + (k * extent[1] + j) * extent[0];
                for (std::int64_t i = i0; i < i1; ++i) {
                    const auto stored = loadVoxel<decltype(type)>(volume.data(), source + i);
                    row[i] = static_cast<float>(static_cast<double>(stored) * slope + intercept);
                }
            }
        }
    });
}

}  // namespace highwater::volume
