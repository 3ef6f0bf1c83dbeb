#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/scan/reader/dicom.h"
#include "core/scan/reader/dicom_decoder.h"
#include "core/scan/reader/dicom_list.h"
#include "core/scan/reader/dicom_slices.h"
#include "core/volume/statistics.h"
#include "core/volume/visit.h"
#include "core/volume/volume_header.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader {
namespace dicom {
namespace {

using volume::Header;
using volume::VoxelType;

struct Source {
    const Looked& looked;
    const SeriesPart& part;
    const Stack& stack;

    const FileFacts& file(std::size_t i) const { return looked.files[part.pictures[i].file]; }
    const Picture& picture(std::size_t i) const { return file(i).pictures[part.pictures[i].picture]; }
};

/// Stored values where all pictures share type and rescaling, else real ones.
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

/// Fills the handover file slice by slice; at most two slices and a frame are in memory.
class Writer {
public:
    Writer(const Source& source, const std::vector<Placed>& volume, Header& header, int out,
           const ProgressSink& progress);
    base::Status run();

private:
    base::Result<std::vector<std::byte>> slice(std::size_t placed);
    base::Status put(std::int64_t slice, const std::vector<std::byte>& values);
    base::Status writeEven();
    base::Status writeUneven();
    base::Status interpolate(double from, double to, const std::vector<std::byte>& a,
                             const std::vector<std::byte>& b);
    base::Status fillBlanks();
    base::Status undecoded(std::size_t placed, const base::Error& error);

