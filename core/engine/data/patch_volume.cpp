#include "core/engine/data/patch_volume.h"

#include <memory>

#include "core/volume/statistics.h"

namespace highwater::engine {
namespace {

using volume::Volume;

template <class T>
Volume asVolume(const Volume* scan, const volume::PatchBox& box, std::vector<T> values,
                volume::VoxelType type) {
    volume::Header header;
    header.format = "patch";
    header.type = type;
    header.pixelType = volume::voxelTypeName(type);
    header.spacingKnown = scan != nullptr && scan->header().spacingKnown;
    if (scan != nullptr) {
        header.geometry = scan->geometry();
        std::array<double, 3> corner{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            corner[axis] = static_cast<double>(box.start[axis]);
        }
        header.geometry.origin = scan->geometry().toMillimeters(corner);
    }
    header.geometry.size = box.extent;
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    const auto* const bytes = reinterpret_cast<const std::byte*>(kept->data());
    volume::StatisticsPass pass(type);
    pass.add(bytes, header.geometry.voxels());
    const volume::Statistics statistics = pass.result(1, 0);
    header.min = statistics.min;
    header.max = statistics.max;
    header.mean = statistics.mean;
    return {std::move(header), std::shared_ptr<const std::byte>(kept, bytes)};
}

}  // namespace

Volume patchVolume(const Volume* scan, const volume::PatchBox& box, std::vector<float> values) {
    return asVolume(scan, box, std::move(values), volume::VoxelType::F32);
}

Volume patchVolume(const Volume* scan, const volume::PatchBox& box, std::vector<std::int32_t> values) {
    return asVolume(scan, box, std::move(values), volume::VoxelType::I32);
}

}  // namespace highwater::engine
