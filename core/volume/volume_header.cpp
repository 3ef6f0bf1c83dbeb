#include "core/volume/volume_header.h"

#include <fmt/format.h>
#include <cmath>
#include <limits>

namespace highwater::volume {
namespace {

constexpr std::array kTypes{VoxelType::U8,  VoxelType::I8,  VoxelType::U16, VoxelType::I16,
                            VoxelType::U32, VoxelType::I32, VoxelType::F32, VoxelType::F64};

using base::Json;
using base::JsonReader;

template <std::size_t N>
Json list(const std::array<double, N>& values) {
    Json json = Json::array();
    for (double value : values) {
        json.push_back(base::numberOrNull(value));
    }
    return json;
}

Json warningsJson(const Header& header) {
    Json json = Json::array();
    for (const auto& warning : header.warnings) {
        json.push_back(warning);
    }
    return json;
}

double optionalNumber(JsonReader& reader, std::string_view key) {
    const Json* value = reader.raw(key);
    if (!value || value->is_null()) {
        return std::nan("");
    }
    return reader.number(key, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
}

std::array<double, 3> vector3(JsonReader& reader, std::string_view key, const Json* json, double low) {
    std::array<double, 3> out{1, 1, 1};
    if (!json || !json->is_array() || json->size() != 3) {
        reader.fail(key, "must be a list of three numbers");
        return out;
    }
    for (std::size_t c = 0; c < 3; ++c) {
        const Json& value = (*json)[c];
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < low) {
            reader.fail(key, "must hold finite numbers in range");
            return out;
        }
        out[c] = value.get<double>();
    }
    return out;
}

Geometry readGeometry(JsonReader& reader) {
    Geometry geometry;
    const auto size = reader.integers("size", 1, std::int64_t{1} << 31, 3);
    if (size.size() != 3) {
        reader.fail("size", "must be a list of three numbers");
        return geometry;
    }
    std::copy(size.begin(), size.end(), geometry.size.begin());
    geometry.spacing = vector3(reader, "spacing_mm", reader.raw("spacing_mm"), 1e-12);
    geometry.origin = vector3(reader, "origin_mm", reader.raw("origin_mm"), -1e300);
    const Json* direction = reader.raw("direction");
    if (!direction || !direction->is_array() || direction->size() != 3) {
        reader.fail("direction", "must be a list of three directions");
        return geometry;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        geometry.direction[axis] = vector3(reader, "direction", &(*direction)[axis], -1.001);
    }
    return geometry;
}

VoxelType readType(JsonReader& reader) {
    const std::string name = reader.text("type");
    for (VoxelType type : kTypes) {
        if (voxelTypeName(type) == name) {
            return type;
        }
    }
    reader.fail("type", "must be a voxel type such as \"int16\"");
    return VoxelType::I16;
}

std::vector<std::string> readWarnings(JsonReader& reader) {
    std::vector<std::string> warnings;
    const Json* json = reader.raw("warnings");
    if (!json || !json->is_array()) {
        reader.fail("warnings", "must be a list of texts");
        return warnings;
    }
    for (const Json& warning : *json) {
        if (!warning.is_string()) {
            reader.fail("warnings", "must be a list of texts");
            break;
        }
        warnings.push_back(warning.get<std::string>());
    }
    return warnings;
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

Json toJson(const Header& header) {
    const Geometry& geometry = header.geometry;
    Json direction = Json::array();
    for (const auto& axis : geometry.direction) {
        direction.push_back(list(axis));
    }
    return Json{{"format", header.format},
                {"size", geometry.size},
                {"spacing_mm", list(geometry.spacing)},
                {"origin_mm", list(geometry.origin)},
                {"direction", direction},
                {"orientation", geometry.orientation()},
                {"type", voxelTypeName(header.type)},
                {"pixel_type", header.pixelType},
                {"channels", header.channels},
                {"volumes", header.volumes},
                {"slope", header.slope},
                {"intercept", header.intercept},
                {"min", base::numberOrNull(header.min)},
                {"max", base::numberOrNull(header.max)},
                {"mean", base::numberOrNull(header.mean)},
                {"spacing_known", header.spacingKnown},
                {"warnings", warningsJson(header)}};
}

base::Result<Header> headerFromJson(const Json& json) {
    JsonReader reader(json, "");
    Header header;
    header.format = reader.text("format");
    header.geometry = readGeometry(reader);
    static_cast<void>(reader.text("orientation", ""));
    header.type = readType(reader);
    header.pixelType = reader.text("pixel_type");
    header.channels = static_cast<int>(reader.integer("channels", 1, 1024));
    header.volumes = static_cast<int>(reader.integer("volumes", 1, 1 << 30));
    header.slope = reader.number("slope", -1e300, 1e300);
    header.intercept = reader.number("intercept", -1e300, 1e300);
    header.min = optionalNumber(reader, "min");
    header.max = optionalNumber(reader, "max");
    header.mean = optionalNumber(reader, "mean");
    header.spacingKnown = reader.boolean("spacing_known");
    header.warnings = readWarnings(reader);
    if (auto status = reader.finish(); !status) {
        return status.error();
    }
    if (!volumeBytes(header)) {
        return base::Error{"/size: is too large"};
    }
    return header;
}

Json infoJson(const Header& header) {
    const Geometry& geometry = header.geometry;
    return Json{{"format", header.format},
                {"size", geometry.size},
                {"spacing_mm", header.spacingKnown ? list(geometry.spacing) : Json(nullptr)},
                {"origin_mm", list(geometry.origin)},
                {"orientation", geometry.orientation()},
                {"pixel_type", header.pixelType},
                {"channels", header.channels},
                {"volumes", header.volumes},
                {"slope", header.slope},
                {"intercept", header.intercept},
                {"min", base::numberOrNull(header.min)},
                {"max", base::numberOrNull(header.max)},
                {"mean", base::numberOrNull(header.mean)},
                {"warnings", warningsJson(header)}};
}

}  // namespace highwater::volume
