#include "core/pretend/values.h"

#include <cstring>
#include <map>
#include <mutex>

#include "core/pretend/memory.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

namespace highwater::pretend {
namespace {

struct Value {
    std::vector<char> data;
    std::uint64_t launch;  // launches() when it was written
    std::uint64_t number;  // in the order in which they were written
    bool received;
};

struct Values {
    std::mutex mutex;
    std::map<std::uintptr_t, Value> all;  // by address; they do not overlap
    std::size_t bytes = 0;                // of all
    std::uint64_t written = 0;            // how many so far
    std::uint64_t cleanedAt = 0;          // launches() when old values were last removed
};

Values& values() {
    static Values& values = *new Values;
    return values;
}

std::uintptr_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

bool isOld(const Value& value) {
    return launches() - value.launch > kValueLaunches;
}

template <typename Unwanted>
void removeIf(Values& v, const Unwanted& unwanted) {
    std::erase_if(v.all, [&](const auto& entry) {
        const bool goes = unwanted(entry.second);
        v.bytes -= goes ? entry.second.data.size() : 0;
        return goes;
    });
}

// Old values, and if there are too many bytes, those that were written before the latter half of them.
void removeOld(Values& v) {
    if (launches() - v.cleanedAt > kValueLaunches) {
        v.cleanedAt = launches();
        removeIf(v, isOld);
    }
    if (v.bytes > kMostKeptBytes) {
        const std::uint64_t half = v.written - v.all.size() / 2;
        removeIf(v, [&](const Value& value) { return value.number < half; });
    }
}

void insert(Values& v, std::uintptr_t at, Value value) {
    value.number = v.written++;
    v.bytes += value.data.size();
    v.all.insert_or_assign(at, std::move(value));
}

// The value that contains these bytes, or null.
const Value* valueAt(const Values& v, std::uintptr_t at, std::size_t bytes, std::size_t& offset) {
    auto next = v.all.upper_bound(at);
    if (next == v.all.begin()) {
        return nullptr;
    }
    --next;
    offset = at - next->first;
    const Value& value = next->second;
    return offset + bytes <= value.data.size() && !isOld(value) ? &value : nullptr;
}

void forget(Values& v, std::uintptr_t at, std::size_t bytes) {
    auto first = v.all.upper_bound(at);
    if (first != v.all.begin() && std::prev(first)->first + std::prev(first)->second.data.size() > at) {
        --first;
    }
    const auto last = v.all.lower_bound(at + bytes);
    for (auto each = first; each != last; ++each) {
        v.bytes -= each->second.data.size();
    }
    v.all.erase(first, last);
}

void keep(const void* address, const void* data, std::size_t bytes, bool received) {
    Values& v = values();
    const std::lock_guard lock(v.mutex);
    forget(v, number(address), bytes);
    removeOld(v);
    if (bytes > 0 && bytes <= kMostValueBytes) {
        const char* const first = static_cast<const char*>(data);
        insert(v, number(address), {std::vector<char>(first, first + bytes), launches(), 0, received});
    }
}

}  // namespace

void keepWritten(const void* address, const void* data, std::size_t bytes) {
    keep(address, data, bytes, false);
}

void keepReceived(const void* address, const void* data, std::size_t bytes) {
    keep(address, data, bytes, true);
}

void forgetValues(const void* address, std::size_t bytes) {
    Values& v = values();
    const std::lock_guard lock(v.mutex);
    forget(v, number(address), bytes);
}

void moveValues(const void* to, const void* from, std::size_t bytes) {
    Values& v = values();
    const std::lock_guard lock(v.mutex);
    std::size_t offset = 0;
    const Value* const value = valueAt(v, number(from), bytes, offset);
    Value moved = value ? *value : Value{};
    forget(v, number(to), bytes);
    if (value && bytes > 0) {
        moved.data = {moved.data.begin() + static_cast<std::ptrdiff_t>(offset),
                      moved.data.begin() + static_cast<std::ptrdiff_t>(offset + bytes)};
        insert(v, number(to), std::move(moved));
    }
}

std::vector<char> valueToSend(const void* address, std::size_t bytes) {
    if (bytes > kMostValueBytes) {
        return {};
    }
    const char* const first = static_cast<const char*>(address);
    if (!settings().zeros) {
        return {first, first + bytes};
    }
    Values& v = values();
    const std::lock_guard lock(v.mutex);
    std::size_t offset = 0;
    const Value* const value = valueAt(v, number(address), bytes, offset);
    if (!value || (!value->received && value->data.size() != bytes)) {
        return {};
    }
    const auto begin = value->data.begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
}

void readReceived(void* to, const void* address, std::size_t bytes) {
    Values& v = values();
    const std::lock_guard lock(v.mutex);
    std::size_t offset = 0;
    const Value* const value = valueAt(v, number(address), bytes, offset);
    if (value && value->received) {
        std::memcpy(to, value->data.data() + offset, bytes);
    }
}

void receive(void* address, std::size_t bytes, const std::vector<char>& message) {
    if (message.size() != bytes) {
        forgetValues(address, bytes);
    } else if (settings().zeros) {
        keepReceived(address, message.data(), bytes);
    } else {
        std::memcpy(address, message.data(), bytes);
    }
}

}  // namespace highwater::pretend
