#include <array>

#include "core/wire/events.h"

namespace highwater::wire {

namespace {

constexpr std::array<std::string_view, 5> kStatuses = {"running", "done", "cancelled", "out_of_memory",
                                                       "failed"};
constexpr std::array<std::string_view, 6> kPhases = {"setup",     "data",     "forward",
                                                     "recompute", "backward", "optimizer"};

template <class Enum, std::size_t N>
std::optional<Enum> fromKey(const std::array<std::string_view, N>& keys, std::string_view key) {
    for (std::size_t i = 0; i < N; ++i)
        if (keys[i] == key)
            return static_cast<Enum>(i);
    return {};
}

}  // namespace

std::string_view statusKey(RunStatus status) {
    return kStatuses[static_cast<std::size_t>(status)];
}
std::optional<RunStatus> statusFromKey(std::string_view key) {
    return fromKey<RunStatus>(kStatuses, key);
}
std::string_view phaseKey(Phase phase) {
    return kPhases[static_cast<std::size_t>(phase)];
}
std::optional<Phase> phaseFromKey(std::string_view key) {
    return fromKey<Phase>(kPhases, key);
}

}  // namespace highwater::wire
