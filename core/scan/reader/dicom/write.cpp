#include "core/scan/reader/dicom/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "core/scan/reader/dicom/decoder.h"
#include "core/scan/reader/dicom/slices.h"
#include "core/scan/reader/raw/convert.h"
#include "core/volume/statistics.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader::dicom {
namespace {

using volume::Header;

constexpr base::Bytes kWarning = base::kKiB;  // maximum size of one warning in the header

/// Returns the room for warnings about files that cannot be decoded.
base::Bytes roomFor(const Source& source) {
    return 8 * base::kKiB +
           kWarning * static_cast<base::Bytes>(std::min(source.part.files.size(), kMostWarnings));
}

class Writer {
public:
    Writer(const Source& source, const std::vector<Placed>& volume, Header& header, int out,
           const ProgressSink& progress);
    base::Status run();

private:
    base::Result<std::vector<std::byte>> slice(std::size_t placed);
    base::Status put(std::int64_t slice, const std::vector<std::byte>& values);
    base::Status writeEven();
    base::Status writeSegments();
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
    std::vector<std::size_t> requestOf_;  // request number of each placed picture
    std::optional<FrameDecoder> decoder_;
    std::size_t decoded_ = SIZE_MAX;  // the request whose result is in frame_
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
      start_(volume::voxelStart(header, roomFor(source))),
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

/// If one file of many cannot be decoded, its slices are blank.
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
        HIGHWATER_TRY(values ? put(at, *values) : undecoded(i, values.error()));
    }
    return {};
}

/// Merges the pictures of a slice, in the order of their segments.
base::Status Writer::writeSegments() {
    const auto& size = header_.geometry.size;
    const auto bytes = static_cast<std::size_t>(size[0] * size[1] * volume::voxelBytes(header_.type));
    std::vector<std::byte> labels(bytes);
    std::int64_t overlaps = 0;
    for (std::size_t i = 0; i < volume_.size(); ++i) {
        const auto mask = slice(i);
        if (mask) {
            overlaps += addSegment(labels, *mask, header_.type, source_.picture(volume_[i].picture).segment);
        } else if (auto status = undecoded(i, mask.error()); !status) {
            return status;
        }
        if (i + 1 == volume_.size() || volume_[i + 1].slice != volume_[i].slice) {
            HIGHWATER_TRY(put(static_cast<std::int64_t>(volume_[i].slice), labels));
            labels.assign(bytes, std::byte{0});
        }
    }
    if (overlaps > 0) {
        addOnce(header_.warnings,
                fmt::format("segments overlap: {} in several of them {} the highest of their numbers",
                            base::counted(overlaps, "voxel"), overlaps == 1 ? "has" : "have"));
    }
    return {};
}

/// Writes the slices between two pictures, including both ends.
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
        HIGHWATER_TRY(put(at, between(a, b, used, header_.type)));
    }
    return {};
}

base::Status Writer::writeUneven() {
    std::vector<std::byte> before;
    double from = 0;
    for (std::size_t i = 0; i < volume_.size(); ++i) {
        auto values = slice(i);
        if (!values) {
            HIGHWATER_TRY(undecoded(i, values.error()));
            continue;
        }
        const double to = volume_[i].slice;
        if (before.empty()) {
            before = *values;
            from = to;
        }
        HIGHWATER_TRY(interpolate(from, to, before, *values));
        before = std::move(*values);
        from = to;
    }
    // The last picture may be up to half a step before the last slice.
    return before.empty() ? base::Status() : interpolate(from, from + 0.5, before, before);
}

base::Status Writer::fillBlanks() {
    const auto& size = header_.geometry.size;
    const auto seen = statistics_.result(1, 0);
    const bool segments = source_.picture(0).grid.segments;
    const double lowest = segments ? 0 : header_.slope < 0 ? seen.max : seen.min;
    std::vector<std::byte> blank;
    for (std::size_t at = 0; at < written_.size(); ++at) {
        if (written_[at]) {
            continue;
        }
        if (blank.empty()) {
            blank = blankSlice(header_.type, size[0] * size[1], std::isfinite(lowest) ? lowest : 0);
        }
        HIGHWATER_TRY(put(static_cast<std::int64_t>(at), blank));
    }
    return {};
}

base::Status Writer::run() {
    auto status = source_.stack.uneven                                   ? writeUneven()
                  : source_.picture(volume_.front().picture).segment > 0 ? writeSegments()
                                                                         : writeEven();
    if (status) {
        status = fillBlanks();
    }
    if (!status) {
        return status;
    }
    recordStatistics(statistics_, header_);
    return volume::writeVolumeHeader(out_, header_, start_);
}

}  // namespace

base::Status writePictures(const Source& source, const std::vector<Placed>& volume, Header& header, int out,
                           const ProgressSink& progress) {
    return Writer(source, volume, header, out, progress).run();
}

}  // namespace highwater::scan::reader::dicom
