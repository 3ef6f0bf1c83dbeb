#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/file.h"
#include "core/volume/handover.h"
#include "core/volume/volume.h"
#include "core/volume/volume_header.h"

namespace highwater::volume {
namespace {

base::Error bad(std::string_view name, std::string_view why) {
    return {fmt::format("{}: not a volume that Highwater wrote: {}", name, why)};
}

base::Result<base::Bytes> readExactly(int fd, void* out, base::Bytes bytes, base::Bytes offset) {
    base::Bytes done = 0;
    while (done < bytes) {
        const ssize_t got =
            pread(fd, static_cast<char*>(out) + done, static_cast<std::size_t>(bytes - done), offset + done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return base::Error{got == 0 ? "it ends too early" : std::strerror(errno)};
        }
        done += got;
    }
    return done;
}

/// Maps the voxels. The mapping is removed and its own descriptor closed when the last volume is destroyed.
std::shared_ptr<const std::byte> mapVoxels(int fd, base::Bytes start, base::Bytes bytes) {
    void* mapped = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, fd, start);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    return {static_cast<const std::byte*>(mapped), [fd, bytes](const std::byte* voxels) {
                munmap(const_cast<std::byte*>(voxels), static_cast<std::size_t>(bytes));
                close(fd);
            }};
}

}  // namespace

base::Result<Volume> mapVolume(int fd, std::string_view name) {
    struct stat facts{};
    if (fstat(fd, &facts) != 0) {
        return base::Error{fmt::format("{}: cannot be read: {}", name, std::strerror(errno))};
    }
    if (!S_ISREG(facts.st_mode) || facts.st_size < kHandoverPrefix) {
        return bad(name, "it is too short");
    }
    std::array<char, kHandoverPrefix> prefix{};
    if (auto read = readExactly(fd, prefix.data(), kHandoverPrefix, 0); !read) {
        return bad(name, read.error().message);
    }
    if (std::string_view(prefix.data(), kHandoverMagic.size()) != kHandoverMagic) {
        return bad(name, "it does not begin with HWVOLUM1");
    }
    std::uint64_t length = 0;
    std::memcpy(&length, prefix.data() + kHandoverMagic.size(), sizeof(length));
    const auto room = static_cast<std::uint64_t>(facts.st_size - kHandoverPrefix);
    if (length > room || length > static_cast<std::uint64_t>(kMostHeaderBytes)) {
        return bad(name, "its header is longer than the file");
    }
    std::string text(length, '\0');
    if (auto read = readExactly(fd, text.data(), static_cast<base::Bytes>(length), kHandoverPrefix); !read) {
        return bad(name, read.error().message);
    }
    auto json = HIGHWATER_TRY(base::parseJson(text, name));
    auto header = headerFromJson(json);
    if (!header) {
        return bad(name, header.error().message);
    }
    const base::Bytes start = roundToPage(kHandoverPrefix + static_cast<base::Bytes>(length));
    const base::Bytes bytes = volumeBytes(*header).value();
    if (facts.st_size < start || facts.st_size - start != bytes) {
        return bad(name, fmt::format("its header promises {} bytes of voxels, the file has {}", bytes,
                                     std::max<base::Bytes>(facts.st_size - start, 0)));
    }
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    auto voxels = own < 0 ? nullptr : mapVoxels(own, start, bytes);
    if (!voxels) {
        const base::Error error{fmt::format("{}: cannot be mapped: {}", name, std::strerror(errno))};
        if (own >= 0) {
            close(own);
        }
        return error;
    }
    return Volume(std::move(*header), std::move(voxels), own);
}

base::Result<Volume> mapVolumeFile(const std::string& path) {
    const auto file = base::openRegular(path);
    return file ? mapVolume(file->get(), path) : file.error();
}

}  // namespace highwater::volume
