#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace highwater::test {

/// A folder on a disk that becomes full on request, for this process and those that it starts, using
/// tests/e2e/full_disk.cpp, which main.cpp loads before this program.
class FullDisk {
public:
    static constexpr std::uint64_t kAt = 1'000'000;  ///< more writes than a test makes

    static std::filesystem::path folder() { return std::getenv("HIGHWATER_FULL_DISK"); }

    FullDisk() {
        const int fd = ::open(std::getenv("HIGHWATER_FULL_DISK_COUNT"), O_RDWR | O_CLOEXEC);
        void* const at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        if (at == MAP_FAILED) {
            throw std::runtime_error("the file that counts cannot be mapped");
        }
        count_ = static_cast<std::atomic<std::uint64_t>*>(at);
        room();
    }
    ~FullDisk() { ::munmap(count_, kBytes); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    /// The n-th write from now on fails, n from 1 on.
    void failAt(std::uint64_t n) {
        *path() = '\0';
        *count_ = kAt - n;
    }
    /// No write fails from now on. Returns the path of the one that did; empty if there were fewer writes.
    std::string room() {
        *count_ = kAt;
        return path();
    }

private:
    static constexpr std::size_t kBytes = 8192;
    char* path() { return reinterpret_cast<char*>(count_ + 1); }
    std::atomic<std::uint64_t>* count_ = nullptr;
};

}  // namespace highwater::test
