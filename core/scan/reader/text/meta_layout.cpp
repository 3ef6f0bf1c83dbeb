#include "core/scan/reader/text/meta_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/scan/reader/bytes/axes.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

constexpr std::string_view kAxisNames = "xyz";
constexpr Vector kToRas{-1, -1, 1};  // MetaImage's axes point to the patient's left, back and head

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {"MET_CHAR", "int8"},      {"MET_UCHAR", "uint8"},     {"MET_SHORT", "int16"},
    {"MET_USHORT", "uint16"},  {"MET_INT", "int32"},       {"MET_UINT", "uint32"},
    {"MET_LONG", "int32"},     {"MET_ULONG", "uint32"},    {"MET_FLOAT", "float32"},
    {"MET_DOUBLE", "float64"}, {"MET_LONG_LONG", "int64"}, {"MET_ULONG_LONG", "uint64"},
};

base::Result<StoredType> typeOf(const MetaHeader& header) {
    if (header.type.ends_with("_ARRAY")) {
        return base::Error{
            fmt::format("voxels of several components ({}) are not supported; save one file each",
                        base::oneLine(header.type, 40))};
    }
    const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const auto& one) { return one.first == header.type; });
    if (found == std::end(kTypes)) {
        return base::Error{
            fmt::format("damaged: \"{}\" is not a MetaImage ElementType", base::oneLine(header.type, 60))};
    }
    return *storedType(found->second);
}

base::Result<std::int64_t> volumesOf(const MetaHeader& header) {
    for (std::size_t axis = 4; axis < header.sizes.size(); ++axis) {
        if (header.sizes[axis] != 1) {
            return base::Error{fmt::format("it has {} axes; Highwater reads three, and a fourth of volumes",
                                           header.sizes.size())};
        }
    }
    return header.sizes.size() > 3 ? header.sizes[3] : 1;
}

base::Status findData(const MetaHeader& header, const std::string& path, RawLayout& layout) {
    layout.atEnd = header.headerBytes < 0;
    if (header.compressed && header.headerBytes < 0) {
        return base::Error{
            "damaged: HeaderSize is -1, which is only possible where voxels are not compressed"};
    }
    if (header.compressed) {
        layout.packing = Packing::Zlib;
        layout.dataBytes = header.compressedBytes > 0 ? header.compressedBytes : -1;
    }
    if (!header.dataFile.empty()) {
        layout.dataFile = HIGHWATER_TRY(dataFilePath(path, header.dataFile));
    }
    layout.dataFrom = header.headerBytes > 0    ? header.headerBytes
                      : header.dataFile.empty() ? static_cast<base::Bytes>(header.bytes)
                                                : 0;
    return {};
}

void readSpacing(const MetaHeader& header, volume::Header& out, Vector& spacing) {
    for (std::size_t axis = 0; axis < std::min<std::size_t>(3, header.sizes.size()); ++axis) {
        const double stored = header.spacing.empty() ? std::nan("") : header.spacing[axis];
        if (plausibleSpacing(stored)) {
            spacing[axis] = stored;
        } else if (out.geometry.size[axis] > 1) {
            out.spacingKnown = false;
            out.warnings.push_back(
                fmt::format("the spacing along {} is unknown: {}; shown as if it were 1 mm", kAxisNames[axis],
                            header.spacing.empty() ? "the header has no ElementSpacing"
                                                   : "ElementSpacing has " + numberText(stored)));
        }
    }
}

/// Unit steps along the first three axes. If there are fewer, the last one is at right angles to the others.
std::array<Vector, 3> directionsOf(const MetaHeader& header) {
    const std::size_t axes = header.sizes.size();
    std::array<Vector, 3> out{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (std::size_t axis = 0; !header.matrix.empty() && axis < std::min<std::size_t>(3, axes); ++axis) {
        for (std::size_t c = 0; c < 3; ++c) {
            out[axis][c] = c < axes ? header.matrix[axis * axes + c] : 0;
        }
    }
    if (axes == 2) {
        out[2] = perpendicular(out[0], out[1]);
    }
    return out;
}

base::Status place(const MetaHeader& header, volume::Header& out) {
    Vector spacing{1, 1, 1};
    readSpacing(header, out, spacing);
    auto steps = directionsOf(header);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t c = 0; c < 3; ++c) {
            steps[axis][c] *= spacing[axis] * kToRas[c];
        }
    }
    for (std::size_t c = 0; c < std::min<std::size_t>(3, header.offset.size()); ++c) {
        out.geometry.origin[c] = header.offset[c] * kToRas[c];
    }
    HIGHWATER_TRY(placeAxes(axesOf(steps), "the axes of TransformMatrix", out));
    if (header.matrix.empty()) {
        out.warnings.emplace_back(
            "the header has no TransformMatrix: R, L, A, P, S and I are a guess (left-posterior-superior)");
    }
    return {};
}

void setScaling(const MetaHeader& header, volume::Header& out) {
    if (header.slope == 1 && header.intercept == 0) {
        return;
    }
    if (!std::isfinite(header.slope) || !std::isfinite(header.intercept) || header.slope == 0) {
        out.warnings.push_back(
            fmt::format("ElementToIntensityFunction has slope {} and offset {}: values are shown as stored",
                        numberText(header.slope), numberText(header.intercept)));
        return;
    }
    out.slope = header.slope;
    out.intercept = header.intercept;
}

}  // namespace

base::Result<RawLayout> metaLayout(const MetaHeader& header, const std::string& path) {
    const auto type = HIGHWATER_TRY(typeOf(header));
    const auto volumes = HIGHWATER_TRY(volumesOf(header));
    RawLayout layout;
    volume::Header& out = layout.header;
    out.geometry.size = {1, 1, 1};
    std::copy_n(header.sizes.begin(), std::min<std::size_t>(3, header.sizes.size()),
                out.geometry.size.begin());
    layout.swapped = header.bigEndian;
    HIGHWATER_TRY(findData(header, path, layout));
    HIGHWATER_TRY(setVoxels(layout, type, volumes));
    out.format = fmt::format("MetaImage{}{}", header.dataFile.empty() ? "" : ", detached",
                             header.compressed ? " (zlib)" : "");
    HIGHWATER_TRY(place(header, out));
    setScaling(header, out);
    return layout;
}

}  // namespace highwater::scan::reader
