#include "core/base/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/processor.h"
#include "core/base/text.h"

namespace highwater::base {

namespace {

Bytes mostOf(Bytes fileBytes, int share) {
    static const Bytes machine = machineMemory();
    constexpr Bytes kLargest = std::numeric_limits<Bytes>::max() / MemoryBudget::kFactor;
    const Bytes wanted = MemoryBudget::kFactor * std::clamp<Bytes>(fileBytes, 0, kLargest);
    return std::max(MemoryBudget::kFloor, std::min(wanted, machine / share));
}

}  // namespace

MemoryBudget::MemoryBudget(Bytes fileBytes, int share)
    : most_(mostOf(fileBytes, share)), left_(static_cast<std::size_t>(most_)) {}

Error MemoryBudget::error() const {
    return Error{fmt::format("would take more than {} of memory, which is more than a file of its size may",
                             formatBytes(most_))};
}

}  // namespace highwater::base
