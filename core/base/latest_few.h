#pragma once

#include <cstddef>
#include <list>
#include <utility>

namespace highwater::base {

/// The values of the keys that were asked for last: a cache whose size does not depend on how many keys there
/// are. Looks through all it holds. Not thread-safe.
template <class Key, class Value>
class LatestFew {
public:
    /// Holds at most so many; most > 0.
    explicit LatestFew(std::size_t most) : most_(most) {}

    /// The value of this key; a new one if it is not among the latest. The reference is good until the next
    /// call.
    Value& operator[](const Key& key) {
        auto at = entries_.begin();
        while (at != entries_.end() && !(at->first == key)) {
            ++at;
        }
        if (at == entries_.end()) {
            entries_.emplace_front(key, Value());
            if (entries_.size() > most_) {
                entries_.pop_back();
            }
        } else {
            entries_.splice(entries_.begin(), entries_, at);
        }
        return entries_.front().second;
    }
    std::size_t size() const { return entries_.size(); }

private:
    std::size_t most_;
    std::list<std::pair<Key, Value>> entries_;  ///< the latest first
};

}  // namespace highwater::base
