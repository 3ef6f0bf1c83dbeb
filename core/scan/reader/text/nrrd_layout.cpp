#include "core/scan/reader/text/nrrd_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/scan/reader/text/nrrd_axes.h"
#include "core/scan/reader/text/text_header.h"

namespace highwater::scan::reader {
namespace {

using Names = std::span<const std::pair<std::string_view, std::string_view>>;

constexpr std::pair<std::string_view, std::string_view> kNrrdTypes[] = {
    {"signed char", "int8"},
    {"int8", "int8"},
    {"int8_t", "int8"},
    {"uchar", "uint8"},
    {"unsigned char", "uint8"},
    {"uint8", "uint8"},
    {"uint8_t", "uint8"},
    {"short", "int16"},
    {"short int", "int16"},
    {"signed short", "int16"},
    {"signed short int", "int16"},
    {"int16", "int16"},
    {"int16_t", "int16"},
    {"ushort", "uint16"},
    {"unsigned short", "uint16"},
    {"unsigned short int", "uint16"},
    {"uint16", "uint16"},
    {"uint16_t", "uint16"},
    {"int", "int32"},
    {"signed int", "int32"},
    {"int32", "int32"},
    {"int32_t", "int32"},
    {"uint", "uint32"},
    {"unsigned int", "uint32"},
    {"uint32", "uint32"},
    {"uint32_t", "uint32"},
    {"longlong", "int64"},
    {"long long", "int64"},
    {"long long int", "int64"},
    {"signed long long", "int64"},
    {"signed long long int", "int64"},
    {"int64", "int64"},
    {"int64_t", "int64"},
    {"ulonglong", "uint64"},
    {"unsigned long long", "uint64"},
    {"unsigned long long int", "uint64"},
    {"uint64", "uint64"},
    {"uint64_t", "uint64"},
    {"float", "float32"},
    {"double", "float64"},
};

base::Result<StoredType> typeOf(const NrrdHeader& header) {
    if (header.type == "block") {
        return base::Error{
            "voxels that are blocks of bytes are not supported; save them as int16 or float32"};
    }
    const auto found = std::find_if(std::begin(kNrrdTypes), std::end(kNrrdTypes),
                                    [&](const auto& one) { return one.first == header.type; });
    if (found == std::end(kNrrdTypes)) {
        return base::Error{fmt::format("damaged: \"{}\" is not a NRRD type", base::oneLine(header.type, 60))};
    }
    return *storedType(found->second);
}

base::Status readEncoding(const NrrdHeader& header, const StoredType& type, RawLayout& layout) {
    const std::string& encoding = header.encoding;
    if (encoding == "gzip" || encoding == "gz") {
        layout.packing = Packing::Gzip;
    } else if (encoding != "raw") {
        constexpr std::string_view kOthers[] = {"hex", "txt", "text", "ascii", "bzip2", "bz2"};
        const bool known = std::find(std::begin(kOthers), std::end(kOthers), encoding) != std::end(kOthers);
        return base::Error{
            known ? fmt::format("the encoding {} is not supported; save it as raw or gzip", encoding)
                  : fmt::format("damaged: \"{}\" is not a NRRD encoding", base::oneLine(encoding, 60))};
    }
    if (type.bytes > 1 && header.endian != "little" && header.endian != "big") {
        return base::Error{fmt::format("damaged: endian is \"{}\", it must be little or big",
                                       base::oneLine(header.endian, 60))};
    }
    layout.swapped = header.endian == "big";
    return {};
}

base::Status findData(const NrrdHeader& header, const std::string& path, RawLayout& layout) {
    if (header.byteSkip < 0 && layout.packing != Packing::None) {
        return base::Error{"damaged: byte skip is -1, which is only possible where the encoding is raw"};
    }
    layout.atEnd = header.byteSkip < 0;
    layout.firstVoxel = std::max<base::Bytes>(0, header.byteSkip);
    if (header.dataFile.empty()) {
        layout.dataFrom = static_cast<base::Bytes>(header.bytes);
        return {};
    }
    if (header.dataFile.find('%') != std::string::npos ||
        base::lowered(header.dataFile).starts_with("list")) {
        return base::Error{"voxels in several data files are not supported; save it as one .nrrd file"};
    }
    layout.dataFile = HIGHWATER_TRY(dataFilePath(path, header.dataFile));
    return {};
}

/// The volumes are interleaved if the axis that counts them is not the slowest.
void setRuns(const NrrdHeader& header, const NrrdAxes& axes, RawLayout& layout) {
    if (axes.volumes) {
        layout.runBytes = layout.voxelBytes;
        for (std::size_t axis = 0; axis < *axes.volumes; ++axis) {
            layout.runBytes *= header.sizes[axis];
        }
    }
}

}  // namespace

base::Result<RawLayout> nrrdLayout(const NrrdHeader& header, const std::string& path) {
    const auto type = HIGHWATER_TRY(typeOf(header));
    const auto axes = HIGHWATER_TRY(nrrdAxes(header));
    RawLayout layout;
    volume::Header& out = layout.header;
    out.geometry.size = {1, 1, 1};
    for (std::size_t axis = 0; axis < axes.space.size(); ++axis) {
        out.geometry.size[axis] = header.sizes[axes.space[axis]];
    }
    HIGHWATER_TRY(readEncoding(header, type, layout));
    HIGHWATER_TRY(findData(header, path, layout));
    HIGHWATER_TRY(setVoxels(layout, type, axes.volumes ? header.sizes[*axes.volumes] : 1));
    setRuns(header, axes, layout);
    out.format = fmt::format("NRRD{}{}", layout.dataFile.empty() ? "" : ", detached",
                             layout.packing == Packing::None ? "" : " (gzip)");
    if (axes.guessed) {
        out.warnings.emplace_back(
            "the meaning of its fourth axis is unknown: it is read as a number of volumes");
    }
    HIGHWATER_TRY(placeNrrd(header, axes, out));
    return layout;
}

}  // namespace highwater::scan::reader
