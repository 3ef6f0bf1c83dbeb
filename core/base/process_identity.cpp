#include "core/base/process_identity.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/base/file.h"

namespace highwater::base {

namespace {

/// PF_EXITING in the kernel's include/linux/sched.h: it was killed or has returned, and the kernel is tearing
/// it down. Its memory and files may be gone before it is a zombie.
constexpr std::int64_t kExiting = 4;

struct ProcessFacts {
    char state = '?';
    std::int64_t flags = 0, start = 0;
};

/// Reads fields 3, 9 and 22 of /proc/PID/stat. The second field, the program's name, may contain spaces and
/// brackets.
std::optional<ProcessFacts> factsOf(std::int64_t pid) {
    const auto text = readFile(fmt::format("/proc/{}/stat", pid));
    if (!text) {
        return {};
    }
    std::size_t at = text->rfind(')');
    if (at == std::string::npos || at + 2 >= text->size()) {
        return {};
    }
    at += 2;
    ProcessFacts facts;
    facts.state = (*text)[at];
    for (int field = 3; field < 22; ++field) {
        at = text->find(' ', at);
        if (at == std::string::npos) {
            return {};
        }
        ++at;
        if (field + 1 == 9) {
            std::from_chars(text->data() + at, text->data() + text->size(), facts.flags);
        }
    }
    std::from_chars(text->data() + at, text->data() + text->size(), facts.start);
    return facts;
}

std::string bootId() {
    auto text = readFile("/proc/sys/kernel/random/boot_id");
    if (!text) {
        return {};
    }
    return text->substr(0, text->find('\n'));
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

ProcessIdentity thisProcess() {
    return identityOf(::getpid());
}

ProcessIdentity identityOf(std::int64_t pid) {
    const auto facts = factsOf(pid);
    return {pid, facts ? facts->start : 0, bootId(), hostName()};
}

Life lifeOf(const ProcessIdentity& identity) {
    if (identity.host != hostName()) {
        return Life::Unknown;
    }
    if (identity.boot != bootId() || identity.pid <= 0) {
        return Life::Gone;
    }
    const auto facts = factsOf(identity.pid);
    const bool same = facts && facts->start == identity.start;
    const bool ended =
        facts && (facts->state == 'Z' || facts->state == 'X' || (facts->flags & kExiting) != 0);
    return same && !ended ? Life::Alive : Life::Gone;
}

Result<HeldProcess> HeldProcess::hold(const ProcessIdentity& identity) {
    const auto cannot = [&](const char* why) {
        return Error{fmt::format("process {} cannot be followed: {}", identity.pid, why)};
    };
    if (lifeOf(identity) == Life::Unknown) {
        return cannot("it is on another machine");
    }
    Descriptor held(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(identity.pid), 0U)));
    const int error = errno;
    if (held.get() < 0 && error != ESRCH && error != EINVAL) {
        return cannot(std::strerror(error));
    }
    // Compared while the process is held: from here on the id cannot be reused for another process.
    if (held.get() < 0 || lifeOf(identity) != Life::Alive) {
        return Error{fmt::format("process {} has ended", identity.pid)};
    }
    return HeldProcess(std::move(held));
}

bool HeldProcess::ended() const {
    pollfd end{descriptor_.get(), POLLIN, 0};
    return ::poll(&end, 1, 0) > 0;
}

void HeldProcess::send(int signal) const {
    ::syscall(SYS_pidfd_send_signal, descriptor_.get(), signal, nullptr, 0U);
}

}  // namespace highwater::base
