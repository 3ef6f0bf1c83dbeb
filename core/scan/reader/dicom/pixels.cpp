#include "core/scan/reader/dicom/pixels.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scan/reader/dicom/frames.h"
#include "core/scan/reader/dicom/values.h"

namespace highwater::scan::reader::dicom {
namespace {

using volume::VoxelType;

constexpr Tag kPixelRows = 0x00280010, kColumns = 0x00280011, kFrames = 0x00280008, kSamples = 0x00280002;
constexpr Tag kPhotometric = 0x00280004, kAllocated = 0x00280100, kStored = 0x00280101;
constexpr Tag kHighBit = 0x00280102, kSigned = 0x00280103;
constexpr std::int64_t kMostSide = 65535;
constexpr std::int64_t kMostFrames = 1 << 24;
constexpr base::Bytes kMostFrame = 512 * base::kMiB;

int bitsOf(const OpenFile& file) {
    const Element* data = file.pixelData();
    const Tag tag = data ? data->tag : kPixelData;
    return tag == kFloatPixelData    ? 32
           : tag == kDoublePixelData ? 64
                                     : static_cast<int>(wholeOf(file.set(), kAllocated, "US").value_or(0));
}

bool isReal(const OpenFile& file) {
    const Element* data = file.pixelData();
    return data && data->tag != kPixelData;
}

base::Error noPixelData(const OpenFile& file) {
    if (file.parsed.error) {
        return *file.parsed.error;
    }
    return {file.set().find(kPixelRows) ? "truncated: it ends before its pixel data" : "holds no picture"};
}

VoxelType typeOf(const Pixels& pixels, bool real) {
    if (real) {
        return pixels.allocated == 32 ? VoxelType::F32 : VoxelType::F64;
    }
    if (pixels.allocated <= 8) {
        return pixels.isSigned ? VoxelType::I8 : VoxelType::U8;
    }
    if (pixels.allocated == 16) {
        return pixels.isSigned ? VoxelType::I16 : VoxelType::U16;
    }
    return pixels.isSigned ? VoxelType::I32 : VoxelType::U32;
}

base::Status readSizes(const DataSet& set, Pixels& pixels) {
    const auto columns = wholeOf(set, kColumns, "US"), rows = wholeOf(set, kPixelRows, "US");
    if (!columns || !rows || *columns < 1 || *rows < 1 || *columns > kMostSide || *rows > kMostSide) {
        return base::Error{"damaged: the header gives no number of columns and rows from 1 to 65535"};
    }
    pixels.columns = *columns;
    pixels.rows = *rows;
    pixels.frames = set.find(kFrames) ? wholeOf(set, kFrames, "IS").value_or(1) : 1;
    if (pixels.frames < 1 || pixels.frames > kMostFrames) {
        return base::Error{fmt::format("damaged: the header promises {} pictures", pixels.frames)};
    }
    return {};
}

base::Status readBits(const OpenFile& file, Pixels& pixels) {
    const DataSet& set = file.set();
    pixels.allocated = bitsOf(file);
    const auto stored = wholeOf(set, kStored, "US").value_or(pixels.allocated);
    const auto high = wholeOf(set, kHighBit, "US").value_or(stored - 1);
    const auto isSigned = wholeOf(set, kSigned, "US").value_or(0);
    if (isReal(file)) {
        pixels.stored = pixels.allocated;
        pixels.highBit = pixels.allocated - 1;
    } else if (stored < 1 || stored > pixels.allocated || high < stored - 1 || high >= pixels.allocated ||
               isSigned < 0 || isSigned > 1) {
        return base::Error{fmt::format("damaged: {} bits stored, high bit {}, in {} bits allocated", stored,
                                       high, pixels.allocated)};
    } else {
        pixels.stored = static_cast<int>(stored);
        pixels.highBit = static_cast<int>(high);
        pixels.isSigned = isSigned == 1;
    }
    pixels.type = typeOf(pixels, isReal(file));
    return {};
}

/// Checks that the bytes in the file can hold what the header promises.
base::Status checkRoom(const OpenFile& file, const Pixels& pixels) {
    const std::int64_t frame = pixels.columns * pixels.rows;  // at most 2^32
    if (pixels.frameBytes() > kMostFrame) {
        return base::Error{fmt::format("a picture of {} × {} is larger than Highwater reads ({})",
                                       pixels.columns, pixels.rows, base::formatBytes(kMostFrame))};
    }
    const auto all = static_cast<std::int64_t>(file.mapping.bytes().size());
    if (file.syntax.compressed()) {
        if (pixels.frames > mostUnfolded(all) / pixels.frameBytes()) {
            return base::Error{fmt::format("damaged: the header promises {} of {} × {} in a file of {}",
                                           base::counted(pixels.frames, "picture"), pixels.columns,
                                           pixels.rows, base::formatBytes(all))};
        }
        return {};
    }
    const std::int64_t bytes = (frame * pixels.frames * pixels.allocated + 7) / 8;
    const auto there = static_cast<std::int64_t>(file.pixelData()->value.size());
    if (there < bytes) {
        return base::Error{
            fmt::format("truncated: the header promises {} bytes of voxels, the file has {}", bytes, there)};
    }
    return {};
}

}  // namespace

std::string unsupportedPixels(const OpenFile& file) {
    if (file.syntax.coding == Coding::None) {
        return fmt::format("stored as {}, which Highwater does not read; convert it to a lossless syntax",
                           file.syntax.name);
    }
    const auto samples = wholeOf(file.set(), kSamples, "US").value_or(1);
    const std::string photometric = textOf(file.set(), kPhotometric);
    if (samples == 3 || samples == 4) {
        return fmt::format("holds color pictures ({}); Highwater reads one value per voxel", photometric);
    }
    constexpr Tag kSegmentationType = 0x00620001;  // the palette of a label map only colors its labels
    if (photometric == "PALETTE COLOR" && textOf(file.set(), kSegmentationType) != "LABELMAP") {
        return "holds pictures in palette colors; Highwater reads one value per voxel";
    }
    return {};
}

base::Result<Pixels> pixelsOf(const OpenFile& file) {
    Pixels out;
    if (!file.pixelData()) {
        return noPixelData(file);
    }
    HIGHWATER_TRY(readSizes(file.set(), out));
    const auto samples = wholeOf(file.set(), kSamples, "US").value_or(1);
    if (samples != 1) {
        return base::Error{fmt::format("damaged: {} values a pixel", samples)};
    }
    const int bits = bitsOf(file);
    const bool compressed = file.syntax.compressed();
    if (bits != 8 && bits != 16 && bits != 32 && !(bits == 64 && isReal(file)) &&
        !(bits == 1 && !compressed)) {
        return base::Error{fmt::format("{} bits a pixel; Highwater reads 1, 8, 16 and 32", bits)};
    }
    HIGHWATER_TRY(readBits(file, out));
    if (file.pixelData()->undefined != compressed) {
        return base::Error{fmt::format("damaged: the pixel data {} compressed, and its transfer syntax {}",
                                       compressed ? "is not" : "is", compressed ? "says so" : "is not")};
    }
    HIGHWATER_TRY(checkRoom(file, out));
    if (compressed) {
        HIGHWATER_TRY(framesOf(file, out));
    }
    out.monochrome1 = textOf(file.set(), kPhotometric) == "MONOCHROME1";
    return out;
}

}  // namespace highwater::scan::reader::dicom
