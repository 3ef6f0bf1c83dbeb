#include "app/host/volumes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/host/place.h"
#include "core/base/text.h"
#include "core/hosts/digest.h"

namespace highwater::host_app {

namespace fs = std::filesystem;

namespace {

constexpr base::Bytes kMostKept = 32 * base::kGiB;

fs::path partOf(const hosts::VolumeKey& volume) {
    return volumesFolder() / (volume.sha256 + ".part");
}

base::Error volumeError(const fs::path& path) {
    return {fmt::format("{}: {}", path.string(), std::strerror(errno))};
}

}  // namespace

fs::path volumesFolder() {
    return runsFolder().parent_path() / "volumes";
}

base::Bytes mostKept() {
    const char* named = std::getenv("HIGHWATER_HOST_KEEPS");
    const auto bytes = base::parseBytes(named ? named : "");
    return bytes ? *bytes : kMostKept;
}

fs::path volumeFile(const fs::path& folder, std::size_t number) {
    return folder / fmt::format("volume-{}", number);
}

bool isHere(const hosts::VolumeKey& volume) {
    std::error_code error;
    const fs::path path = volumesFolder() / volume.sha256;
    const bool here = static_cast<base::Bytes>(fs::file_size(path, error)) == volume.bytes && !error;
    if (here) {
        fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    }
    return here;
}

bool Arrival::open(const hosts::VolumeKey& volume) {
    volume_ = volume;
    std::error_code ignored;
    fs::create_directories(volumesFolder(), ignored);
    file_ = base::Descriptor(::open(partOf(volume).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file_.get() >= 0 && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        return false;
    }
    struct stat facts{};
    have_ = ::fstat(file_.get(), &facts) == 0 ? facts.st_size : 0;
    if (have_ > volume.bytes && ::ftruncate(file_.get(), 0) == 0) {
        have_ = 0;
    }
    return true;
}

base::Status Arrival::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
        if (n > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
            have_ += n;
        } else if (n == 0 || errno != EINTR) {
            return volumeError(partOf(volume_));
        }
    }
    return {};
}

base::Status Arrival::finish(const std::function<void()>& meanwhile) {
    const auto digest = HIGHWATER_TRY(hosts::sha256Of(file_.get(), nullptr, meanwhile));
    if (digest != volume_.sha256) {
        ::unlink(partOf(volume_).c_str());
        return base::Error{"a volume arrived damaged; run it again"};
    }
    if (::rename(partOf(volume_).c_str(), (volumesFolder() / volume_.sha256).c_str()) != 0) {
        return volumeError(volumesFolder() / volume_.sha256);
    }
    return {};
}

base::Status giveVolumes(const std::vector<hosts::VolumeKey>& volumes, const fs::path& folder) {
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        const fs::path to = volumeFile(folder, i + 1);
        if (::link((volumesFolder() / volumes[i].sha256).c_str(), to.c_str()) != 0) {
            return volumeError(to);
        }
    }
    struct Kept {
        fs::file_time_type used;
        fs::path path;
        base::Bytes bytes = 0;
    };
    std::vector<Kept> kept;
    base::Bytes total = 0;
    std::error_code error;
    for (fs::directory_iterator at(volumesFolder(), error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        kept.push_back({fs::last_write_time(at->path(), ignored), at->path(),
                        static_cast<base::Bytes>(fs::file_size(at->path(), ignored))});
        total += std::max<base::Bytes>(0, kept.back().bytes);
    }
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
    for (const Kept& each : kept) {
        if (total <= mostKept()) {
            break;
        }
        std::error_code ignored;
        fs::remove(each.path, ignored);
        total -= each.bytes;
    }
    return {};
}

}  // namespace highwater::host_app
