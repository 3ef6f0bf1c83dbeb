#include "core/volume/volume_header.h"

#include <algorithm>
#include <limits>

#include "core/base/json_file.h"

namespace highwater::volume {
namespace {

constexpr std::array kTypes{VoxelType::U8,  VoxelType::I8,  VoxelType::U16, VoxelType::I16,
                            VoxelType::U32, VoxelType::I32, VoxelType::F32, VoxelType::F64};

std::optional<VoxelType> typeNamed(std::string_view name) {
    const auto* const at = std::ranges::find(kTypes, name, voxelTypeName);
    return at == kTypes.end() ? std::nullopt : std::optional(*at);
}

}  // namespace

std::optional<base::Bytes> volumeBytes(const Header& header) {
    std::optional<base::Bytes> bytes = voxelBytes(header.type);
    for (std::int64_t factor : {header.geometry.size[0], header.geometry.size[1], header.geometry.size[2],
                                static_cast<std::int64_t>(header.channels)}) {
        if (factor <= 0) {
            return std::nullopt;
        }
        bytes = bytes ? base::checkedMul(*bytes, factor) : bytes;
    }
    return bytes;
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Header>& header) {
    constexpr double kMost = std::numeric_limits<double>::max();
    auto& geometry = header.geometry;
    way("format", header.format);
    way("size", geometry.size, base::Whole{1, std::int64_t{1} << 31});
    way("spacing_mm", geometry.spacing, base::Real{1e-12, kMost});
    way("origin_mm", geometry.origin, base::Real{-1e300, kMost});
    way("direction", geometry.direction, base::Real{-1.001, kMost});
    way.derived("orientation", geometry.orientation());
    way.word("type", header.type, &voxelTypeName, &typeNamed, "must be a voxel type such as \"int16\"");
    way("pixel_type", header.pixelType);
    way("channels", header.channels, base::Whole{1, 1024});
    way("volumes", header.volumes, base::Whole{1, 1 << 30});
    way("slope", header.slope, base::Real{-1e300, 1e300});
    way("intercept", header.intercept, base::Real{-1e300, 1e300});
    way.orNull("min", header.min);
    way.orNull("max", header.max);
    way.orNull("mean", header.mean);
    way("spacing_known", header.spacingKnown);
    way("warnings", header.warnings);
    way.check(volumeBytes(header).has_value(), "size", "is too large");
}

base::Json toJson(const Header& header) {
    return base::JsonOut::written(header);
}

base::Result<Header> headerFromJson(const base::Json& json) {
    return base::fromJson<Header>(json);
}

base::Json infoJson(const Header& header) {
    base::Json json = toJson(header);
    for (const char* inner : {"direction", "type", "spacing_known"}) {
        json.erase(inner);
    }
    if (!header.spacingKnown) {
        json["spacing_mm"] = nullptr;
    }
    return json;
}

}  // namespace highwater::volume
