#include "core/scan/reader/dicom/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/scan/reader/dicom/series.h"
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

bool readPosition(const DataSet& set, Vector& position) {
    const auto at = numbersOf(set, kPosition, "DS");
    if (at.size() != 3 ||
        std::any_of(at.begin(), at.end(), [](double mm) { return std::abs(mm) > kFarthest; })) {
        return false;
    }
    position = toRas(at, 0);
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

/// The functional groups of a picture; a missing group is replaced by the elements of the file itself.
struct Groups {
    Grid grid;  ///< orientation and spacing
    Vector position{};
    bool oriented = false, positioned = false;
    std::optional<double> temporal, acquisition, echo, bValue;
    double slope = 1, intercept = 0, between = 0;
};

using ReadGroup = void (*)(const DataSet& set, Groups& said);

/// One row for each group; each sets its part of Groups.
constexpr std::pair<Tag, ReadGroup> kGroups[] = {
    {kPlaneOrientation,
     [](const DataSet& set, Groups& said) {
         said.grid.oriented = false;
         said.grid.skew = 0;
         said.grid.across = Grid{}.across;
         said.grid.down = Grid{}.down;
         said.oriented = readOrientation(set, said.grid);
     }},
    {kPlanePosition,
     [](const DataSet& set, Groups& said) { said.positioned = readPosition(set, said.position); }},
    {kMeasures,
     [](const DataSet& set, Groups& said) {
         said.grid.spacingKnown = false;
         said.grid.spacing = Grid{}.spacing;
         readSpacing(set, kPixelSpacing, said.grid);
         said.between = numberOf(set, kBetween, "DS").value_or(0);
     }},
    {kContent,
     [](const DataSet& set, Groups& said) {
         said.temporal = numberOf(set, kFrameTemporal, "UL");
         said.acquisition = numberOf(set, kFrameAcquisition, "US");
     }},
    {kEchoGroup, [](const DataSet& set, Groups& said) { said.echo = numberOf(set, kEffectiveEcho, "FD"); }},
    {kDiffusion, [](const DataSet& set, Groups& said) { said.bValue = numberOf(set, kBValue, "FD"); }},
    {kTransformation, [](const DataSet& set, Groups& said) {
         said.slope = numberOf(set, kSlope, "DS").value_or(1);
         said.intercept = numberOf(set, kIntercept, "DS").value_or(0);
     }}};

/// Creates the pictures of a file. Elements shared by all frames are read once: a file can have 100,000
/// frames, and as many shared elements.
class PictureReader {
public:
    /// `shared`: the groups of all frames, if there are any.
    PictureReader(const DataSet& file, const DataSet* shared, FileFacts& facts) : facts_(facts) {
        for (const auto& [tag, read] : kGroups) {
            const auto items = shared == nullptr ? std::vector<DataSet>() : sequenceItems(*shared, tag);
            read(items.empty() ? file : items.front(), common_);
        }
        imager_ = readSpacing(file, kImagerSpacing, imagerGrid_);
        const auto first = [](std::optional<double> a, std::optional<double> b) { return a ? a : b; };
        const Tag siemensB = privateTag(file, 0x0019, "SIEMENS MR HEADER", 0x0C);
        order_.type = textOf(file, kImageType);
        order_.temporal = numberOf(file, kTemporal, "IS").value_or(0);
        order_.acquisition = numberOf(file, kAcquisition, "IS").value_or(0);
        order_.echo = first(numberOf(file, kEchoTime, "DS"), numberOf(file, kEcho, "IS")).value_or(0);
        order_.bValue = siemensB ? numberOf(file, siemensB, "IS").value_or(0) : 0;
        order_.trigger = numberOf(file, kTrigger, "DS").value_or(0);
        order_.instance = numberOf(file, kInstance, "IS").value_or(0);
        if (facts.modality == "RTDOSE") {
            dose_ = numberOf(file, kDoseScale, "DS").value_or(1);
        }
    }

    /// The picture of a frame without its own groups.
    Picture common() { return made(common_); }
    /// `between`: mm between slices, 0 if not given.
    Picture of(const DataSet& frame, double& between) {
        Groups said = common_;
        for (const auto& [tag, read] : kGroups) {
            if (const auto items = sequenceItems(frame, tag); !items.empty()) {
                read(items.front(), said);
            }
        }
        between = said.between;
        return made(said);
    }

private:
    Picture made(const Groups& said) {
        Picture out;
        out.grid = said.grid;
        out.grid.columns = facts_.pixels.columns;
        out.grid.rows = facts_.pixels.rows;
        out.placed = said.oriented && said.positioned;
        out.position = out.placed ? said.position : Vector{};
        if (!said.grid.spacingKnown && imager_) {
            out.grid.spacingKnown = true;
            out.grid.spacing = imagerGrid_.spacing;
            addOnce(facts_.warnings,
                    "the spacing of pixels is that at the detector; in the body it is smaller");
        }
        out.order = order_;
        out.order.temporal = said.temporal.value_or(order_.temporal);
        out.order.acquisition = said.acquisition.value_or(order_.acquisition);
        out.order.echo = said.echo.value_or(order_.echo);
        out.order.bValue = said.bValue.value_or(order_.bValue);
        out.grid.localizer = order_.type.find("LOCALIZER") != std::string::npos;
        out.slope = dose_.value_or(said.slope);
        out.intercept = said.intercept;
        if (out.slope == 0) {
            out.slope = 1;
            out.intercept = 0;
            addOnce(facts_.warnings, "the rescale slope is 0: the stored values are shown");
        }
        return out;
    }

    FileFacts& facts_;
    Groups common_;
    Grid imagerGrid_;
    bool imager_ = false;
    Order order_;  // from the file's own elements
    std::optional<double> dose_;
};

/// Positions the frames of older multi-frame objects: dose grids contain their offsets, nuclear medicine only
/// the first position.
void placeOldFrames(const DataSet& set, FileFacts& facts) {
    Picture& first = facts.pictures.front();
    if (!first.placed) {
        const auto detectors = sequenceItems(set, kDetectors);
        first.placed = !detectors.empty() && readOrientation(detectors.front(), first.grid) &&
                       readPosition(detectors.front(), first.position);
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
    const DataSet* const common = shared.empty() ? nullptr : &shared.front();
    PictureReader reader(set, common, facts);
    if (frames.empty()) {
        facts.pictures.push_back(reader.common());
        placeOldFrames(set, facts);
        return segmentationType(set).empty() ? base::Status() : readSegments(set, common, frames, facts);
    }
    if (static_cast<std::int64_t>(frames.size()) < facts.pixels.frames) {
        return base::Error{
            fmt::format("damaged: {} of {} pictures are described", frames.size(), facts.pixels.frames)};
    }
    double between = 0;
    for (std::int64_t frame = 0; frame < facts.pixels.frames; ++frame) {
        facts.pictures.push_back(reader.of(frames[static_cast<std::size_t>(frame)], between));
        facts.pictures.back().frame = frame;
    }
    if (facts.between == 0) {
        facts.between = between;  // of the last one
    }
    return segmentationType(set).empty() ? base::Status() : readSegments(set, common, frames, facts);
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
    out.pixels = HIGHWATER_TRY(pixelsOf(file));
    HIGHWATER_TRY(readFrames(set, out));
    if (out.pixels.monochrome1) {
        out.warnings.push_back(
            "MONOCHROME1: small values are meant to be shown bright; the values are not changed");
    }
    if (hasImageType(out, "VFRAME") && !unfoldVframe(set, out)) {
        out.problem =
            "holds the slices of a volume as tiles of one picture (UIH's VFRAME) and does not give their "
            "positions; export it as one file for each slice";
    }
    if (hasImageType(out, "MOSAIC") && !unfoldMosaic(set, out)) {
        out.warnings.push_back(
            "a Siemens mosaic without the header that gives its slices' positions: shown as one picture");
    }
    return out;
}

}  // namespace highwater::scan::reader::dicom