    const Source& source_;
    const std::vector<Placed>& volume_;
    Header& header_;
    int out_;
    const ProgressSink& progress_;
    std::int64_t start_;
    volume::StatisticsPass statistics_;
    std::vector<std::size_t> requestOf_;  // of each placed picture
    std::optional<FrameDecoder> decoder_;
    std::size_t decoded_ = SIZE_MAX;  // the request that frame_ answers
    std::optional<base::Result<std::vector<std::byte>>> frame_;
    std::vector<bool> written_;
    std::size_t failures_ = 0;
};

Writer::Writer(const Source& source, const std::vector<Placed>& volume, Header& header, int out,
               const ProgressSink& progress)
    : source_(source),
      volume_(volume),
      header_(header),
      out_(out),
      progress_(progress),
      start_(volume::voxelStart(header)),
      statistics_(header.type),
      written_(static_cast<std::size_t>(header.geometry.size[2]), false) {
    std::vector<FrameRequest> requests;
    for (const Placed& placed : volume_) {
        const FileFacts& file = source_.file(placed.picture);
        const std::string path = source_.looked.pathOf(file);
        const std::int64_t frame = source_.picture(placed.picture).frame;
        if (requests.empty() || requests.back().path != path || requests.back().frame != frame) {
            requests.push_back({path, frame, file.pixels, file.compressed});
        }
        requestOf_.push_back(requests.size() - 1);
    }
    decoder_.emplace(std::move(requests));
}

base::Result<std::vector<std::byte>> Writer::slice(std::size_t placed) {
    if (decoded_ != requestOf_[placed]) {
        decoded_ = requestOf_[placed];
        frame_ = decoder_->frame(decoded_);
    }
    progress_("decoding", static_cast<double>(placed + 1) / static_cast<double>(volume_.size()));
    if (!frame_->ok()) {
        return frame_->error();
    }
    const std::size_t index = volume_[placed].picture;
    const Picture& picture = source_.picture(index);
    auto values = pictureValues(**frame_, source_.file(index).pixels, picture, header_.type);
    if (source_.stack.shifts.empty()) {
        return values;
    }
    const auto& size = header_.geometry.size;
    return shiftedPicture(values, header_.type, {picture.grid.columns, picture.grid.rows}, {size[0], size[1]},
                          source_.stack.shifts[index]);
}

base::Status Writer::put(std::int64_t slice, const std::vector<std::byte>& values) {
    const auto bytes = static_cast<base::Bytes>(values.size());
    statistics_.add(values.data(), bytes / volume::voxelBytes(header_.type));
    written_[static_cast<std::size_t>(slice)] = true;
    return volume::writeAt(out_, values, start_ + slice * bytes);
}

/// One file of many may fail; its slices are missing then.
base::Status Writer::undecoded(std::size_t placed, const base::Error& error) {
    const FileFacts& file = source_.file(volume_[placed].picture);
    ++failures_;
    if (source_.part.files.size() == 1) {
        return error;
    }
    if (failures_ == volume_.size()) {
        return base::Error{
            fmt::format("{}: {}, and no other picture can be decoded", file.name, error.message)};
    }
    addOnce(header_.warnings, fmt::format("{}: {}; its slice is left blank", file.name, error.message));
    return {};
}

base::Status Writer::writeEven() {
    for (std::size_t i = 0; i < volume_.size(); ++i) {
        const auto values = slice(i);
        const auto at = static_cast<std::int64_t>(volume_[i].slice);
        if (auto status = values ? put(at, *values) : undecoded(i, values.error()); !status) {
            return status;
        }
    }
    return {};
}

/// The slices between two pictures, both included.
base::Status Writer::interpolate(double from, double to, const std::vector<std::byte>& a,
                                 const std::vector<std::byte>& b) {
    constexpr double kReach = 2.5, kRounding = 1e-9;
    const auto last = std::min(static_cast<std::int64_t>(std::floor(to + kRounding)),
                               static_cast<std::int64_t>(written_.size()) - 1);
    for (auto at = static_cast<std::int64_t>(std::ceil(from - kRounding)); at <= last; ++at) {
        const double here = static_cast<double>(at);
        const bool near = to - from <= kReach || here - from < 0.5 || to - here < 0.5;
        if (!near || written_[static_cast<std::size_t>(at)]) {
            continue;
        }
        const double share = to > from ? std::clamp((here - from) / (to - from), 0.0, 1.0) : 0;
        const double used = to - from <= kReach ? share : std::round(share);
        if (auto status = put(at, between(a, b, used, header_.type)); !status) {
            return status;
        }
    }
    return {};
}

base::Status Writer::writeUneven() {
    std::vector<std::byte> before;
    double from = 0;
    for (std::size_t i = 0; i < volume_.size(); ++i) {
        auto values = slice(i);
        if (!values) {
            if (auto status = undecoded(i, values.error()); !status) {
                return status;
            }
            continue;
        }
        const double to = volume_[i].slice;
        if (before.empty()) {
            before = *values;
            from = to;
        }
        if (auto status = interpolate(from, to, before, *values); !status) {
            return status;
        }
        before = std::move(*values);
        from = to;
    }
    // The last picture may lie up to half a step before the last slice.
    return before.empty() ? base::Status() : interpolate(from, from + 0.5, before, before);
}

base::Status Writer::fillBlanks() {
    const auto& size = header_.geometry.size;
    const auto seen = statistics_.result(1, 0);
    const double lowest = header_.slope < 0 ? seen.max : seen.min;
    std::vector<std::byte> blank;
    for (std::size_t at = 0; at < written_.size(); ++at) {
        if (written_[at]) {
            continue;
        }
        if (blank.empty()) {
            blank = blankSlice(header_.type, size[0] * size[1], std::isfinite(lowest) ? lowest : 0);
        }
        if (auto status = put(static_cast<std::int64_t>(at), blank); !status) {
            return status;
        }
    }
    return {};
}

base::Status Writer::run() {
    auto status = source_.stack.uneven ? writeUneven() : writeEven();
    if (status) {
        status = fillBlanks();
    }
    if (!status) {
        return status;
    }
    const volume::Statistics result = statistics_.result(header_.slope, header_.intercept);
    header_.min = result.min;
    header_.max = result.max;
    header_.mean = result.mean;
    if (result.finite < result.total) {
        header_.warnings.push_back(fmt::format("{} of {} voxels are not finite numbers",
                                               result.total - result.finite, result.total));
    }
    return volume::writeVolumeHeader(out_, header_, start_);
}

base::Error nothingThere(const Looked& looked) {
    if (looked.folder.empty()) {
        return {looked.unread.empty() ? "holds no picture" : looked.unread.front().why};
    }
    if (looked.unread.empty()) {
        return {"the folder holds no DICOM pictures (folders inside it are not entered)"};
    }
    const Unread& first = looked.unread.front();
    return {looked.unread.size() == 1 ? fmt::format("{}: {}", first.name, first.why)
                                      : fmt::format("none of {} DICOM files can be read; {}: {}",
                                                    looked.unread.size(), first.name, first.why)};
}

base::Result<std::size_t> chooseSeries(const Looked& looked, const std::vector<SeriesPart>& parts,
                                       const std::string& wanted) {
    if (parts.empty()) {
        return nothingThere(looked);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].id == wanted || (wanted.empty() && parts.size() == 1)) {
            return i;
        }
    }
    std::string list;
    constexpr std::size_t kMostListed = 8;
    for (std::size_t i = 0; i < std::min(parts.size(), kMostListed); ++i) {
        list += fmt::format("{}{} = {}", i > 0 ? "; " : "", seriesName(looked, parts[i]), parts[i].id);
    }
    return base::Error{wanted.empty() ? fmt::format("holds {} series; choose one of: {}", parts.size(), list)
                                      : fmt::format("holds no series {}; there are: {}", wanted, list)};
}

base::Result<Header> readSeries(const Looked& looked, const std::string& series, std::int64_t volume, int out,
                                const ProgressSink& progress) {
    const auto parts = groupSeries(looked);
    const auto chosen = chooseSeries(looked, parts, series);
    if (!chosen) {
        return chosen.error();
    }
    const SeriesPart& part = parts[*chosen];
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
        if (auto status = Writer(source, pictures, header, out, progress).run(); !status) {
            return status.error();
        }
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
