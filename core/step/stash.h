#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/units.h"

/// The rules of core/step/schedule.h for activations that a segment of the network saves for its backward and
/// offloads to host memory until then, for every backend.
namespace highwater::step {

/// The storages of one segment. A Slot holds one storage: on the device while it is used or being copied,
/// otherwise in host memory. Each slot is referenced here and by the nodes of the backward graph that read
/// it.
template <class Slot>
struct Stash {
    using Slots = std::vector<std::shared_ptr<Slot>>;
    Slots sent;           ///< being copied to the host, in the order in which they were saved
    Slots due;            ///< to be copied back for this segment's backward
    bool coming = false;  ///< `due` is being copied back
};

/// Decides for each storage that a segment saves during its forward whether it is offloaded.
template <class Slot>
class Stashing {
public:
    /// `before`: that of the segment that ran before, whose storages are still being copied; nullptr: there
    /// is none. The segment itself offloads storages of more than `above` bytes; std::nullopt: none.
    Stashing(Stash<Slot>& mine, Stash<Slot>* before, std::optional<base::Bytes> above)
        : mine_(mine), before_(before), above_(above) {}

    /// The slot of a storage; nullptr if it is not offloaded. A storage that the previous segment offloads is
    /// copied only once: it comes back for the backward of this segment, which reads it first. `is(slot)`:
    /// whether the slot has this storage; `make()` creates one; `bytes`: the size of the storage.
    template <class Is, class Make>
    std::shared_ptr<Slot> slotOf(const Is& is, base::Bytes bytes, const Make& make) {
        const auto has = [&](const std::shared_ptr<Slot>& slot) { return is(*slot); };
        if (const auto own = std::find_if(mine_.due.begin(), mine_.due.end(), has); own != mine_.due.end()) {
            return *own;
        }
        if (before_ != nullptr) {
            const auto given = std::find_if(before_->due.begin(), before_->due.end(), has);
            if (given != before_->due.end()) {
                mine_.due.push_back(*given);
                before_->due.erase(given);
                return mine_.due.back();
            }
        }
        if (!above_ || bytes <= *above_) {
            return nullptr;
        }
        mine_.sent.push_back(make());
        mine_.due.push_back(mine_.sent.back());
        return mine_.due.back();
    }

private:
    Stash<Slot>& mine_;
    Stash<Slot>* before_;
    std::optional<base::Bytes> above_;
};

}  // namespace highwater::step
