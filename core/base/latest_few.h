#pragma once

#include <cstddef>
#include <list>
#include <utility>

namespace highwater::base {

/// A least-recently-used cache with a fixed capacity. Lookup is linear. Not thread-safe.
template <class Key, class Value>
class LatestFew {
public:
    /// Capacity in entries; must be positive.
    explicit LatestFew(std::size_t most) : most_(most) {}

    /// The value of this key; a new one if it is not cached. The reference is valid until the next call.
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
    std::list<std::pair<Key, Value>> entries_;  ///< most recently used first
};

}  // namespace highwater::base
