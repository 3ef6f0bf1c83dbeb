#include "core/scan/reader/nifti_check.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "core/scan/reader/nifti_geometry.h"

namespace highwater::scan::reader {
namespace {

using volume::VoxelType;

struct Datatype {
    std::int16_t code;
    std::string_view name;
    std::int16_t bits;
    std::optional<VoxelType> type;  ///< none: not supported
    Conversion conversion = Conversion::Copy;
};

constexpr Datatype kDatatypes[] = {
    {2, "uint8", 8, VoxelType::U8},
    {4, "int16", 16, VoxelType::I16},
    {8, "int32", 32, VoxelType::I32},
    {16, "float32", 32, VoxelType::F32},
    {64, "float64", 64, VoxelType::F64},
    {256, "int8", 8, VoxelType::I8},
    {512, "uint16", 16, VoxelType::U16},
    {768, "uint32", 32, VoxelType::U32},
    {1024, "int64", 64, VoxelType::F64, Conversion::Int64ToDouble},
    {1280, "uint64", 64, VoxelType::F64, Conversion::UInt64ToDouble},
    {1, "single bits", 1, std::nullopt},
    {32, "complex numbers", 64, std::nullopt},
    {128, "RGB colours", 24, std::nullopt},
    {1536, "float128", 128, std::nullopt},
    {1792, "complex numbers", 128, std::nullopt},
    {2048, "complex numbers", 256, std::nullopt},
    {2304, "RGBA colours", 32, std::nullopt},
};

base::Result<Datatype> datatypeOf(const NiftiHeader& header) {
    for (const Datatype& datatype : kDatatypes) {
        if (datatype.code != header.datatype) {
            continue;
        }
        if (!datatype.type) {
            return base::Error{fmt::format(
                "voxels that are {} are not supported; save them as int16 or float32", datatype.name)};
        }
        if (datatype.bits != header.bitpix) {
            return base::Error{fmt::format("damaged: bitpix is {}, {} voxels have {} bits", header.bitpix,
                                           datatype.name, datatype.bits)};
        }
        return datatype;
    }
    return base::Error{fmt::format("damaged: {} is not a NIfTI-1 datatype", header.datatype)};
}

base::Status checkDimensions(const NiftiHeader& header) {
    if (header.dim[0] < 1 || header.dim[0] > 7) {
        return base::Error{fmt::format("damaged: dim[0] is {}, it must be 1 to 7", header.dim[0])};
    }
    for (std::int16_t axis = 1; axis <= header.dim[0]; ++axis) {
        const std::int16_t size = header.dim[static_cast<std::size_t>(axis)];
        if (size < 1) {
            return base::Error{fmt::format("damaged: dim[{}] is {}, it must be at least 1", axis, size)};
        }
        if (axis > 4 && size > 1) {
            return base::Error{
                fmt::format("dim[{}] is {}: voxels of several components are not supported", axis, size)};
        }
    }
    return {};
}

std::int64_t dimension(const NiftiHeader& header, std::size_t axis) {
    return static_cast<std::int64_t>(axis) <= header.dim[0] ? header.dim[axis] : 1;
}

base::Result<base::Bytes> firstVoxel(const NiftiHeader& header) {
    const double offset = header.voxOffset;
    if (!(offset >= static_cast<double>(kNiftiFirstVoxel)) || offset > 9e15 || offset != std::floor(offset)) {
        return base::Error{fmt::format("damaged: vox_offset is {}, it must be a whole number from 352 on",
                                       numberText(offset))};
    }
    return static_cast<base::Bytes>(offset);
}

void readScaling(const NiftiHeader& nifti, volume::Header& header) {
    if (nifti.slope == 0) {
        return;  // "no scaling" (nifti1.h)
    }
    if (!std::isfinite(nifti.slope) || !std::isfinite(nifti.intercept)) {
        header.warnings.push_back(fmt::format("scl_slope is {} and scl_inter {}: values are shown as stored",
                                              numberText(nifti.slope), numberText(nifti.intercept)));
        return;
    }
    header.slope = nifti.slope;
    header.intercept = nifti.intercept;
}

}  // namespace

base::Result<NiftiLayout> checkNifti(const NiftiHeader& nifti) {
    if (auto status = checkDimensions(nifti); !status) {
        return status.error();
    }
    const auto datatype = datatypeOf(nifti);
    if (!datatype) {
        return datatype.error();
    }
    const auto first = firstVoxel(nifti);
    if (!first) {
        return first.error();
    }
    auto where = niftiGeometry(nifti, {dimension(nifti, 1), dimension(nifti, 2), dimension(nifti, 3)});
    if (!where) {
        return where.error();
    }
    NiftiLayout layout;
    layout.swapped = nifti.swapped;
    layout.conversion = datatype->conversion;
    layout.voxelBytes = datatype->bits / 8;
    layout.firstVoxel = *first;
    // At most 2^15 along each of four axes and 8 bytes a voxel: 2^63 is only just out of reach.
    layout.volumeBytes = where->geometry.voxels() * layout.voxelBytes;
    const auto all = base::checkedMul(layout.volumeBytes, dimension(nifti, 4));
    if (!all || !base::checkedAdd(*all, layout.firstVoxel)) {
        return base::Error{"damaged: the header promises more voxels than any file can hold"};
    }
    layout.allBytes = *all;
    volume::Header& header = layout.header;
    header.format = "NIfTI-1";
    header.geometry = where->geometry;
    header.spacingKnown = where->spacingKnown;
    header.warnings = std::move(where->warnings);
    header.type = *datatype->type;
    header.pixelType = datatype->name;
    header.volumes = static_cast<int>(dimension(nifti, 4));
    header.min = header.max = header.mean = std::nan("");
    readScaling(nifti, header);
    return layout;
}

base::Status checkLength(NiftiLayout& layout, base::Bytes bytes) {
    if (bytes < layout.firstVoxel) {
        return base::Error{fmt::format("truncated: its voxels begin at byte {}, the file has {} bytes",
                                       layout.firstVoxel, bytes)};
    }
    const base::Bytes there = bytes - layout.firstVoxel;
    if (there < layout.allBytes) {
        return base::Error{fmt::format("truncated: the header promises {} bytes of voxels, the file has {}",
                                       layout.allBytes, there)};
    }
    if (there > layout.allBytes) {
        layout.header.warnings.push_back(
            fmt::format("{} bytes after the voxels were ignored", there - layout.allBytes));
    }
    return {};
}

base::Status checkVolumeIndex(const NiftiLayout& layout, std::int64_t volume) {
    const int volumes = layout.header.volumes;
    if (volume >= 0 && volume < volumes) {
        return {};
    }
    if (volumes == 1) {
        return base::Error{fmt::format("there is no volume {}: the file has one, number 0", volume)};
    }
    return base::Error{
        fmt::format("there is no volume {}: the file has {}, numbers 0 to {}", volume, volumes, volumes - 1)};
}

}  // namespace highwater::scan::reader
