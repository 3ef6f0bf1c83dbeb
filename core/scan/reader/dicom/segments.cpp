#include <fmt/format.h>

#include "core/scan/reader/dicom/facts.h"
#include "core/scan/reader/dicom/values.h"

/// Segmentations (PS3.3, A.51 and C.8.20): a binary one has a picture for each segment and position, a label
/// map one for each position.
namespace highwater::scan::reader::dicom {
namespace {

constexpr Tag kSegmentationType = 0x00620001, kSegments = 0x00620002, kSegmentNumber = 0x00620004;
constexpr Tag kIdentification = 0x0062000A, kReferenced = 0x0062000B, kFullValue = 0x0062000E;

/// Returns the segment that a functional group names; 0 if it names none.
std::int64_t segmentOf(const DataSet* group) {
    const auto items = group ? sequenceItems(*group, kIdentification) : std::vector<DataSet>();
    return items.empty() ? 0 : wholeOf(items.front(), kReferenced, "US").value_or(0);
}

}  // namespace

std::string segmentationType(const DataSet& set) {
    return textOf(set, kSegmentationType);
}

base::Status readSegments(const DataSet& set, const DataSet* shared, const std::vector<DataSet>& frames,
                          FileFacts& facts) {
    const std::string type = segmentationType(set);
    const auto segments = sequenceItems(set, kSegments);
    for (Picture& picture : facts.pictures) {
        picture.grid.segments = true;
    }
    if (type == "LABELMAP") {
        return {};
    }
    if (type == "FRACTIONAL") {
        if (segments.size() > 1) {
            facts.problem = fmt::format(
                "holds fractions of {} segments, which are not labels; save them as a binary segmentation",
                segments.size());
            return {};
        }
        const double full = numberOf(set, kFullValue, "US").value_or(0);
        for (Picture& picture : facts.pictures) {
            picture.slope = full > 0 ? 1 / full : 1;
        }
        return {};
    }
    if (type != "BINARY") {
        facts.problem = fmt::format(
            "holds a segmentation of the type {}; Highwater reads BINARY, LABELMAP and FRACTIONAL", type);
        return {};
    }
    const std::int64_t only =
        segments.size() == 1 ? wholeOf(segments.front(), kSegmentNumber, "US").value_or(1) : 0;
    for (Picture& picture : facts.pictures) {
        const auto frame = static_cast<std::size_t>(picture.frame);
        const std::int64_t own = frame < frames.size() ? segmentOf(&frames[frame]) : 0;
        const std::int64_t common = own > 0 ? own : segmentOf(shared);
        picture.segment = common > 0 ? common : only;
        if (picture.segment < 1 || picture.segment > 65535) {
            return base::Error{
                fmt::format("damaged: picture {} of the segmentation does not say its segment", frame + 1)};
        }
    }
    return {};
}

}  // namespace highwater::scan::reader::dicom
