#include "core/scan/reader/mgh/mgh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/scan/reader/bytes/axes.h"
#include "core/scan/reader/bytes/binary_fields.h"

namespace highwater::scan::reader {
namespace {

struct MghHeader {
    std::int32_t version = 0;
    std::array<std::int32_t, 3> size{};
    std::int32_t frames = 0, type = 0;
    std::int16_t placed = 0;  ///< 1: the geometry is given
    volume::Vector spacing{};
    std::array<volume::Vector, 3> axes{};
    volume::Vector center{};
};

MghHeader decode(std::span<const std::byte> bytes) {
    const BinaryFields fields(bytes, true);
    MghHeader header;
    header.version = fields.at<std::int32_t>(0);
    header.size = fields.list<std::int32_t, std::int32_t, 3>(4);
    header.frames = fields.at<std::int32_t>(16);
    header.type = fields.at<std::int32_t>(20);
    header.placed = fields.at<std::int16_t>(28);
    header.spacing = fields.list<float, double, 3>(30);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        header.axes[axis] = fields.list<float, double, 3>(42 + 12 * axis);
    }
    header.center = fields.list<float, double, 3>(78);
    return header;
}

std::optional<std::string_view> typeName(std::int32_t type) {
    switch (type) {
        case 0:
            return "uint8";
        case 1:
            return "int32";
        case 3:
            return "float32";
        case 4:
            return "int16";
        case 10:
            return "uint16";
        default:
            return std::nullopt;
    }
}

/// Without a geometry FreeSurfer assumes a coronal volume of 1 mm around the origin.
void placeCoronal(volume::Header& header) {
    auto& geometry = header.geometry;
    geometry.direction = {volume::Vector{-1, 0, 0}, volume::Vector{0, 0, -1}, volume::Vector{0, 1, 0}};
    header.spacingKnown = false;
    header.warnings.emplace_back(
        "the file does not give its orientation: shown as FreeSurfer does, as coronal slices of 1 mm; R, L, "
        "A, P, S and I are a guess");
}

base::Status place(const MghHeader& mgh, volume::Header& header) {
    std::array<volume::Vector, 3> steps{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < 3; ++row) {
            steps[axis][row] = mgh.axes[axis][row] * mgh.spacing[axis];
            if (!(std::abs(steps[axis][row]) <= kMostPosition)) {
                return base::Error{fmt::format("damaged: the step along {} is {}, it must be in millimeters",
                                               "xyz"[axis], numberText(steps[axis][row]))};
            }
        }
    }
    return placeAxes(axesOf(steps), "its axes", header);
}

/// From the voxel in the middle, at half the sizes, to the first one.
base::Status placeFirst(const volume::Vector& center, volume::Header& header) {
    auto& geometry = header.geometry;
    for (std::size_t row = 0; row < 3; ++row) {
        double at = center[row];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at -= geometry.direction[axis][row] * geometry.spacing[axis] *
                  (static_cast<double>(geometry.size[axis]) / 2);
        }
        if (!(std::abs(at) <= kMostPosition)) {
            return base::Error{fmt::format("damaged: its center is at {}, it must be in millimeters",
                                           numberText(center[row]))};
        }
        geometry.origin[row] = at;
    }
    return {};
}

}  // namespace

bool looksLikeMgh(std::span<const std::byte> bytes) {
    if (bytes.size() < kMghHeaderBytes) {
        return false;
    }
    const MghHeader header = decode(bytes);
    const bool sizes =
        std::all_of(header.size.begin(), header.size.end(), [](auto size) { return size > 0; });
    return header.version == 1 && sizes && header.frames > 0 && typeName(header.type) &&
           (header.placed == 0 || header.placed == 1);
}

base::Result<RawLayout> mghLayout(std::span<const std::byte> bytes) {
    if (bytes.size() < kMghHeaderBytes) {
        return base::Error{fmt::format("truncated: an MGH header has {} bytes, the file has {}",
                                       kMghHeaderBytes, bytes.size())};
    }
    const MghHeader mgh = decode(bytes);
    if (mgh.version != 1) {
        return base::Error{
            fmt::format("not an MGH file: it must begin with the version 1, it has {}", mgh.version)};
    }
    const auto type = typeName(mgh.type);
    if (!type) {
        return base::Error{
            fmt::format("voxels of MGH type {} are not supported; save them as int16 or float32 "
                        "(mri_convert --out_data_type float)",
                        mgh.type)};
    }
    RawLayout layout;
    layout.swapped = true;
    layout.firstVoxel = static_cast<base::Bytes>(kMghHeaderBytes);
    layout.followed = true;
    volume::Header& header = layout.header;
    header.format = "MGH";
    header.geometry.size = {mgh.size[0], mgh.size[1], mgh.size[2]};
    HIGHWATER_TRY(setVoxels(layout, *storedType(*type), mgh.frames));
    if (mgh.placed > 0) {
        HIGHWATER_TRY(place(mgh, header));
    } else {
        placeCoronal(header);
    }
    HIGHWATER_TRY(placeFirst(mgh.placed > 0 ? mgh.center : volume::Vector{}, header));
    return layout;
}

}  // namespace highwater::scan::reader
