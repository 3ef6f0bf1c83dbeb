// Loaded into a program (LD_PRELOAD), this makes one write below a folder fail as on a full disk, or one read
// or write block as with an unresponsive file server.
//
// HIGHWATER_FULL_DISK: the folder. HIGHWATER_FULL_DISK_COUNT: a file of 8 KiB, in which all processes count
// together (8 bytes), followed by the path of the write that failed. HIGHWATER_FULL_DISK_AT: which write
// fails, counted from 1. HIGHWATER_FULL_DISK_FROM: if set, all writes from that one on fail.
// HIGHWATER_FULL_DISK_EXCEPT: files whose path contains this text are not counted; HIGHWATER_FULL_DISK_ONLY:
// only these are counted. HIGHWATER_STALL_MS: nothing fails; the write that would have takes this long
// instead, and reads are counted too.
#ifdef _FILE_OFFSET_BITS
#undef _FILE_OFFSET_BITS
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr std::size_t kShared = 8192;

struct Plan {
    char folder[PATH_MAX] = "";
    std::atomic<std::uint64_t>* count = nullptr;
    std::uint64_t at = 0;
    bool from = false;
    const char *except = nullptr, *only = nullptr;
    long stall = 0;  ///< milliseconds

    Plan() {
        const char* named = std::getenv("HIGHWATER_FULL_DISK");
        const char* counter = std::getenv("HIGHWATER_FULL_DISK_COUNT");
        const char* which = std::getenv("HIGHWATER_FULL_DISK_AT");
        if (named == nullptr || counter == nullptr || which == nullptr ||
            ::realpath(named, folder) == nullptr) {
            return;
        }
        using Open = int (*)(const char*, int, ...);
        const int fd = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "open"))(counter, O_RDWR | O_CLOEXEC);
        void* const shared =
            fd < 0 ? MAP_FAILED : ::mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0) {
            ::close(fd);
        }
        if (shared != MAP_FAILED) {
            count = static_cast<std::atomic<std::uint64_t>*>(shared);
            at = std::strtoull(which, nullptr, 10);
            from = std::getenv("HIGHWATER_FULL_DISK_FROM") != nullptr;
            except = std::getenv("HIGHWATER_FULL_DISK_EXCEPT");
            only = std::getenv("HIGHWATER_FULL_DISK_ONLY");
            const char* wait = std::getenv("HIGHWATER_STALL_MS");
            stall = wait == nullptr ? 0 : std::strtol(wait, nullptr, 10);
        }
    }
};

const Plan& plan() {
    static const Plan made;
    return made;
}

bool below(const char* path) {
    const std::size_t length = std::strlen(plan().folder);
    return length > 0 && std::strncmp(path, plan().folder, length) == 0 &&
           (path[length] == '/' || path[length] == '\0');
}

