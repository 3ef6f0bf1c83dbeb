#include "core/base/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace highwater::base {
namespace {

std::size_t openNow() {
    constexpr std::size_t kWhereUnknown = 256;
    std::error_code error;
    std::size_t count = 0;
    for (auto at = std::filesystem::directory_iterator("/proc/self/fd", error);
         !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        ++count;
    }
    return error ? kWhereUnknown : count;
}

}  // namespace

Status allowOpenFiles(std::size_t more) {
    constexpr std::size_t kReserve = 64;  // for pipes, the libraries' files, and whatever else is opened
                                          // later
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return Error{fmt::format("the limit of open files is unknown: {}", std::strerror(errno))};
    }
    const auto wanted = static_cast<rlim_t>(openNow() + more + kReserve);
    if (limit.rlim_cur >= wanted) {
        return {};
    }
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted) {
        return Error{
            fmt::format("{} open files are needed, and this system allows a process {}; raise its hard "
                        "limit (ulimit -Hn)",
                        wanted, limit.rlim_max)};
    }
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return Error{fmt::format("{} open files are needed: {}", wanted, std::strerror(errno))};
    }
    return {};
}

}  // namespace highwater::base
