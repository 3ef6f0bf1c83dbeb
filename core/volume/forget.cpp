#include "core/volume/forget.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace highwater::volume {
namespace {

base::Bytes bytesOf(const Volume& volume) {
    return volume.geometry().voxels() * voxelBytes(volume.header().type);
}

}  // namespace

void forgetVoxels(const Volume& volume, base::Bytes begin, base::Bytes end) {
    if (volume.empty() || volume.fd() < 0 || begin < 0 || begin >= end || end > bytesOf(volume)) {
        return;
    }
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<std::uintptr_t>(volume.data());
    const std::uintptr_t from = (start + static_cast<std::uintptr_t>(begin)) / page * page;
    const std::uintptr_t to = (start + static_cast<std::uintptr_t>(end)) / page * page;
    if (to > from) {
        // For a file's mapping, this drops page table entries but no data.
        madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
}

void forgetVoxels(const Volume& volume) {
    if (!volume.empty()) {
        forgetVoxels(volume, 0, bytesOf(volume));
    }
}

}  // namespace highwater::volume