/// Not interrupted by signals that the program handles, like a wait for a file server in the kernel.
void stallNow() {
    timespec left{plan().stall / 1000, plan().stall % 1000 * 1'000'000};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/// Whether this is the write that fails; `path` may be relative.
bool failsAt(const char* path) {
    if (plan().count == nullptr || path == nullptr) {
        return false;
    }
    char whole[2 * PATH_MAX];
    if (path[0] != '/') {
        if (::getcwd(whole, PATH_MAX) == nullptr) {
            return false;
        }
        std::strncat(whole, "/", 2);
        std::strncat(whole, path, PATH_MAX - 2);
        path = whole;
    }
    if (!below(path) || (plan().except != nullptr && std::strstr(path, plan().except) != nullptr) ||
        (plan().only != nullptr && std::strstr(path, plan().only) == nullptr)) {
        return false;
    }
    const std::uint64_t number = plan().count->fetch_add(1) + 1;
    if (number == plan().at || (plan().from && number > plan().at)) {
        if (number == plan().at) {
            std::snprintf(reinterpret_cast<char*>(plan().count + 1), PATH_MAX, "%s", path);
        }
        if (plan().stall > 0) {
            stallNow();
            return false;
        }
        errno = ENOSPC;
        return true;
    }
    return false;
}

bool failsAt(int fd) {
    if (plan().count == nullptr) {
        return false;
    }
    char link[64], path[PATH_MAX];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = ::readlink(link, path, sizeof path - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    return failsAt(path);
}

template <class Function>
Function next(Function, const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// A read blocks, but does not fail.
template <class File>
void waitsAt(File file) {
    if (plan().stall > 0) {
        (void)failsAt(file);
    }
}

/// An existing file can be opened without free space.
bool isNew(const char* path) {
    return ::access(path, F_OK) != 0;
}

/// Checks of whether a folder is writable do not count; only its files do.
bool isFolder(int fd) {
    struct stat facts{};
    return ::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode);
}

}  // namespace

extern "C" {

#define FAILS_BY_DESCRIPTOR(type, name, parameters, arguments)  \
    type name parameters {                                      \
        return failsAt(fd) ? -1 : next(&name, #name) arguments; \
    }
#define WAITS_BY_DESCRIPTOR(name, parameters, arguments) \
    ssize_t name parameters {                            \
        waitsAt(fd);                                     \
        return next(&name, #name) arguments;             \
    }
#define FAILS_BY_PATH(type, name, parameters, arguments, failed)      \
    type name parameters {                                            \
        return failsAt(path) ? failed : next(&name, #name) arguments; \
    }
#define FAILS_TO_OPEN(name)                                                  \
    int name(const char* path, int flags, ...) {                             \
        va_list rest;                                                        \
        va_start(rest, flags);                                               \
        const auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                        \
        if ((flags & O_CREAT) == 0) {                                        \
            waitsAt(path);                                                   \
        } else if (isNew(path) && failsAt(path)) {                           \
            return -1;                                                       \
        }                                                                    \
        return next(&name, #name)(path, flags, mode);                        \
    }
#define FAILS_TO_OPEN_STREAM(name)                                                                        \
    FILE* name(const char* path, const char* mode) {                                                      \
        return mode[0] != 'r' && isNew(path) && failsAt(path) ? nullptr : next(&name, #name)(path, mode); \
    }

WAITS_BY_DESCRIPTOR(read, (int fd, void* bytes, size_t size), (fd, bytes, size))
WAITS_BY_DESCRIPTOR(pread, (int fd, void* bytes, size_t size, off_t at), (fd, bytes, size, at))
WAITS_BY_DESCRIPTOR(pread64, (int fd, void* bytes, size_t size, off64_t at), (fd, bytes, size, at))
FAILS_BY_DESCRIPTOR(ssize_t, write, (int fd, const void* bytes, size_t size), (fd, bytes, size))
FAILS_BY_DESCRIPTOR(ssize_t, pwrite, (int fd, const void* bytes, size_t size, off_t at),
                    (fd, bytes, size, at))
FAILS_BY_DESCRIPTOR(ssize_t, pwrite64, (int fd, const void* bytes, size_t size, off64_t at),
                    (fd, bytes, size, at))
FAILS_BY_DESCRIPTOR(ssize_t, writev, (int fd, const iovec* parts, int count), (fd, parts, count))
FAILS_BY_DESCRIPTOR(int, ftruncate, (int fd, off_t size) noexcept, (fd, size))
FAILS_BY_DESCRIPTOR(int, ftruncate64, (int fd, off64_t size) noexcept, (fd, size))
FAILS_BY_PATH(int, mkdir, (const char* path, mode_t mode) noexcept, (path, mode), -1)
FAILS_BY_PATH(int, mkstemp, (char* path), (path), -1)
FAILS_BY_PATH(int, mkstemp64, (char* path), (path), -1)
FAILS_BY_PATH(int, mkostemp, (char* path, int flags), (path, flags), -1)
FAILS_BY_PATH(int, mkostemp64, (char* path, int flags), (path, flags), -1)
FAILS_TO_OPEN(open)
FAILS_TO_OPEN(open64)
FAILS_TO_OPEN_STREAM(fopen)
FAILS_TO_OPEN_STREAM(fopen64)

int fdatasync(int fd) {
    return !isFolder(fd) && failsAt(fd) ? -1 : next(&fdatasync, "fdatasync")(fd);
}
int fsync(int fd) {
    return !isFolder(fd) && failsAt(fd) ? -1 : next(&fsync, "fsync")(fd);
}
int rename(const char* from, const char* path) noexcept {
    return failsAt(path) ? -1 : next(&rename, "rename")(from, path);
}

}  // extern "C"
