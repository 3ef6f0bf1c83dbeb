#include "core/engine/books/allocation_log.h"

#include <c10/core/Allocator.h>

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "core/engine/books/allocator.h"

namespace highwater::engine {

namespace {

constexpr std::uint8_t kPriority = 100;  // the same as installAllocator's, so that each can replace the other

struct Log {
    std::mutex mutex;
    bool open = false;
    std::vector<LoggedAllocation> entries;
    std::unordered_set<const void*> alive;
};

Log& log() {
    static auto* const made = new Log;  // tensors may outlive main
    return *made;
}

c10::Allocator*& counting() {
    static c10::Allocator* allocator = nullptr;
    return allocator;
}

void release(void* data) {
    if (Log& l = log(); data != nullptr) {
        const std::lock_guard lock(l.mutex);
        if (l.alive.erase(data) > 0) {
            l.entries.push_back({data, 0});
        }
    }
    counting()->raw_deleter()(data);
}

/// Wraps the counting allocator and logs every call. The deleter of either can free the memory of both.
class LoggingAllocator final : public c10::Allocator {
public:
    // Const in LibTorch 1.13, not const since 2.3: one of the two overrides the base class's.
    c10::DataPtr allocate(std::size_t bytes) const { return make(bytes); }  // NOLINT
    c10::DataPtr allocate(std::size_t bytes) { return make(bytes); }        // NOLINT
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const {  // NOLINT
        std::memcpy(to, from, bytes);
    }

private:
    static c10::DataPtr make(std::size_t bytes) {
        void* const data = counting()->allocate(bytes).release_context();
        if (Log& l = log(); data != nullptr) {
            const std::lock_guard lock(l.mutex);
            if (l.open) {
                l.alive.insert(data);
                l.entries.push_back({data, static_cast<base::Bytes>(bytes)});
            }
        }
        return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
    }
};

}  // namespace

AllocationLog::AllocationLog() {
    static auto* const logging = new LoggingAllocator;
    installAllocator();
    if (c10::Allocator* const present = c10::GetAllocator(c10::DeviceType::CPU); present != logging) {
        counting() = present;
    }
    Log& l = log();
    const std::lock_guard lock(l.mutex);
    l.entries.clear();
    l.alive.clear();
    l.open = true;
    c10::SetAllocator(c10::DeviceType::CPU, logging, kPriority);
}

AllocationLog::~AllocationLog() {
    if (open_) {
        stop();
    }
}

std::vector<LoggedAllocation> AllocationLog::stop() {
    open_ = false;
    c10::SetAllocator(c10::DeviceType::CPU, counting(), kPriority);
    Log& l = log();
    const std::lock_guard lock(l.mutex);
    l.open = false;
    l.alive.clear();
    return std::move(l.entries);
}

}  // namespace highwater::engine
