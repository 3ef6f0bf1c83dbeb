#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scan/reader/dicom/dicom.h"
#include "core/scan/reader/dicom/list.h"
#include "core/scan/reader/dicom/write.h"
#include "core/volume/volume_header.h"

namespace highwater::scan::reader {
namespace dicom {
namespace {

using volume::Header;
using volume::VoxelType;

/// Uses stored values if all pictures have the same type and rescaling, otherwise real values.
void chooseType(const Source& source, Header& header) {
    const Picture& first = source.picture(0);
    const VoxelType type = source.file(0).pixels.type;
    bool same = true, wide = false;
    for (std::size_t i = 0; i < source.part.pictures.size(); ++i) {
        const Picture& picture = source.picture(i);
        const Pixels& pixels = source.file(i).pixels;
        same = same && pixels.type == type && picture.slope == first.slope &&
               picture.intercept == first.intercept;
        wide = wide || volume::voxelBytes(pixels.type) > 4 ||
               (pixels.allocated == 32 && pixels.type != VoxelType::F32);
    }
    if (first.segment > 0) {
        std::int64_t highest = 0;
        for (std::size_t i = 0; i < source.part.pictures.size(); ++i) {
            highest = std::max(highest, source.picture(i).segment);
        }
        header.type = highest <= 255 ? VoxelType::U8 : VoxelType::U16;
        header.slope = 1;
        header.intercept = 0;
        header.pixelType = volume::voxelTypeName(header.type);
        return;
    }
    header.type = same ? type : wide ? VoxelType::F64 : VoxelType::F32;
    header.slope = same ? first.slope : 1;
    header.intercept = same ? first.intercept : 0;
    header.pixelType = volume::voxelTypeName(type);
}

Header makeHeader(const Source& source) {
    Header out;
    const std::string& syntax = source.file(0).syntax;
    out.format = syntax.empty() ? "DICOM" : fmt::format("DICOM ({})", syntax);
    out.geometry = source.stack.geometry;
    out.volumes = static_cast<int>(source.stack.volumes.size());
    out.spacingKnown = source.stack.spacingKnown;
    out.min = out.max = out.mean = std::nan("");
    chooseType(source, out);
    out.warnings = warningsOf(source.part, source.stack);
    return out;
}

base::Result<Header> readSeries(const Looked& looked, const std::string& series, std::int64_t volume, int out,
                                const ProgressSink& progress) {
    const auto parts = groupSeries(looked);
    const auto chosen = HIGHWATER_TRY(chooseSeries(looked, parts, series));
    const SeriesPart& part = parts[chosen];
    const auto stack = planStack(looked, part);
    if (!stack) {
        return part.problem.empty() || looked.folder.empty()
                   ? stack.error()
                   : base::Error{fmt::format("{}: {}", looked.files[part.files.front()].name, part.problem)};
    }
    if (volume < 0 || volume >= static_cast<std::int64_t>(stack->volumes.size())) {
        return base::Error{
            fmt::format("there is no volume {}; it holds {}, counted from 0", volume, stack->volumes.size())};
    }
    const Source source{looked, part, *stack};
    Header header = makeHeader(source);
    if (!volume::volumeBytes(header)) {
        return base::Error{"its pictures make a volume too large to read"};
    }
    if (out >= 0) {
        const auto& pictures = stack->volumes[static_cast<std::size_t>(volume)];
        HIGHWATER_TRY(writePictures(source, pictures, header, out, progress));
    }
    return header;
}

}  // namespace
}  // namespace dicom

base::Result<volume::Header> readDicom(const std::string& path, const std::string& series,
                                       std::int64_t volume, int out, const ProgressSink& progress) {
    const auto looked = dicom::lookAt(path, progress);
    if (!looked) {
        return dicom::named(path, looked.error().message);
    }
    auto header = dicom::readSeries(*looked, series, volume, out, progress);
    return header ? std::move(header) : dicom::named(path, header.error().message);
}

}  // namespace highwater::scan::reader
