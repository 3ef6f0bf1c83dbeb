#include "core/volume/write_volume.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/text.h"
#include "core/volume/handover.h"
#include "core/volume/volume_header.h"

namespace highwater::volume {
namespace {

base::Error systemError(std::string_view what) {
    return {fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string temporaryFolder() {
    const char* folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

}  // namespace

base::Bytes voxelStart(const Header& header, base::Bytes room) {
    const auto text = static_cast<base::Bytes>(base::jsonText(toJson(header)).size());
    return roundToPage(kHandoverPrefix + text + room);
}

base::Status writeAt(int fd, std::span<const std::byte> bytes, base::Bytes offset) {
    while (!bytes.empty()) {
        const ssize_t wrote = pwrite(fd, bytes.data(), bytes.size(), offset);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return systemError("the voxels cannot be written");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
        offset += wrote;
    }
    return {};
}

base::Status writeVolumeHeader(int fd, const Header& header, base::Bytes start) {
    std::string text = base::jsonText(toJson(header));
    const auto room = static_cast<std::size_t>(start - kHandoverPrefix);
    if (text.size() > room) {
        return base::Error{"the header has too many warnings"};
    }
    // Pads with spaces, so that the header's end, rounded up to a page, is `start`.
    text.resize(room, ' ');
    const std::uint64_t length = text.size();
    std::string prefix(kHandoverMagic);
    prefix.append(reinterpret_cast<const char*>(&length), sizeof(length));
    HIGHWATER_TRY(writeAt(fd, std::as_bytes(std::span(text)), kHandoverPrefix));
    return writeAt(fd, std::as_bytes(std::span(prefix)), 0);
}

base::Status writeVolume(int fd, const Volume& volume) {
    const auto bytes = volumeBytes(volume.header());
    if (!bytes || volume.empty()) {
        return base::Error{"there is no volume to write"};
    }
    const base::Bytes start = voxelStart(volume.header());
    HIGHWATER_TRY(writeAt(fd, {volume.data(), static_cast<std::size_t>(*bytes)}, start));
    return writeVolumeHeader(fd, volume.header(), start);
}

base::Status writeVolumeFile(const std::filesystem::path& path, const Volume& volume) {
    std::string beside = path.string() + ".XXXXXX";
    const int fd = mkostemp(beside.data(), O_CLOEXEC);
    if (fd < 0) {
        return base::Error{fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno))};
    }
    base::Status status = writeVolume(fd, volume);
    if (status && fchmod(fd, 0644) != 0) {
        status = systemError("cannot be written");
    }
    if (close(fd) != 0 && status) {  // network file systems may only report errors here
        status = systemError("cannot be written");
    }
    if (status && std::rename(beside.c_str(), path.c_str()) != 0) {
        status = systemError("cannot be written");
    }
    if (!status) {
        unlink(beside.c_str());
        return base::Error{fmt::format("{}: {}", path.string(), status.error().message)};
    }
    return {};
}

base::Status checkTemporaryRoom(std::string_view what, base::Bytes needed, std::optional<base::Bytes> room) {
    const std::string folder = temporaryFolder();
    if (!room) {
        std::error_code unknown;
        const auto space = std::filesystem::space(folder, unknown);
        if (unknown) {
            return {};
        }
        room = static_cast<base::Bytes>(space.available);
    }
    if (needed <= *room) {
        return {};
    }
    return base::Error{
        fmt::format("{} about {} in {}, which has {} free; make room, or start with TMPDIR set to a "
                    "folder with more",
                    what, base::formatBytes(needed), folder, base::formatBytes(*room))};
}

base::Result<int> temporaryFile() {
    const std::string folder = temporaryFolder();
    std::string path = folder + "/highwater-XXXXXX";
    const int fd = mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) {
        return systemError(fmt::format("no temporary file can be made in {}", folder));
    }
    unlink(path.c_str());
    return fd;
}

}  // namespace highwater::volume
