#include "core/scan/reader/dicom/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/scan/reader/dicom/values.h"

namespace highwater::scan::reader::dicom {
namespace {

constexpr Tag kImageType = 0x00080008, kInstanceUid = 0x00080018, kModality = 0x00080060;
constexpr Tag kSeriesDescription = 0x0008103E, kSeriesUid = 0x0020000E, kSeriesNumber = 0x00200011;
constexpr Tag kAcquisition = 0x00200012, kInstance = 0x00200013, kTemporal = 0x00200100;
constexpr Tag kPosition = 0x00200032, kOrientation = 0x00200037;
constexpr Tag kPixelSpacing = 0x00280030, kImagerSpacing = 0x00181164, kBetween = 0x00180088;
constexpr Tag kIntercept = 0x00281052, kSlope = 0x00281053, kDoseScale = 0x3004000E;
constexpr Tag kEcho = 0x00180086, kEchoTime = 0x00180081, kTrigger = 0x00181060, kBValue = 0x00189087;
constexpr Tag kFrameOffsets = 0x3004000C, kDetectors = 0x00540022;
// Functional groups of enhanced objects (PS3.3, C.7.6.16).
constexpr Tag kShared = 0x52009229, kPerFrame = 0x52009230;
constexpr Tag kPlanePosition = 0x00209113, kPlaneOrientation = 0x00209116, kMeasures = 0x00289110;
constexpr Tag kTransformation = 0x00289145, kContent = 0x00209111, kDiffusion = 0x00189117;
constexpr Tag kEchoGroup = 0x00189114, kEffectiveEcho = 0x00189082, kFrameTemporal = 0x00209128;
constexpr Tag kFrameAcquisition = 0x00209156;

constexpr double kFarthest = 1e6;  // mm

/// The places of a frame's facts: its own group, the shared group, or the file itself.
struct Groups {
    const DataSet& file;
    const DataSet* shared = nullptr;
    const DataSet* frame = nullptr;

