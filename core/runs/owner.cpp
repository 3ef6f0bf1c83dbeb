#include "core/runs/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/file.h"

namespace highwater::runs {

namespace {

struct ProcessFacts {
    char state = '?';
    std::int64_t start = 0;
};

/// Reads fields 3 and 22 of /proc/PID/stat. The second field, the program's name, may contain spaces and
/// brackets.
std::optional<ProcessFacts> factsOf(std::int64_t pid) {
    const auto text = base::readFile(fmt::format("/proc/{}/stat", pid));
    if (!text) {
        return {};
    }
    std::size_t at = text->rfind(')');
    if (at == std::string::npos || at + 2 >= text->size()) {
        return {};
    }
    at += 2;
    ProcessFacts facts{(*text)[at], 0};
    for (int field = 3; field < 22; ++field) {
        at = text->find(' ', at);
        if (at == std::string::npos) {
            return {};
        }
        ++at;
    }
    std::from_chars(text->data() + at, text->data() + text->size(), facts.start);
    return facts;
}

std::string bootId() {
    auto text = base::readFile("/proc/sys/kernel/random/boot_id");
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

Owner thisProcess(std::string role) {
    const auto facts = factsOf(::getpid());
    return {std::move(role), ::getpid(), facts ? facts->start : 0, bootId(), hostName()};
}

Life lifeOf(const Owner& owner) {
    if (owner.host != hostName()) {
        return Life::Unknown;
    }
    if (owner.boot != bootId() || owner.pid <= 0) {
        return Life::Gone;
    }
    const auto facts = factsOf(owner.pid);
    const bool same = facts && facts->start == owner.start;
    const bool ended = facts && (facts->state == 'Z' || facts->state == 'X');
    return same && !ended ? Life::Alive : Life::Gone;
}

}  // namespace highwater::runs
