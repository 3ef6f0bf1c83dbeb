#include "core/hosts/digest.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/descriptor.h"
#include "core/base/paths.h"
#include "core/base/process.h"

namespace highwater::hosts {

namespace {
constexpr std::size_t kDigits = 64;
}

bool isSha256(const std::string& text) {
    return text.size() == kDigits && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

base::Result<std::string> sha256Of(int fd, const std::atomic<bool>* cancel,
                                   const std::function<void()>& meanwhile) {
    // Reopened, so that it is read from its beginning.
    const base::Descriptor file(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
    auto pipe = base::openPipe();
    if (file.get() < 0 || !pipe) {
        return file.get() < 0 ? base::Error{fmt::format("a volume cannot be read: {}", std::strerror(errno))}
                              : pipe.error();
    }
    base::Launch launch;
    launch.program = base::programOnPath("sha256sum");
    if (launch.program.empty()) {
        return base::Error{"sha256sum is not on PATH; install coreutils"};
    }
    launch.input = file.get();
    launch.output = pipe->write.get();
    auto process = HIGHWATER_TRY(base::Process::start(launch));
    pipe->write = base::Descriptor();
    std::string said;
    const auto take = [&](std::string_view text) {
        said += text.substr(0, kDigits);
        return base::Status();
    };
    const auto look = [&](std::chrono::steady_clock::duration) {
        if (meanwhile) {
            meanwhile();
        }
        return cancel && cancel->load() ? base::Status(base::Error{"cancelled"}) : base::Status();
    };
    const auto code = HIGHWATER_TRY(process.follow(pipe->read.get(), take, look));
    said.resize(std::min(said.size(), kDigits));
    if (code != 0 || !isSha256(said)) {
        return base::Error{"sha256sum cannot read a volume"};
    }
    return said;
}

}  // namespace highwater::hosts