    DataSet in(Tag sequence) const {
        for (const DataSet* group : {frame, shared}) {
            if (group) {
                if (auto items = sequenceItems(*group, sequence); !items.empty()) {
                    return std::move(items.front());
                }
            }
        }
        return file;
    }
};

Vector toRas(const std::vector<double>& lps, std::size_t from) {
    return {-lps[from], -lps[from + 1], lps[from + 2]};
}

bool readOrientation(const DataSet& set, Grid& grid) {
    const auto cosines = numbersOf(set, kOrientation, "DS");
    if (cosines.size() != 6) {
        return false;
    }
    Vector across = toRas(cosines, 0), down = toRas(cosines, 3);
    constexpr double kLengthError = 0.02, kAngleError = 0.02;
    if (std::abs(length(across) - 1) > kLengthError || std::abs(length(down) - 1) > kLengthError ||
        std::abs(dot(across, down)) > kAngleError) {
        return false;
    }
    grid.skew =
        std::max({std::abs(length(across) - 1), std::abs(length(down) - 1), std::abs(dot(across, down))});
    across = scaled(across, 1 / length(across));
    down = minus(down, scaled(across, dot(across, down)));
    grid.across = across;
    grid.down = scaled(down, 1 / length(down));
    grid.oriented = true;
    return true;
}

bool readPosition(const DataSet& set, Picture& picture) {
    const auto at = numbersOf(set, kPosition, "DS");
    if (at.size() != 3 ||
        std::any_of(at.begin(), at.end(), [](double mm) { return std::abs(mm) > kFarthest; })) {
        return false;
    }
    picture.position = toRas(at, 0);
    return true;
}

bool readSpacing(const DataSet& set, Tag tag, Grid& grid) {
    const auto spacing = numbersOf(set, tag, "DS");  // between rows, then between columns
    const auto plausible = [](double mm) { return mm > 1e-6 && mm < 1e4; };
    if (spacing.size() != 2 || !plausible(spacing[0]) || !plausible(spacing[1])) {
        return false;
    }
    grid.spacing = {spacing[1], spacing[0]};
    grid.spacingKnown = true;
    return true;
}

Order readOrder(const Groups& groups) {
    const DataSet content = groups.in(kContent);
    const DataSet echo = groups.in(kEchoGroup);
    const auto first = [](std::optional<double> a, std::optional<double> b) {
        return a ? *a : b.value_or(0);
    };
    Order out;
    out.type = textOf(groups.file, kImageType);
    out.temporal = first(numberOf(content, kFrameTemporal, "UL"), numberOf(groups.file, kTemporal, "IS"));
    out.acquisition =
        first(numberOf(content, kFrameAcquisition, "US"), numberOf(groups.file, kAcquisition, "IS"));
    out.echo = first(numberOf(echo, kEffectiveEcho, "FD"),
                     first(numberOf(groups.file, kEchoTime, "DS"), numberOf(groups.file, kEcho, "IS")));
    const Tag siemensB = privateTag(groups.file, 0x0019, "SIEMENS MR HEADER", 0x0C);
    out.bValue = first(numberOf(groups.in(kDiffusion), kBValue, "FD"),
                       siemensB ? numberOf(groups.file, siemensB, "IS") : std::nullopt);
    out.trigger = numberOf(groups.file, kTrigger, "DS").value_or(0);
    out.instance = numberOf(groups.file, kInstance, "IS").value_or(0);
    return out;
}

void readRescale(const Groups& groups, Picture& picture, FileFacts& facts) {
    const DataSet set = groups.in(kTransformation);
    picture.slope = numberOf(set, kSlope, "DS").value_or(1);
    picture.intercept = numberOf(set, kIntercept, "DS").value_or(0);
    if (facts.modality == "RTDOSE") {
        picture.slope = numberOf(groups.file, kDoseScale, "DS").value_or(1);
    }
    if (picture.slope == 0) {
        picture.slope = 1;
        picture.intercept = 0;
        facts.warnings.push_back("the rescale slope is 0: the stored values are shown as they are");
    }
}

Picture readPicture(const Groups& groups, FileFacts& facts) {
    Picture out;
    Grid& grid = out.grid;
    grid.columns = facts.pixels.columns;
    grid.rows = facts.pixels.rows;
    out.placed =
        readOrientation(groups.in(kPlaneOrientation), grid) && readPosition(groups.in(kPlanePosition), out);
    if (!readSpacing(groups.in(kMeasures), kPixelSpacing, grid) &&
        readSpacing(groups.file, kImagerSpacing, grid)) {
        facts.warnings.push_back("the spacing of pixels is that at the detector; in the body it is smaller");
    }
    out.order = readOrder(groups);
    grid.localizer = out.order.type.find("LOCALIZER") != std::string::npos;
    readRescale(groups, out, facts);
    return out;
}

/// Positions the frames of older multi-frame objects: dose grids contain their offsets, nuclear medicine only
/// the first position.
void placeOldFrames(const DataSet& set, FileFacts& facts) {
    Picture& first = facts.pictures.front();
    if (!first.placed) {
        const auto detectors = sequenceItems(set, kDetectors);
        first.placed = !detectors.empty() && readOrientation(detectors.front(), first.grid) &&
                       readPosition(detectors.front(), first);
    }
    const auto offsets = numbersOf(set, kFrameOffsets, "DS");
    const bool listed = static_cast<std::int64_t>(offsets.size()) == facts.pixels.frames;
    if (facts.pixels.frames == 1) {
        return;
    }
    first.placed = first.placed && (listed || facts.between > 0);
    const Vector normal = cross(first.grid.across, first.grid.down);
    const Picture pattern = first;
    for (std::int64_t frame = 1; frame < facts.pixels.frames; ++frame) {
        Picture next = pattern;
        next.frame = frame;
        if (pattern.placed) {
            const double offset = listed ? offsets[static_cast<std::size_t>(frame)] - offsets.front()
                                         : facts.between * static_cast<double>(frame);
            next.position = plus(pattern.position, scaled(normal, offset));
        }
        facts.pictures.push_back(next);
    }
}

base::Status readFrames(const DataSet& set, FileFacts& facts) {
    const auto shared = sequenceItems(set, kShared);
    const auto frames = sequenceItems(set, kPerFrame);
    Groups groups{set, shared.empty() ? nullptr : &shared.front()};
    if (frames.empty()) {
        facts.pictures.push_back(readPicture(groups, facts));
        placeOldFrames(set, facts);
        return segmentationType(set).empty() ? base::Status()
                                             : readSegments(set, groups.shared, frames, facts);
    }
    if (static_cast<std::int64_t>(frames.size()) < facts.pixels.frames) {
        return base::Error{
            fmt::format("damaged: {} of {} pictures are described", frames.size(), facts.pixels.frames)};
    }
    for (std::int64_t frame = 0; frame < facts.pixels.frames; ++frame) {
        groups.frame = &frames[static_cast<std::size_t>(frame)];
        facts.pictures.push_back(readPicture(groups, facts));
        facts.pictures.back().frame = frame;
    }
    if (facts.between == 0) {
        facts.between = numberOf(groups.in(kMeasures), kBetween, "DS").value_or(0);
    }
    return segmentationType(set).empty() ? base::Status() : readSegments(set, groups.shared, frames, facts);
}

bool hasImageType(const FileFacts& facts, std::string_view word) {
    return facts.pictures.front().order.type.find(word) != std::string::npos;
}

}  // namespace

bool sameGrid(const Grid& a, const Grid& b) {
    constexpr double kCosine = 1e-3, kSpacing = 1e-3;
    if (a.columns != b.columns || a.rows != b.rows || a.oriented != b.oriented ||
        a.spacingKnown != b.spacingKnown || a.localizer != b.localizer || a.segments != b.segments) {
        return false;
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (std::abs(a.spacing[axis] - b.spacing[axis]) > kSpacing * a.spacing[axis]) {
            return false;
        }
    }
    return !a.oriented ||
           (length(minus(a.across, b.across)) < kCosine && length(minus(a.down, b.down)) < kCosine);
}

base::Result<FileFacts> describe(const OpenFile& file) {
    const DataSet& set = file.set();
    FileFacts out;
    out.seriesUid = textOf(set, kSeriesUid);
    out.instanceUid = textOf(set, kInstanceUid);
    out.description = textOf(set, kSeriesDescription);
    out.modality = textOf(set, kModality);
    out.number = wholeOf(set, kSeriesNumber, "IS").value_or(0);
    out.syntax = file.syntax.name;
    out.compressed = file.syntax.compressed();
    out.between = std::max(0.0, numberOf(set, kBetween, "DS").value_or(0));
    if (file.pixelData()) {
        out.problem = unsupportedPixels(file);
        if (!out.problem.empty()) {
            return out;
        }
    }
    const auto pixels = pixelsOf(file);
    if (!pixels) {
        return pixels.error();
    }
    out.pixels = *pixels;
    if (auto status = readFrames(set, out); !status) {
        return status.error();
    }
    if (out.pixels.monochrome1) {
        out.warnings.push_back(
            "MONOCHROME1: small values are meant to be shown bright; the values are kept as they are");
    }
    if (hasImageType(out, "VFRAME") && !unfoldVframe(set, out)) {
        out.problem =
            "holds the slices of a volume as tiles of one picture (UIH's VFRAME) and does not say where they "
            "lie; export it as one file for each slice";
    }
    if (hasImageType(out, "MOSAIC") && !unfoldMosaic(set, out)) {
        out.warnings.push_back(
            "a Siemens mosaic without the header that says where its slices lie: shown as one picture");
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
