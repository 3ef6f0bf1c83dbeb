#include "core/scan/reader/nifti/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "core/scan/reader/bytes/axes.h"
#include "core/scan/reader/nifti/geometry.h"

namespace highwater::scan::reader {
namespace {

using Kind = NiftiHeader::Kind;

struct Datatype {
    std::int16_t code;
    std::string_view name;
    std::int16_t bits = 0;  ///< 0: not supported
};

constexpr Datatype kDatatypes[] = {
    {2, "uint8", 8},       {4, "int16", 16},     {8, "int32", 32},          {16, "float32", 32},
    {64, "float64", 64},   {256, "int8", 8},     {512, "uint16", 16},       {768, "uint32", 32},
    {1024, "int64", 64},   {1280, "uint64", 64}, {1, "single bits"},        {32, "complex numbers"},
    {128, "RGB colors"},   {1536, "float128"},   {1792, "complex numbers"}, {2048, "complex numbers"},
    {2304, "RGBA colors"},
};
// The data types that SPM added to Analyze's.
constexpr Datatype kSpmDatatypes[] = {{130, "int8", 8}, {132, "uint16", 16}, {136, "uint32", 32}};

const Datatype* findDatatype(const NiftiHeader& header) {
    const auto in = [&](std::span<const Datatype> list) {
        const auto found = std::find_if(list.begin(), list.end(),
                                        [&](const Datatype& one) { return one.code == header.datatype; });
        return found == list.end() ? nullptr : &*found;
    };
    const Datatype* spm = header.kind == Kind::Analyze ? in(kSpmDatatypes) : nullptr;
    return spm ? spm : in(kDatatypes);
}

base::Result<StoredType> typeOf(const NiftiHeader& header) {
    const Datatype* datatype = findDatatype(header);
    if (!datatype) {
        const bool analyze = header.kind == Kind::Analyze;
        return base::Error{fmt::format("damaged: {} is not {} datatype", header.datatype,
                                       analyze               ? "an Analyze 7.5"
                                       : header.version == 2 ? "a NIfTI-2"
                                                             : "a NIfTI-1")};
    }
    if (datatype->bits == 0) {
        return base::Error{fmt::format("voxels that are {} are not supported; save them as int16 or float32",
                                       datatype->name)};
    }
    if (datatype->bits != header.bitpix) {
        return base::Error{fmt::format("damaged: bitpix is {}, {} voxels have {} bits", header.bitpix,
                                       datatype->name, datatype->bits)};
    }
    return *storedType(datatype->name);
}

base::Status checkDimensions(const NiftiHeader& header) {
    if (header.dim[0] < 1 || header.dim[0] > 7) {
        return base::Error{fmt::format("damaged: dim[0] is {}, it must be 1 to 7", header.dim[0])};
    }
    for (std::int64_t axis = 1; axis <= header.dim[0]; ++axis) {
        const std::int64_t size = header.dim[static_cast<std::size_t>(axis)];
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
    const std::size_t bytes = header.version == 2 ? kNifti2HeaderBytes : kNiftiHeaderBytes;
    const double least = header.kind == Kind::Single ? static_cast<double>(bytes + kNiftiExtensionBytes) : 0;
    if (!(offset >= least) || offset > 9e15 || offset != std::floor(offset)) {
        return base::Error{fmt::format("damaged: vox_offset is {}, it must be a whole number from {} on",
                                       numberText(offset), least)};
    }
    return static_cast<base::Bytes>(offset);
}

void readScaling(const NiftiHeader& nifti, volume::Header& header) {
    if (nifti.slope == 0) {
        return;  // means "no scaling" (nifti1.h)
    }
    if (!std::isfinite(nifti.slope) || (!std::isfinite(nifti.intercept) && nifti.kind != Kind::Analyze)) {
        header.warnings.push_back(fmt::format("scl_slope is {} and scl_inter {}: values are shown as stored",
                                              numberText(nifti.slope), numberText(nifti.intercept)));
        return;
    }
    header.slope = nifti.slope;
    if (nifti.kind == Kind::Analyze) {
        if (nifti.slope != 1) {
            header.warnings.push_back(
                fmt::format("its values are multiplied by {}, as SPM does; other programs show Analyze's "
                            "values as stored",
                            numberText(nifti.slope)));
        }
        return;
    }
    header.intercept = nifti.intercept;
}

std::string_view formatName(const NiftiHeader& header) {
    switch (header.kind) {
        case Kind::Pair:
            return header.version == 2 ? "NIfTI-2 pair" : "NIfTI-1 pair";
        case Kind::Analyze:
            return "Analyze 7.5";
        case Kind::Single:
            break;
    }
    return header.version == 2 ? "NIfTI-2" : "NIfTI-1";
}

}  // namespace

base::Result<RawLayout> niftiLayout(const NiftiHeader& nifti) {
    HIGHWATER_TRY(checkDimensions(nifti));
    const auto type = HIGHWATER_TRY(typeOf(nifti));
    const auto first = HIGHWATER_TRY(firstVoxel(nifti));
    auto where =
        HIGHWATER_TRY(niftiGeometry(nifti, {dimension(nifti, 1), dimension(nifti, 2), dimension(nifti, 3)}));
    RawLayout layout;
    layout.swapped = nifti.swapped;
    layout.firstVoxel = first;
    volume::Header& header = layout.header;
    header.format = formatName(nifti);
    header.geometry = where.geometry;
    header.spacingKnown = where.spacingKnown;
    header.warnings = std::move(where.warnings);
    HIGHWATER_TRY(setVoxels(layout, type, dimension(nifti, 4)));
    readScaling(nifti, header);
    return layout;
}

}  // namespace highwater::scan::reader
