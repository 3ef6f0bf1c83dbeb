#include "core/memory/sorted_blocks.h"

#include <algorithm>
#include <cassert>

namespace highwater::memory {

std::uint32_t SortedBlocks::slotFor(const Run& run, BlockKey key) const {
    const auto* found = std::lower_bound(run.entries, run.entries + run.count, key,
                                         [](const Entry& e, const BlockKey& k) { return e.key < k; });
    return static_cast<std::uint32_t>(found - run.entries);
}

SortedBlocks::Place SortedBlocks::lowerBound(BlockKey key) const {
    const auto run = static_cast<std::uint32_t>(std::lower_bound(greatest_.begin(), greatest_.end(), key) -
                                                greatest_.begin());
    return run == runs_.size() ? end() : Place{run, slotFor(*runs_[run], key)};
}

SortedBlocks::Place SortedBlocks::after(Place place) const {
    return place.slot + 1 < runs_[place.run]->count ? Place{place.run, place.slot + 1}
                                                    : Place{place.run + 1, 0};
}

SortedBlocks::Place SortedBlocks::before(Place place) const {
    return place.slot > 0 ? Place{place.run, place.slot - 1}
                          : Place{place.run - 1, runs_[place.run - 1]->count - 1};
}

void SortedBlocks::splitRun(std::uint32_t run) {
    Run& full = *runs_[run];
    auto upper = std::make_unique<Run>();
    std::copy(full.entries + kRun / 2, full.entries + kRun, upper->entries);
    upper->count = kRun - kRun / 2;
    full.count = kRun / 2;
    runs_.insert(runs_.begin() + run + 1, std::move(upper));
    greatest_.insert(greatest_.begin() + run, full.entries[full.count - 1].key);
}

void SortedBlocks::insert(BlockKey key, BlockIndex block) {
    if (runs_.empty()) {
        runs_.push_back(std::make_unique<Run>());
        greatest_.push_back(key);
    }
    auto run = static_cast<std::uint32_t>(std::lower_bound(greatest_.begin(), greatest_.end(), key) -
                                          greatest_.begin());
    run = std::min(run, static_cast<std::uint32_t>(runs_.size() - 1));
    if (runs_[run]->count == kRun) {
        splitRun(run);
        run += key > greatest_[run];
    }
    Run& into = *runs_[run];
    const auto slot = slotFor(into, key);
    assert(slot == into.count || into.entries[slot].key != key);
    std::move_backward(into.entries + slot, into.entries + into.count, into.entries + into.count + 1);
    into.entries[slot] = {key, block};
    ++into.count;
    greatest_[run] = into.entries[into.count - 1].key;
}

void SortedBlocks::eraseAt(Place place) {
    Run& from = *runs_[place.run];
    std::move(from.entries + place.slot + 1, from.entries + from.count, from.entries + place.slot);
    if (--from.count > 0) {
        greatest_[place.run] = from.entries[from.count - 1].key;
        return;
    }
    runs_.erase(runs_.begin() + place.run);
    greatest_.erase(greatest_.begin() + place.run);
}

void SortedBlocks::erase(BlockKey key) {
    const Place place = lowerBound(key);
    assert(place != end() && at(place).key == key);
    eraseAt(place);
}

}  // namespace highwater::memory
