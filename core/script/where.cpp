#include "core/script/where.h"

#include <algorithm>

#include "core/memory/caching_allocator.h"

namespace highwater::script {

std::vector<ScriptFit> whereItFits(const memory::Trace& trace,
                                   const std::vector<predict::DeviceProfile>& profiles, base::Bytes others) {
    std::vector<ScriptFit> fits;
    for (const predict::DeviceProfile& profile : profiles) {
        ScriptFit fit{profile, false, 0, 0};
        const base::Bytes left = std::max<base::Bytes>(0, profile.memory - profile.context.expected - others);
        auto allocator = memory::CachingAllocator::create({}, {profile.memory, left, {}});
        if (!allocator) {
            continue;
        }
        std::vector<memory::BlockIndex> blocks(trace.blocks.size(), memory::kNoBlock);
        const auto give = [&](std::uint32_t block) {
            const base::Bytes bytes = trace.blocks[block].bytes;
            const auto made = bytes > 0 ? allocator->allocate(bytes) : std::nullopt;
            blocks[block] = made.value_or(memory::kNoBlock);
            fit.refused = bytes > 0 && !made ? bytes : 0;
            return fit.refused == 0;
        };
        fit.fits = std::ranges::all_of(trace.alive, [&](const auto& each) { return give(each.block); });
        for (std::size_t i = 0; fit.fits && i < trace.events.size(); ++i) {
            const memory::TraceEvent& event = trace.events[i];
            if (event.kind == memory::TraceEvent::Kind::Allocate) {
                fit.fits = give(event.block);
            } else if (event.kind == memory::TraceEvent::Kind::Free &&
                       blocks[event.block] != memory::kNoBlock) {
                allocator->free(blocks[event.block]);
                blocks[event.block] = memory::kNoBlock;
            }
        }
        fit.reserved = allocator->stats().all.reservedBytes.peak;
        fits.push_back(std::move(fit));
    }
    return fits;
}

}  // namespace highwater::script
