#include <array>

#include "core/wire/events.h"

namespace highwater::wire {

namespace {

constexpr std::array<std::string_view, 5> kStatuses = {"running", "done", "cancelled", "out_of_memory",
                                                       "failed"};

}  // namespace

std::string_view statusKey(RunStatus status) {
    return kStatuses[static_cast<std::size_t>(status)];
}
std::optional<RunStatus> statusFromKey(std::string_view key) {
    for (std::size_t i = 0; i < kStatuses.size(); ++i) {
        if (kStatuses[i] == key) {
            return static_cast<RunStatus>(i);
        }
    }
    return {};
}

}  // namespace highwater::wire
